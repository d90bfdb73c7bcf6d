"""What the pool knows about each channel, and which of them has to give way. No I/O."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from executor.containers import Sandbox
from executor.status import SandboxStatus


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """`most` containers at a time; one that was idle for `sleep_after_s` is removed; a lease that finds all of them
    in use waits at most `wait_s`. `reserve` containers wait for channels that have none, as long as there is room.
    """

    most: int = 50
    sleep_after_s: float = 900.0
    wait_s: float = 30.0
    reserve: int = 0

    def __post_init__(self) -> None:
        if self.most < 1 or self.sleep_after_s <= 0 or self.wait_s < 0 or self.reserve < 0:
            raise ValueError(f"a pool needs at least one container and times above zero: {self}")


@dataclass(eq=False)
class Place:
    """One channel, under its container's name. It is empty, has a sandbox, or `change` is giving or taking one."""

    name: str
    channel: str | None = None
    reserve: bool = False
    sandbox: Sandbox | None = None
    change: asyncio.Task[None] | None = None
    granted: bool = False
    leases: int = 0
    used_at: float = 0.0

    @property
    def holds(self) -> bool:
        """Whether it counts towards the most containers there may be."""
        return self.granted or self.sandbox is not None

    @property
    def idle(self) -> bool:
        return self.sandbox is not None and self.change is None and self.leases == 0

    @property
    def empty(self) -> bool:
        return self.sandbox is None and self.change is None and self.leases == 0

    @property
    def is_lost(self) -> bool:
        """Whether its sandbox is known to have gone, or not to be trusted."""
        return self.sandbox is not None and (self.sandbox.client.lost or self.sandbox.client.suspect is not None)

    def take(self) -> Sandbox:
        """Its sandbox, which it has no longer. LookupError where it has none."""
        if self.sandbox is None:
            raise LookupError(f"{self.name} has no sandbox")
        sandbox, self.sandbox = self.sandbox, None
        return sandbox

    def status(self, epoch: float) -> SandboxStatus:
        sandbox = self.sandbox
        if self.change is not None or sandbox is None:
            state = "changing"
        elif self.is_lost:
            state = "lost"
        elif self.reserve:
            state = "reserve"
        else:
            state = "leased" if self.leases else "idle"
        return SandboxStatus(
            channel=self.channel,
            name=self.name,
            state=state,
            age_s=max(0.0, epoch - sandbox.created_at) if sandbox else 0.0,
            container=sandbox.container if sandbox else None,
            executions=sandbox.client.executions if sandbox else (),
        )


def least_recently_used(places: Iterable[Place]) -> Place | None:
    """Of the idle ones; the reserve gives way first."""
    idle = (place for place in places if place.idle)
    return min(idle, key=lambda place: (not place.reserve, place.used_at), default=None)
