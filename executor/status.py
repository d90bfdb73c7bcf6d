"""What operators are told of a sandbox."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SandboxStatus:
    """`channel` is None in the reserve and where nobody has asked for it since the bot started; `state` is one of
    changing, idle, leased, lost, reserve.
    """

    channel: str | None
    name: str
    state: str
    age_s: float
    container: str | None
    executions: tuple[str, ...]
