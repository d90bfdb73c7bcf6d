"""What the host tells a supervisor about its container, once, ahead of everything else."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Config:
    """`token` (hex) begins every synchronisation (see `executor.frames`).

    The container owns the uids from `uid_base` to `uid_base + uids` inclusive, on the whole machine: one for each
    requester, and the last one for the supervisor's own use. `uid_base` is also the group of everything in the
    workspace, which all requesters are in, and each has one of its own for everything else. `slots` executions run at
    once. `languages` maps canonical names to the program each needs. `preload` names modules that are imported once,
    and `spares` how many forked children wait for work.
    """

    token: str
    uid_base: int
    slots: int = 4
    uids: int = 255
    open_files: int = 512
    languages: tuple[tuple[str, str], ...] = (("python", "python3"), ("bash", "bash"), ("sh", "bash"))
    preload: tuple[str, ...] = ()
    spares: int = 1
    workspace: str = "/workspace"

    def __post_init__(self) -> None:
        if self.uid_base <= 0 or self.uids <= 0:
            raise ValueError("uids of programs must be above zero: zero is the supervisor's own")
        if self.slots <= 0 or self.spares < 0 or self.open_files <= 0:
            raise ValueError("slots and open_files must be above zero, spares not below")

    @property
    def gid(self) -> int:
        return self.uid_base

    @staticmethod
    def own_gid(uid: int) -> int:
        """The group that only this requester is in; never that of the workspace."""
        return uid + 1

    @property
    def killer_uid(self) -> int:
        """Of no process, but the supervisor's real uid while it kills (see `executor.supervisor.killing`)."""
        return self.uid_base + self.uids

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "Config":
        languages = tuple((str(name), str(program)) for name, program in value["languages"])
        return cls(**value | {"languages": languages, "preload": tuple(value["preload"])})
