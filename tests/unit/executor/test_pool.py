"""The pool against an engine in memory."""

import asyncio
from collections.abc import Callable

import pytest

from executor import naming
from executor.containers import Equipment, Sandbox
from executor.errors import EngineUnavailable, ImageMissing, SandboxLost, SandboxUnavailable
from executor.fake import FakeEngine, ManualClock
from executor.hardening import SandboxSpec
from executor.places import PoolLimits
from executor.pool import Sandboxes
from executor.types import Code, Execution, ExecutionResult, Outcome, OutputChunk, SandboxLimits
from tests.unit.executor.doubles import Lines, until

EQUIPMENT = Equipment(SandboxSpec("image"))
Pool = Callable[..., Sandboxes]


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine(Lines())


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def pool(engine: FakeEngine, clock: ManualClock) -> Pool:
    def make(
        instance: str = "test", *, keep: bool = False, equipment: Equipment = EQUIPMENT, **limits: float
    ) -> Sandboxes:
        return Sandboxes(engine, instance, equipment, PoolLimits(**limits), keep=keep, clock=clock)  # type: ignore[arg-type]

    return make


def ignore(chunk: OutputChunk) -> None:
    pass


async def run(sandbox: Sandbox, text: str, name: str = "e1") -> ExecutionResult:
    return await sandbox.execute(Execution(name, name, (Code("python", text),)), ignore)


async def hello(sandboxes: Sandboxes, channel: str = "c1") -> str:
    async with sandboxes.lease(channel) as sandbox:
        assert (await run(sandbox, "out hi")).outcome is Outcome.COMPLETED
        return sandbox.container


async def test_a_channel_keeps_its_container_and_has_its_own(engine: FakeEngine, pool: Pool) -> None:
    async with pool() as sandboxes:
        first = await hello(sandboxes)
        assert await hello(sandboxes) == first
        assert await hello(sandboxes, "c2") != first
        bases = {row.labels[naming.LABEL_UID_BASE] for row in engine.rows.values()}
        assert len(bases) == 2
    assert engine.rows == {}
    assert engine.disk == {}


async def test_leases_at_the_same_time_make_one_container(engine: FakeEngine, pool: Pool) -> None:
    async with pool() as sandboxes:
        results = await asyncio.gather(*(hello_as(sandboxes, f"e{n}") for n in range(4)))
        assert len(set(results)) == 1
        assert engine.calls.count("create") == 1


async def hello_as(sandboxes: Sandboxes, name: str) -> str:
    async with sandboxes.lease("c1") as sandbox:
        assert (await run(sandbox, "out hi", name)).outcome is Outcome.COMPLETED
        return sandbox.container


async def test_a_cancelled_lease_leaves_a_whole_container_behind(engine: FakeEngine, pool: Pool) -> None:
    gate = asyncio.Event()

    async def before(call: str) -> None:
        if call == "start":
            await gate.wait()

    engine.before = before
    async with pool() as sandboxes:
        lease = asyncio.create_task(hello(sandboxes))
        await until(lambda: "start" in engine.calls)
        lease.cancel()
        await asyncio.wait([lease])
        gate.set()
        await hello(sandboxes)
        assert engine.calls.count("create") == 1


async def test_an_idle_container_is_put_to_sleep(engine: FakeEngine, pool: Pool, clock: ManualClock) -> None:
    async with pool(sleep_after_s=60) as sandboxes:
        await hello(sandboxes)
        clock.advance(59)
        await hello(sandboxes)
        clock.advance(59)
        await asyncio.sleep(0)
        assert len(engine.rows) == 1
        clock.advance(1)
        await until(lambda: not engine.rows)
        await until(lambda: not sandboxes.list())
        assert not engine.disk
        await hello(sandboxes)


async def test_a_lease_at_the_moment_when_a_container_has_gone_to_sleep(
    engine: FakeEngine, pool: Pool, clock: ManualClock
) -> None:
    """Whatever the moment, the lease waits for the change or finds it over; it never spins on one that is done."""
    for steps in range(40):
        async with pool(sleep_after_s=60) as sandboxes:
            await hello(sandboxes)
            clock.advance(60)
            for _ in range(steps):
                await asyncio.sleep(0)
            await hello(sandboxes)


async def test_a_leased_container_never_sleeps(engine: FakeEngine, pool: Pool, clock: ManualClock) -> None:
    async with pool(sleep_after_s=60) as sandboxes:
        async with sandboxes.lease("c1") as sandbox:
            clock.advance(1000)
            for _ in range(20):
                await asyncio.sleep(0)
            assert (await run(sandbox, "out hi")).outcome is Outcome.COMPLETED
        clock.advance(60)
        await until(lambda: not engine.rows)


