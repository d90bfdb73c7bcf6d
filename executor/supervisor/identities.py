"""Which uid a requester has: the same for the life of the container, so that a person's files stay theirs."""

from executor.supervisor.config import Config


class Identities:
    def __init__(self, config: Config) -> None:
        self._config = config
        self._uids: dict[str, int] = {}

    @property
    def names(self) -> dict[int, str]:
        """Requesters by uid."""
        return {uid: requester for requester, uid in self._uids.items()}

    def of(self, requester: str) -> int | None:
        """None once the container's uids are used up: they are never passed on to somebody else."""
        if requester not in self._uids:
            if len(self._uids) >= self._config.uids:
                return None
            self._uids[requester] = self._config.uid_base + len(self._uids)
        return self._uids[requester]
