"""What the pool does about workspaces where something goes wrong, in memory."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from executor.archive import ArchiveUnavailable, MemoryArchive, Saving, Stored
from executor.errors import ExecutorError, InvalidExecution, SandboxUnavailable
from executor.fake import ManualClock, Read, ScriptedSandboxes, Step, Write
from executor.fake_workspace import FakeWorkspace
from executor.hardening import memory_bytes
from executor.messages import Kept
from executor.places import PoolLimits
from executor.pool import Sandboxes
from executor.types import MIB, Code, Execution, Limits, Outcome, SandboxLimits
from tests.unit.executor.doubles import until

PROGRAMS: dict[str, tuple[Step, ...]] = {
    "write": (Write("a", b"one"),),
    "again": (Write("a", b"two"),),
    "read": (Read("a"),),
}


class Broken(MemoryArchive):
    """An archive whose disk is full, or gone, while `broken` is set."""

    broken = False
    saves = 0

    @asynccontextmanager
    async def saving(self, key: str, generation: str) -> AsyncIterator[Saving]:
        self._check()
        self.saves += 1
        async with super().saving(key, generation) as saving:
            yield saving

    @asynccontextmanager
    async def loading(self, key: str) -> AsyncIterator[Stored]:
        self._check()
        async with super().loading(key) as stored:
            yield stored

    async def generation(self, key: str) -> str:
        self._check()
        return await super().generation(key)

    def _check(self) -> None:
        if self.broken:
            raise ArchiveUnavailable("The channel's files cannot be kept or fetched just now.")


@pytest.fixture
def archive() -> Broken:
    return Broken()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


def pool(archive: MemoryArchive, clock: ManualClock, **limits: float) -> ScriptedSandboxes:
    return ScriptedSandboxes(PROGRAMS, pool=PoolLimits(**limits), clock=clock, archive=archive)  # type: ignore[arg-type]


async def run(sandboxes: Sandboxes, text: str, channel: str = "c1") -> str:
    async with sandboxes.lease(channel) as sandbox:
        execution = Execution("x", "ana", (Code("python", text),), Limits(timeout_s=9))
        (block,) = (await sandbox.execute(execution, lambda _: None)).blocks
    return block.output.stdout if block.outcome is Outcome.COMPLETED else block.outcome.value


async def passes(clock: ManualClock, seconds: float) -> None:
    for _ in range(30):
        await asyncio.sleep(0)
    clock.advance(seconds)
    for _ in range(30):
        await asyncio.sleep(0)


async def test_a_save_waits_for_quiet(archive: Broken, clock: ManualClock) -> None:
    async with pool(archive, clock) as sandboxes:
        for _ in range(10):
            await run(sandboxes, "write")
            await passes(clock, 0.04)
        assert archive.saves == 0
        await passes(clock, 0.05)
        await passes(clock, 0.05)
        assert archive.saves == 1
        for _ in range(30):
            await run(sandboxes, "write")
            await passes(clock, 0.04)
        assert archive.saves == 2, "a second without quiet is long enough"


async def test_without_an_archive_to_write_to_nothing_goes_to_sleep(archive: Broken, clock: ManualClock) -> None:
    async with pool(archive, clock, sleep_after_s=60) as sandboxes:
        await run(sandboxes, "write")
        archive.broken = True
        for _ in range(3):
            clock.advance(61)
            await asyncio.sleep(0.01)
            assert len(sandboxes.engine.rows) == 1
        assert await run(sandboxes, "read") == "one"
        archive.broken = False
        clock.advance(61)
        await until(lambda: not sandboxes.engine.rows)
        assert await run(sandboxes, "read") == "one"


async def test_a_pool_that_closes_leaves_what_it_cannot_save(archive: Broken, clock: ManualClock) -> None:
    async with pool(archive, clock) as sandboxes:
        await run(sandboxes, "write")
        archive.broken = True
    assert len(sandboxes.engine.rows) == 1


async def test_a_sandbox_that_cannot_be_furnished_is_not_leased(archive: Broken, clock: ManualClock) -> None:
    async with pool(archive, clock, sleep_after_s=60) as sandboxes:
        await run(sandboxes, "write")
        clock.advance(61)
        await until(lambda: not sandboxes.engine.rows)
        archive.broken = True
        with pytest.raises(ArchiveUnavailable):
            await run(sandboxes, "read")
        assert not sandboxes.engine.rows
        archive.broken = False
        assert await run(sandboxes, "read") == "one"


async def test_a_half_laid_workspace_is_never_used_nor_saved(archive: Broken, clock: ManualClock) -> None:
    async with pool(archive, clock, sleep_after_s=60, reserve=1) as sandboxes:
        await run(sandboxes, "write")
        clock.advance(61)
        await until(lambda: [status.state for status in sandboxes.list()] == ["reserve"])
        broken = sandboxes.engine.only
        broken.supervisor.workspace.error = "no space"
        assert await run(sandboxes, "read") == "one"
        assert broken.id not in sandboxes.engine.rows


async def test_where_nothing_can_be_laid_out_nothing_runs(
    archive: Broken, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with pool(archive, clock, sleep_after_s=60) as sandboxes:
        await run(sandboxes, "write")
        clock.advance(61)
        await until(lambda: not sandboxes.engine.rows)
        monkeypatch.setattr(FakeWorkspace, "lay_out", lambda *_: Kept(error="no space", complete=False))
        with pytest.raises(SandboxUnavailable, match="could not be restored"):
            await run(sandboxes, "read")
        assert not sandboxes.engine.rows
        monkeypatch.undo()
        assert await run(sandboxes, "read") == "one"


async def test_what_stays_behind_is_told_to_the_operator(
    archive: Broken, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with pool(archive, clock, sleep_after_s=60) as sandboxes:
        await run(sandboxes, "write")
        sandboxes.engine.only.supervisor.workspace.left = 3
        clock.advance(61)
        await until(lambda: not sandboxes.engine.rows)
    (record,) = [record for record in caplog.records if record.message == "workspace not saved whole"]
    assert vars(record)["left"] == {"unreadable": 3}


async def test_changes_that_are_lost_are_said_to_be(
    archive: Broken, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with pool(archive, clock) as sandboxes:
        await run(sandboxes, "write")
        await passes(clock, 0.1)
        assert archive.saves == 1
        await run(sandboxes, "again")
        sandboxes.engine.only.end()
        assert await run(sandboxes, "read") == "one"
    (record,) = [record for record in caplog.records if record.message == "workspace changes lost"]
    assert vars(record)["channel"] == "c1"


async def test_a_broken_stream_at_bedtime_loses_nothing(archive: Broken, clock: ManualClock) -> None:
    async with pool(archive, clock, sleep_after_s=60) as sandboxes:
        await run(sandboxes, "write")
        sandboxes.engine.only.break_stream()
        clock.advance(61)
        await asyncio.sleep(0.01)
        assert len(sandboxes.engine.rows) == 1
        clock.advance(61)
        await until(lambda: not sandboxes.engine.rows)
        assert await run(sandboxes, "read") == "one"


async def test_an_archive_that_hangs_does_not_hold_up_an_answer(clock: ManualClock) -> None:
    gate = asyncio.Event()

    class Slow(MemoryArchive):
        async def generation(self, key: str) -> str:
            await gate.wait()
            return await super().generation(key)

    async with pool(Slow(), clock) as sandboxes:
        await run(sandboxes, "write")
        clock.advance(0.1)
        await asyncio.sleep(0.01)
        assert await run(sandboxes, "read") == "one"
        gate.set()


LIMITS = SandboxLimits(slots=2, execution=Limits(memory_mb=128))


async def remember(sandboxes: ScriptedSandboxes, memory_mb: int, name: str = "x") -> None:
    async with sandboxes.lease("c1") as sandbox:
        execution = Execution(name, name, (Code("python", "write"),), Limits(memory_mb=memory_mb))
        await sandbox.execute(execution, lambda _: None)


async def test_a_container_grows_for_what_was_allowed_beyond_the_channels_limit() -> None:
    async with ScriptedSandboxes(PROGRAMS, limits=LIMITS) as sandboxes:
        base = memory_bytes(LIMITS)
        await remember(sandboxes, 128)
        assert "resize" not in sandboxes.engine.calls
        await remember(sandboxes, 1024)
        host = sandboxes.engine.only.options["HostConfig"]
        assert host["Memory"] == host["MemorySwap"] == base + (1024 - 128) * MIB
        await asyncio.gather(remember(sandboxes, 1024, "a"), remember(sandboxes, 512, "b"))
        assert host["Memory"] == base + (1024 - 128 + 512 - 128) * MIB
        await remember(sandboxes, 256)
        assert sandboxes.engine.calls.count("resize") == 2


async def test_what_the_engine_does_not_give_is_refused() -> None:
    async with ScriptedSandboxes(PROGRAMS, limits=LIMITS) as sandboxes:
        await remember(sandboxes, 128)
        sandboxes.engine.most_memory = 1024 * MIB
        with pytest.raises(InvalidExecution, match="does not give a sandbox 4096 MB of memory"):
            await remember(sandboxes, 4096)
        await remember(sandboxes, 256)
        sandboxes.engine.down = True
        with pytest.raises(ExecutorError):
            await remember(sandboxes, 700)


async def test_a_reserve_that_was_given_files_and_no_name_is_nobodys(archive: Broken, clock: ManualClock) -> None:
    """The bot died in between."""
    async with pool(archive, clock, sleep_after_s=60) as sandboxes:
        await run(sandboxes, "write")
    async with pool(archive, clock, reserve=1) as sandboxes:
        await until(lambda: [status.state for status in sandboxes.list()] == ["reserve"])
        engine = sandboxes.engine
        (name,) = [row.name for row in engine.rows.values()]
        await run(sandboxes, "read")
        (furnished,) = [row for row in engine.rows.values() if row.supervisor.workspace.files]
        furnished.name = name
        await sandboxes.close(keep=True)
        successor = ScriptedSandboxes(PROGRAMS, pool=PoolLimits(reserve=1), clock=clock, archive=archive)
        successor._changes.containers._engine = engine
        async with successor:
            assert furnished.id not in engine.rows


async def test_an_archive_that_fails_never_makes_a_half_laid_workspace_a_good_one(
    archive: Broken, clock: ManualClock
) -> None:
    async with pool(archive, clock) as sandboxes:
        await run(sandboxes, "write")
        await passes(clock, 0.1)
        sandboxes.engine.only.supervisor.workspace.generations = ("?",)
        sandboxes.engine.only.break_stream()
        archive.broken = True
        with pytest.raises(ArchiveUnavailable):
            await run(sandboxes, "read")
        archive.broken = False
        assert await run(sandboxes, "read") == "one"