async def test_the_least_recently_used_gives_way(engine: FakeEngine, pool: Pool, clock: ManualClock) -> None:
    async with pool(most=2) as sandboxes:
        for channel in ("c1", "c2", "c1", "c3"):
            await hello(sandboxes, channel)
            clock.advance(1)
        assert {status.channel for status in sandboxes.list()} == {"c1", "c3"}
        assert len(engine.rows) == 2


async def test_a_lease_waits_until_there_is_room(engine: FakeEngine, pool: Pool) -> None:
    async with pool(most=1) as sandboxes:
        async with sandboxes.lease("c1"):
            waiting = asyncio.create_task(hello(sandboxes, "c2"))
            await until(lambda: any(status.channel == "c2" for status in sandboxes.list()))
            assert len(engine.rows) == 1
        await waiting
        assert len(engine.rows) == 1


async def test_a_lease_waits_only_so_long(engine: FakeEngine, pool: Pool) -> None:
    async with pool(most=1, wait_s=0.01) as sandboxes, sandboxes.lease("c1"):
        with pytest.raises(SandboxUnavailable, match="in use"):
            await hello(sandboxes, "c2")


@pytest.mark.parametrize("state", ["exited", "dead"])
async def test_a_dead_container_is_replaced(engine: FakeEngine, pool: Pool, state: str) -> None:
    async with pool() as sandboxes:
        first = await hello(sandboxes)
        engine.only.end(state)
        assert await hello(sandboxes) != first
        assert len(engine.rows) == len(engine.disk) == 1


async def test_a_container_that_dies_under_a_run_loses_it_and_is_replaced(engine: FakeEngine, pool: Pool) -> None:
    async with pool() as sandboxes:
        async with sandboxes.lease("c1") as sandbox:
            task = asyncio.create_task(run(sandbox, "wait"))
            await until(lambda: engine.only.supervisor.runs)
            engine.only.end()
            with pytest.raises(SandboxLost):
                await task
        await hello(sandboxes)


