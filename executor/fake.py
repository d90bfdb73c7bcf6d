r"""Sandboxes in memory that follow a script: the shipped twin of the real ones, for tests of whatever runs code.

It is the real pool and the real client over an engine and a supervisor in memory, so leases, slots, limits, output,
cancellation and loss behave as they do with Docker. Only what a program does is looked up instead of run:

    ScriptedSandboxes({"print('hi')": (Say("hi\n"),), "loop": (Sleep(math.inf),), "boom": (Die(),)})

Texts that are not in the script say nothing and end with exit code 0. `engine.down = True` takes the engine away.
"""

import asyncio
from collections.abc import Mapping
from types import MappingProxyType

from executor.archive import WorkspaceArchive
from executor.clock import Clock
from executor.containers import Equipment
from executor.fake_engine import FakeEngine
from executor.fake_supervisor import (
    Babble,
    Die,
    End,
    Hold,
    Ignore,
    Read,
    Refuse,
    Remove,
    Say,
    Script,
    Sleep,
    Step,
    Write,
)
from executor.hardening import SandboxSpec
from executor.messages import Start
from executor.places import PoolLimits
from executor.pool import Sandboxes
from executor.types import SandboxLimits

__all__ = [
    "Babble",
    "Die",
    "End",
    "FakeEngine",
    "Hold",
    "Ignore",
    "ManualClock",
    "Read",
    "Refuse",
    "Remove",
    "Say",
    "ScriptedSandboxes",
    "Sleep",
    "Step",
    "Write",
    "scripted",
]


def scripted(programs: Mapping[str, tuple[Step, ...]]) -> Script:
    """Look a block up by its text, without white space at the ends."""
    by_text = {text.strip(): steps for text, steps in programs.items()}

    def script(start: Start) -> tuple[Step, ...]:
        return by_text.get(start.code.strip(), ())

    return script


class ScriptedSandboxes(Sandboxes):
    """See the head of this module. `started` is every block that was handed over, in order."""

    def __init__(
        self,
        programs: Mapping[str, tuple[Step, ...]] = MappingProxyType({}),
        *,
        limits: SandboxLimits | None = None,
        pool: PoolLimits | None = None,
        clock: Clock | None = None,
        archive: WorkspaceArchive | None = None,
    ) -> None:
        self.engine = FakeEngine(scripted(programs), clock)
        equipment = Equipment(SandboxSpec("image", limits or SandboxLimits()))
        super().__init__(self.engine, "scripted", equipment, pool, clock=clock, archive=archive)

    @property
    def started(self) -> tuple[Start, ...]:
        return tuple(start for row in self.engine.rows.values() for start in row.supervisor.started)


class ManualClock:
    """Time that a test moves with `advance`."""

    def __init__(self, now: float = 1000.0) -> None:
        self._now = now
        self._moved = asyncio.Event()

    def now(self) -> float:
        return self._now

    def advance(self, seconds: float) -> None:
        self._now += seconds
        self._moved.set()
        self._moved = asyncio.Event()

    async def wait(self, event: asyncio.Event, timeout_s: float | None) -> None:
        due = None if timeout_s is None else self._now + timeout_s
        while not event.is_set() and (due is None or self._now < due):
            waits = [asyncio.create_task(event.wait()), asyncio.create_task(self._moved.wait())]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in waits:
                    task.cancel()
