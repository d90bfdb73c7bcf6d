"""Many leases while containers die, streams break, time passes and the engine comes and goes: none hangs or leaks."""

import asyncio
import random

import pytest

from executor.archive import MemoryArchive
from executor.containers import Equipment
from executor.errors import ExecutorError
from executor.fake import FakeEngine, ManualClock
from executor.hardening import SandboxSpec
from executor.places import PoolLimits
from executor.pool import Sandboxes
from executor.types import Code, Execution, Limits
from tests.unit.executor.doubles import Lines

TEXTS = ("out hi", "exit 1", "file a.txt hello", "wait", "die", "end stuck", "garbage", "refuse too_many_requesters")


async def user(sandboxes: Sandboxes, chance: random.Random, name: str) -> None:
    for turn in range(4):
        execution = Execution(f"{name}.{turn}", name, (Code("python", chance.choice(TEXTS)),), Limits(timeout_s=0.01))
        try:
            async with sandboxes.lease(f"c{chance.randrange(4)}") as sandbox:
                await sandbox.execute(execution, lambda chunk: None)
        except ExecutorError:
            await asyncio.sleep(0)


async def weather(
    engine: FakeEngine, clock: ManualClock, users: list[asyncio.Task[None]], chance: random.Random
) -> None:
    while not all(task.done() for task in users):
        for _ in range(chance.randrange(12)):
            await asyncio.sleep(0)
        rows = list(engine.rows.values())
        match chance.randrange(8):
            case 0:
                engine.down = True
            case 1 | 2:
                engine.down = False
            case 3 if rows:
                chance.choice(rows).end()
            case 4 if rows:
                chance.choice(rows).break_stream()
            case 5:
                chance.choice(users).cancel()
            case _:
                clock.advance(chance.choice([0.02, 1, 40]))
    engine.down = False


@pytest.mark.parametrize("archive", [None, MemoryArchive()], ids=["no archive", "archive"])
@pytest.mark.parametrize("seed", range(60))
async def test_no_lease_hangs_and_no_container_is_left(
    seed: int, archive: MemoryArchive | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("executor.containers.PING_S", 0.1)
    monkeypatch.setattr("executor.containers.START_S", 0.5)
    monkeypatch.setattr("executor.containers.ADOPT_S", (0.1,))
    monkeypatch.setattr("executor.containers.GUARD_S", 0.05)
    chance = random.Random(seed)  # noqa: S311 - a storm that can be repeated
    clock = ManualClock()
    engine = FakeEngine(Lines(), clock)
    limits = PoolLimits(most=3, sleep_after_s=60, wait_s=0.2, reserve=1)
    async with asyncio.timeout(5):
        equipment = Equipment(SandboxSpec("image"))
        async with Sandboxes(engine, "test", equipment, limits, clock=clock, archive=archive) as sandboxes:
            users = [asyncio.create_task(user(sandboxes, chance, f"u{n}")) for n in range(6)]
            await weather(engine, clock, users, chance)
            await asyncio.gather(*users, return_exceptions=True)
            assert not [task for task in users if not task.cancelled() and task.exception()]
            async with sandboxes.lease("c0") as sandbox:
                await sandbox.execute(Execution("last", "last", (Code("python", "out hi"),)), lambda chunk: None)
        async with Sandboxes(engine, "test", equipment, clock=clock, archive=archive):
            pass  # what an engine that was down has kept is swept by the next
    assert not engine.rows
    assert not engine.disk