async def test_a_paused_container_is_replaced(engine: FakeEngine, pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("executor.containers.PING_S", 0.02)
    async with pool() as sandboxes:
        first = await hello(sandboxes)
        engine.only.state = "paused"
        engine.only.supervisor.deaf = True
        assert await hello(sandboxes) != first


async def test_a_suspect_container_is_replaced(engine: FakeEngine, pool: Pool) -> None:
    async with pool() as sandboxes:
        async with sandboxes.lease("c1") as sandbox:
            assert (await run(sandbox, "end stuck")).outcome is Outcome.LOST
        assert await hello(sandboxes) != sandbox.container
        assert len(engine.rows) == 1


async def test_a_container_without_uids_for_somebody_new_is_replaced_once_it_is_idle(
    engine: FakeEngine, pool: Pool
) -> None:
    async with pool() as sandboxes:
        async with sandboxes.lease("c1") as sandbox:
            running = asyncio.create_task(run(sandbox, "wait", "old"))
            async with sandboxes.lease("c1"):
                with pytest.raises(SandboxUnavailable):
                    await run(sandbox, "refuse too_many_requesters", "new")
            assert await sandboxes.cancel("old")
            assert (await running).outcome is Outcome.CANCELLED
        assert await hello(sandboxes) != sandbox.container


async def test_a_stream_that_broke_is_taken_up_again(engine: FakeEngine, pool: Pool) -> None:
    async with pool() as sandboxes:
        first = await hello(sandboxes)
        engine.only.break_stream()
        assert await hello(sandboxes) == first


async def test_an_engine_that_is_down_is_said_to_be_and_used_again_when_it_is_back(
    engine: FakeEngine, pool: Pool
) -> None:
    engine.down = True
    async with pool() as sandboxes:
        with pytest.raises(EngineUnavailable):
            await hello(sandboxes)
        engine.down = False
        await hello(sandboxes)
        engine.only.end()
        engine.down = True
        with pytest.raises(EngineUnavailable):
            await hello(sandboxes)
        engine.down = False
        await hello(sandboxes)
        assert len(engine.rows) == 1


async def test_a_predecessors_containers_are_found_once_the_engine_is_back(engine: FakeEngine, pool: Pool) -> None:
    async with pool(keep=True) as sandboxes:
        kept = [await hello(sandboxes, channel) for channel in ("c1", "c2", "c3")]
    engine.down = True
    async with pool() as sandboxes:
        engine.down = False
        found = await asyncio.gather(*(hello(sandboxes, channel) for channel in ("c1", "c2", "c3")))
        assert found == kept


async def test_a_missing_image_is_said_to_be(engine: FakeEngine, pool: Pool) -> None:
    engine.images.clear()
    async with pool() as sandboxes:
        with pytest.raises(ImageMissing):
            await hello(sandboxes)
        assert sandboxes.list() == ()


async def test_a_container_that_does_not_come_up_is_removed(
    engine: FakeEngine, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("executor.containers.START_S", 0.02)
    engine.mute = True
    async with pool() as sandboxes:
        with pytest.raises(SandboxUnavailable):
            await hello(sandboxes)
        assert not engine.rows
        assert not engine.disk
        engine.mute = False
        await hello(sandboxes)


async def test_a_successor_takes_over_what_runs_and_ends_the_runs_in_it(engine: FakeEngine, pool: Pool) -> None:
    async with pool(keep=True) as sandboxes:
        first = await hello(sandboxes)
        async with sandboxes.lease("c1") as sandbox:
            task = asyncio.create_task(run(sandbox, "wait"))
            await until(lambda: engine.only.supervisor.runs)
            await sandboxes.close(keep=True)
            with pytest.raises(SandboxLost):
                await task
    assert engine.only.supervisor.runs
    async with pool() as sandboxes:
        assert not engine.only.supervisor.runs
        assert [status.state for status in sandboxes.list()] == ["idle"]
        assert await hello(sandboxes) == first
    assert engine.rows == {}


@pytest.mark.parametrize("what", ["image", "limits", "preload", "state", "labels"])
async def test_a_successor_removes_what_is_outdated(engine: FakeEngine, pool: Pool, what: str) -> None:
    async with pool(keep=True) as sandboxes:
        first = await hello(sandboxes)
    equipment = EQUIPMENT
    match what:
        case "image":
            engine.images["image"] = "sha256:2"
        case "limits":
            equipment = Equipment(SandboxSpec("image", SandboxLimits(slots=5)))
        case "preload":
            equipment = Equipment(SandboxSpec("image"), preload=("numpy",))
        case "state":
            engine.only.end()
        case _:
            engine.only.labels[naming.LABEL_TOKEN] = "gibberish"
    async with pool(equipment=equipment) as sandboxes:
        assert not engine.rows
        assert not engine.disk
        assert await hello(sandboxes) != first


async def test_others_are_left_alone(engine: FakeEngine, pool: Pool) -> None:
    async with pool("other", keep=True) as sandboxes:
        await hello(sandboxes)
    theirs = engine.only
    options = {"Labels": {"app": "db"}, "HostConfig": {"Mounts": []}}
    await engine.create("db", options)
    engine.disk["data"] = {}
    async with pool() as sandboxes:
        await hello(sandboxes)
        mine = engine.named(naming.container_name("test", "c1"))
        assert mine.labels[naming.LABEL_UID_BASE] != theirs.labels[naming.LABEL_UID_BASE]
    assert {row.name for row in engine.rows.values()} == {"db", theirs.name}
    assert set(engine.disk) == {"data", theirs.labels[naming.LABEL_VOLUME]}
    assert theirs.state == "running"


async def test_a_foreign_container_with_our_name_is_not_removed(engine: FakeEngine, pool: Pool) -> None:
    await engine.create(naming.container_name("test", "c1"), {"Labels": {}, "HostConfig": {"Mounts": []}})
    async with pool() as sandboxes:
        with pytest.raises(SandboxUnavailable):
            await hello(sandboxes)
    assert len(engine.rows) == 1


async def test_a_successor_with_less_room_puts_some_to_sleep(engine: FakeEngine, pool: Pool) -> None:
    async with pool(keep=True) as sandboxes:
        for channel in ("c1", "c2", "c3"):
            await hello(sandboxes, channel)
    async with pool(most=1):
        await until(lambda: len(engine.rows) == 1)


async def test_cancel_finds_the_execution(engine: FakeEngine, pool: Pool) -> None:
    async with pool() as sandboxes:
        await hello(sandboxes, "c2")
        async with sandboxes.lease("c1") as sandbox:
            task = asyncio.create_task(run(sandbox, "wait"))
            await until(lambda: any(status.executions == ("e1",) for status in sandboxes.list()))
            assert await sandboxes.cancel("e1")
            assert (await task).outcome is Outcome.CANCELLED
        assert not await sandboxes.cancel("e1")


async def test_nothing_is_leased_after_closing(engine: FakeEngine, pool: Pool) -> None:
    async with pool() as sandboxes:
        pass
    with pytest.raises(SandboxUnavailable):
        await hello(sandboxes)


async def test_an_orphaned_volume_is_swept(engine: FakeEngine, pool: Pool) -> None:
    engine.disk["orphan"] = {naming.LABEL_INSTANCE: "test"}
    engine.disk["theirs"] = {naming.LABEL_INSTANCE: "other"}
    async with pool():
        assert set(engine.disk) == {"theirs"}


def reserve(sandboxes: Sandboxes) -> list[str]:
    return [status.name for status in sandboxes.list() if status.state == "reserve"]


async def test_a_channel_without_a_container_gets_one_of_the_reserve(engine: FakeEngine, pool: Pool) -> None:
    async with pool(reserve=2) as sandboxes:
        await until(lambda: len(reserve(sandboxes)) == 2)
        waiting = set(engine.rows)
        first = await hello(sandboxes)
        assert first in waiting
        assert engine.rows[first].name == naming.container_name("test", "c1")
        await until(lambda: len(reserve(sandboxes)) == 2)
        assert await hello(sandboxes) == first
        assert len(engine.rows) == 3
    assert not engine.rows


async def test_the_reserve_is_taken_over_and_never_sleeps(engine: FakeEngine, pool: Pool, clock: ManualClock) -> None:
    async with pool(reserve=1, keep=True, sleep_after_s=60) as sandboxes:
        await until(lambda: reserve(sandboxes))
        clock.advance(1000)
        for _ in range(20):
            await asyncio.sleep(0)
        (kept,) = engine.rows
    async with pool(reserve=1) as sandboxes:
        assert list(engine.rows) == [kept]
        assert await hello(sandboxes) == kept


async def test_the_reserve_gives_way_and_is_not_filled_without_room(engine: FakeEngine, pool: Pool) -> None:
    async with pool(reserve=1, most=2) as sandboxes:
        await until(lambda: reserve(sandboxes))
        async with sandboxes.lease("c1"), sandboxes.lease("c2"):
            assert len(engine.rows) == 2
            assert not reserve(sandboxes)


async def test_the_reserve_is_tried_again_after_a_while(engine: FakeEngine, pool: Pool, clock: ManualClock) -> None:
    engine.down = True
    async with pool(reserve=1) as sandboxes:
        await until(lambda: engine.calls.count("image_id") == 2 and not sandboxes.list())
        engine.down = False
        for _ in range(20):
            await asyncio.sleep(0)
        assert not engine.rows
        clock.advance(30)
        await until(lambda: reserve(sandboxes))


async def test_a_reserve_that_died_is_replaced_when_it_is_needed(engine: FakeEngine, pool: Pool) -> None:
    async with pool(reserve=1) as sandboxes:
        await until(lambda: reserve(sandboxes))
        engine.only.end()
        await hello(sandboxes)


async def test_an_old_container_with_the_channels_name_gives_way_to_the_reserve(engine: FakeEngine, pool: Pool) -> None:
    async with pool(reserve=1) as sandboxes:
        await until(lambda: reserve(sandboxes))
        labels = {naming.LABEL_INSTANCE: "test"}
        old = await engine.create(naming.container_name("test", "c1"), {"Labels": labels, "HostConfig": {"Mounts": []}})
        await hello(sandboxes)
        assert old not in engine.rows


@pytest.mark.parametrize("how", ["dead", "gone", "deaf"])
async def test_a_reserve_that_died_while_it_waited_costs_nobody_anything(
    engine: FakeEngine, pool: Pool, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr("executor.containers.PING_S", 0.05)
    async with pool(reserve=2) as sandboxes:
        await until(lambda: [status.state for status in sandboxes.list()] == ["reserve"] * 2)
        waiting = list(engine.rows.values())
        for row in waiting:
            if how == "deaf":
                row.supervisor.deaf = True
            elif how == "dead":
                row.end()
            else:
                del engine.rows[row.id]  # and the stream has not noticed
        container = await hello(sandboxes)
        assert container not in {row.id for row in waiting}
        await until(lambda: sum(status.state == "reserve" for status in sandboxes.list()) == 2)
        assert not {row.id for row in waiting} & set(engine.rows)
