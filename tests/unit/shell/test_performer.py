"""Effects against a platform, a store and sandboxes that fail, are slow, or have forgotten."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NoReturn

import pytest

from adapters.storage.memory import MemoryStore
from bot.core.effects import ChangeHalt, Effect, ShowAnswer, StartExecution, StopExecution
from bot.core.events import Verb
from bot.core.keys import Actor, ChannelKey
from bot.core.policy.rules import Policy
from bot.core.replies import ReplyKind
from bot.core.state import Status
from bot.ports import Commit, GatewayError, MessageGone, Owed, PlatformUnavailable, Sandbox, StoreUnavailable
from bot.shell.performer import lane_of
from executor.fake_supervisor import Die, Hold, Refuse, Say
from executor.types import BlockResult, Execution, ExecutionResult, OnOutput, Outcome
from tests.contract.samples import commit
from tests.unit.shell.world import ANA, ASKING, BO, CHANNEL, LEE, OTHER, ROOT, World, let_time_pass, until


async def asleep(world: World) -> float:
    """Until somebody waits for the clock beyond the running deadlines; for how long."""
    await until(lambda: world.clock.next_wake is not None)
    wake = world.clock.next_wake
    assert wake is not None
    return wake - world.clock.now()


async def idle(world: World) -> None:
    """Until nothing runs or is about to."""
    async with asyncio.timeout(5):
        while await world.is_busy():  # noqa: ASYNC110 - a store sets no event
            await asyncio.sleep(0.0005)


async def test_a_platform_that_does_not_answer_is_tried_again() -> None:
    world = World({"x": (Say("hi\n"),)})
    world.gateway.failures.extend([PlatformUnavailable("no"), PlatformUnavailable("no")])
    async with world.running():
        await world.run("x")
        await until(lambda: len(world.gateway.calls) == 1)
        await until(lambda: world.clock.next_wake)
        world.clock.advance(1.0)
        await until(lambda: len(world.gateway.calls) == 2)
        await until(lambda: world.clock.next_wake)
        world.clock.advance(1.9)
        await asyncio.sleep(0.01)
        assert len(world.gateway.calls) == 2
        world.clock.advance(0.2)
        await world.done()
    assert len(world.posts) == 1


async def test_patience_that_the_platform_asks_for_is_kept() -> None:
    world = World({"x": (Say("hi\n"),)})
    world.gateway.failures.append(PlatformUnavailable("slow down", retry_after_s=30))
    async with world.running():
        await world.run("x")
        await until(lambda: len(world.gateway.calls) == 1)
        assert await asleep(world) == 30
        world.clock.advance(30)
        await world.done()
    assert len(world.posts) == 1


async def test_a_post_whose_answer_was_lost_is_not_posted_twice() -> None:
    world = World({"x": (Say("hi\n"),)})
    world.gateway.late_failures.append(PlatformUnavailable("lost"))
    async with world.running():
        await world.run("x")
        await until(lambda: world.gateway.calls)
        await asleep(world)
        world.clock.advance(1)
        await world.done()
    assert len(world.posts) == 1
    assert (await world.request()).answer is not None


@pytest.mark.parametrize("error", [MessageGone("gone"), GatewayError("odd")])
async def test_what_can_never_be_posted_is_let_go_and_what_is_odd_is_tried_again(error: GatewayError) -> None:
    world = World({})
    world.gateway.failures.append(error)
    async with world.running():
        await world.run("x")
        await until(lambda: world.gateway.calls)
        if not isinstance(error, MessageGone):
            await asleep(world)
            assert await world.store.owed()
            world.clock.advance(1)
        await world.done()
    assert len(world.posts) == (0 if isinstance(error, MessageGone) else 1)
    answer = (await world.request()).answer
    assert (answer is None) == isinstance(error, MessageGone), "what can never be posted is not waited for"


async def test_only_the_newest_look_of_a_post_is_sent_once_the_platform_is_back() -> None:
    world = World({"x": (Say("hi\n"),)}, ASKING)
    async with world.running():
        await world.run("x")
        await world.quiet()
        world.gateway.failures.append(PlatformUnavailable("no", retry_after_s=5))
        await world.press(await world.request(), Verb.APPROVE, LEE)
        await until(lambda: not world.gateway.failures)
        await idle(world)
        before = len(world.gateway.calls)
        world.clock.advance(5)
        await world.done()
        edits = [call for call in world.gateway.calls[before:] if call.startswith("edit")]
    assert len(edits) == 1
    assert "hi" in world.texts[0]


async def test_an_answer_is_removed_after_the_post_that_is_in_flight() -> None:
    world = World({})
    gate = asyncio.Event()

    async def wait(call: str) -> None:
        if call.startswith("post"):
            await gate.wait()

    world.gateway.before = wait
    async with world.running():
        await world.run("x")
        await until(lambda: world.gateway.calls)
        await world.delete()
        await asyncio.sleep(0.01)
        assert len(world.gateway.calls) == 1
        gate.set()
        await world.quiet()
    assert world.posts == []


async def test_an_answer_whose_id_was_never_saved_is_found_and_removed() -> None:
    world = World({}, ASKING)
    async with world.running():
        world.gateway.late_failures.append(PlatformUnavailable("lost", retry_after_s=1000))
        await world.run("x")
        await until(lambda: world.posts)
        await world.delete()
    assert len(world.posts) == 1
    async with world.running():
        await world.quiet()
    assert world.posts == []
    assert not [call for call in world.gateway.calls[1:] if call.startswith("post")]


async def test_live_output_stays_away_while_something_of_the_workspace_is_repeated() -> None:
    first, second = asyncio.Event(), asyncio.Event()
    world = World({"slow": (Hold(first), Say("one\n"), Hold(second))})
    async with world.running():
        await world.run("slow")
        await until(lambda: world.runs)
        world.clock.advance(0.4)
        await until(lambda: world.posts)
        await world.quiet()
        world.gateway.failures.append(PlatformUnavailable("slow down", retry_after_s=20))
        await world.say("no fence", BO, "m2", addressed=True)
        await until(lambda: not world.gateway.failures)
        first.set()
        for _ in range(10):
            world.clock.advance(1.0)
            await asyncio.sleep(0.005)
        assert "one" not in world.texts[0]
        for _ in range(15):
            world.clock.advance(1.0)
            await asyncio.sleep(0.005)
        await until(lambda: "one" in world.texts[0])
        second.set()
        await world.done()


async def test_a_sandbox_that_is_lost_is_said() -> None:
    world = World({"x": (Die(),)})
    async with world.running():
        await world.run("x")
        await world.done()
    request = await world.request()
    assert (request.status, request.outcome) == (Status.ENDED, Outcome.LOST)
    assert request.reference is not None
    assert request.reference in world.texts[0]


async def test_what_the_sandbox_refuses_is_said() -> None:
    world = World({"x": (Refuse("bad_request", "The request is too large."),)})
    async with world.running():
        await world.run("x")
        await world.done()
    assert (await world.request()).outcome is Outcome.REFUSED
    assert "The request is too large." in world.texts[0]


async def test_voters_are_looked_up_at_the_same_time_and_only_where_people_decided() -> None:
    world = World({}, of_two())
    waiting: list[str] = []
    together = asyncio.Event()

    async def meet(call: str) -> None:
        if call.startswith("look_up"):
            waiting.append(call)
            if len(waiting) == 2:
                together.set()
            await together.wait()

    world.gateway.before = meet
    async with world.running():
        await world.run("x")
        await world.quiet()
        await world.press(await world.request(), Verb.APPROVE, LEE)
        await world.press(await world.request(), Verb.APPROVE, Actor("memory:kim", "kim", LEE.standing))
        await world.done()
    assert sorted(waiting) == ["look_up memory:kim", "look_up memory:lee"]


def of_two() -> Policy:
    demand = ASKING.default_approve
    return ASKING.model_copy(
        update={
            "default_approve": demand.model_copy(update={"needs": (demand.needs[0].model_copy(update={"need": 2}),)})
        }
    )


async def test_a_voter_who_cannot_be_looked_up_holds_the_run() -> None:
    world = World({}, ASKING)
    async with world.running():
        await world.run("x")
        await world.quiet()
        world.gateway.failures.append(PlatformUnavailable("no"))
        reply = await world.press(await world.request(), Verb.APPROVE, LEE)
        assert reply.kind is ReplyKind.DONE
        await until(lambda: not world.gateway.failures)
        world.clock.advance(40)
        await world.done()
    assert (await world.request()).outcome is Outcome.COMPLETED


async def test_input_files_go_in_and_missing_ones_hold_the_run() -> None:
    world = World({})
    ref = await world.blobs.put(b"1,2\n", "data.csv")
    gone = ref.model_copy(update={"sha256": "0" * 64, "name": "gone.csv"})
    async with world.running():
        await world.run("x", files=(ref,))
        await world.done()
        [start] = world.sandboxes.started
        assert [file.path for file in start.files] == ["data.csv"]
        await world.run("x", message="m2", files=(gone,))
        await until(lambda: len(world.posts) == 2)
        request = await world.request(1)
    assert request.status is Status.APPROVED
    assert "gone.csv" in (request.held or "")


async def test_output_is_shown_while_it_runs_at_the_pace_of_the_platform() -> None:
    first, second = asyncio.Event(), asyncio.Event()
    world = World({"slow": (Say("one\n"), Hold(first), Say("two\n"), Hold(second))})
    async with world.running():
        await world.run("slow")
        await until(lambda: world.runs)
        world.clock.advance(0.4)
        await until(lambda: world.posts)
        await world.quiet()
        assert "one" in world.texts[0]
        first.set()
        await asyncio.sleep(0.02)
        assert "two" not in world.texts[0]
        for _ in range(2):
            world.clock.advance(1.0)
            await asyncio.sleep(0.01)
        await until(lambda: "two" in world.texts[0])
        assert "running" in world.texts[0]
        [post] = world.posts
        assert post.edits == 1
        second.set()
        await world.done()
    assert "✅" in world.texts[0]


async def test_live_output_is_given_up_while_the_platform_is_slow_and_the_end_is_not() -> None:
    go_on = asyncio.Event()
    world = World({"slow": (Say("one\n"), Hold(go_on))})
    async with world.running():
        await world.run("slow")
        await until(lambda: world.runs)
        world.clock.advance(0.4)
        await until(lambda: world.posts)
        await world.quiet()
        world.gateway.failures.append(PlatformUnavailable("slow down", retry_after_s=60))
        world.clock.advance(1.0)
        await until(lambda: not world.gateway.failures)
        go_on.set()
        await world.done()
    assert "✅" in world.texts[0]


async def test_a_halt_stops_everything_everywhere_and_outlives_a_restart() -> None:
    world = World({"slow": (Hold(asyncio.Event()),)})
    async with world.running():
        await world.run("slow")
        await until(lambda: world.runs)
        await world.command("halt", ROOT, OTHER)
        await world.done()
        assert (await world.request()).outcome is Outcome.CANCELLED
    assert await world.store.halted_by() == "root"
    async with world.running():
        await world.run("fast", BO, "m2")
        await world.quiet()
        assert world.runs == 0
        await world.command("resume", ROOT)
        await world.done()
        assert world.runs == 1
    assert await world.store.halted_by() is None


class Reluctant(MemoryStore):
    refusals = 1

    async def set_halted(self, by: str | None) -> None:
        if self.refusals:
            self.refusals -= 1
            raise StoreUnavailable("not yet")
        await super().set_halted(by)


async def test_a_halt_that_was_taken_back_before_it_took_effect_stops_nothing() -> None:
    store = Reluctant()
    world = World({"slow": (Hold(asyncio.Event()),)}, store=store)
    async with world.running():
        await world.run("slow")
        await until(lambda: world.runs)
        await world.command("halt")
        await until(lambda: not store.refusals)
        await world.command("resume")
        patience = asyncio.create_task(let_time_pass(world))
        await world.quiet()
        patience.cancel()
        assert await store.halted_by() is None
        assert (await world.request()).stopping is False


class Broken:
    """`bot.ports.Sandboxes` with a fault that nobody thought of, when leasing or when executing."""

    def __init__(self, in_lease: bool) -> None:
        self.in_lease = in_lease

    @asynccontextmanager
    async def lease(self, channel: str) -> AsyncIterator[Sandbox]:
        if self.in_lease:
            raise RuntimeError("a fault")
        yield self

    async def execute(self, execution: Execution, on_output: OnOutput) -> ExecutionResult:
        raise RuntimeError("a fault")

    async def cancel(self, execution_id: str) -> bool:
        return False


async def test_a_fault_before_the_run_holds_it() -> None:
    world = World({})
    async with world.running(Broken(in_lease=True)):
        await world.run("x")
        await until(lambda: world.posts)
        await world.quiet()
    request = await world.request()
    assert request.status is Status.APPROVED
    assert request.reference is not None
    assert "went wrong on our side" in (request.held or "")
    assert "a fault" not in world.texts[0]


async def test_a_fault_in_the_run_ends_it() -> None:
    world = World({})
    async with world.running(Broken(in_lease=False)):
        await world.run("x")
        await world.done()
    request = await world.request()
    assert request.outcome is Outcome.LOST
    assert "a fault" not in world.texts[0]


async def test_a_post_that_cannot_be_drawn_hurts_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World({})
    async with world.running():
        await world.run("x")
        await world.done()
        [request] = (await world.state()).requests
        assert request.answer is not None
        with monkeypatch.context() as patch:
            patch.setattr(world.bot._sites, "_site_of", _raise)
            assert world.bot._performer is not None
            effect = ShowAnswer(request=request.id, answer=request.answer.key)
            world.bot._performer.take([Owed(10_000, CHANNEL, effect)])
            await asyncio.sleep(0.01)
        await world.run("y", BO, "m2")
        await world.done()
    assert len(world.posts) == 2


def _raise(channel: ChannelKey) -> NoReturn:
    raise RuntimeError(f"no site for {channel}")


def test_what_changes_one_thing_is_in_one_lane() -> None:
    def lane(effect: Effect, channel: ChannelKey = CHANNEL) -> tuple[str, ...]:
        return lane_of(Owed(1, channel, effect))

    halt = ChangeHalt(halted=True, by="root")
    assert lane(halt) == lane(halt, OTHER)
    show = ShowAnswer(request="r1", answer="a-r1")
    assert lane(show) == lane(ShowAnswer(request="r2", answer="a-r1"))
    assert lane(show) != lane(show, OTHER)
    assert lane(StartExecution(request="r1")) != lane(StopExecution(request="r1", execution="r1.1"))


class Deaf:
    """`bot.ports.Sandboxes` that knows an execution only at the third asking, as one that is just being started."""

    def __init__(self) -> None:
        self.asked = 0
        self.ended = asyncio.Event()
        self.began = asyncio.Event()

    @asynccontextmanager
    async def lease(self, channel: str) -> AsyncIterator[Sandbox]:
        yield self

    async def execute(self, execution: Execution, on_output: OnOutput) -> ExecutionResult:
        self.began.set()
        await self.ended.wait()
        return ExecutionResult((BlockResult(Outcome.CANCELLED, 130),))

    async def cancel(self, execution_id: str) -> bool:
        self.asked += 1
        if self.asked == 3:
            self.ended.set()
        return self.ended.is_set()


async def test_a_stop_that_comes_too_early_is_repeated() -> None:
    world, deaf = World({}), Deaf()
    async with world.running(deaf):
        await world.run("x")
        await until(deaf.began.is_set)
        await world.press(await world.request(), Verb.STOP, ANA)
        patience = asyncio.create_task(let_time_pass(world))
        await world.done()
        patience.cancel()
    assert deaf.asked == 3
    assert (await world.request()).outcome is Outcome.CANCELLED


async def test_a_stop_of_what_does_not_run_here_is_done() -> None:
    world = World({})
    async with world.running():
        assert world.bot._performer is not None
        effect = StopExecution(request="r1", execution="r1.1")
        [owed] = await world.store.save(commit(0, "e", effects=(effect,), channel=CHANNEL))
        world.bot._performer.take([owed])
        await world.quiet()


class Failing(MemoryStore):
    """Fails to save ends, `times` times, with `error`."""

    def __init__(self, error: Exception, times: int) -> None:
        super().__init__()
        self.error = error
        self.times = times

    async def save(self, commit: Commit) -> tuple[Owed, ...]:
        if self.times and any(r.blocks for r in commit.requests):
            self.times -= 1
            raise self.error
        return await super().save(commit)


async def test_an_end_is_kept_until_the_store_takes_it() -> None:
    store = Failing(StoreUnavailable("the disk is full"), 3)
    world = World({"x": (Say("hi\n"),)}, store=store)
    async with world.running():
        await world.run("x")
        patience = asyncio.create_task(let_time_pass(world))
        await world.done()
        patience.cancel()
        assert world.runs == 1
    assert store.times == 0
    assert "hi" in world.texts[0]


async def test_an_end_that_cannot_be_saved_as_it_is_is_an_end_all_the_same() -> None:
    store = Failing(ValueError("not JSON"), 1000)
    world = World({"x": (Say("hi\n"),)}, store=store)
    async with world.running():
        await world.run("x")
        await world.done()
    request = await world.request()
    assert request.outcome is Outcome.LOST
    assert "could not be saved" in (request.held or "")
    assert "not JSON" not in world.texts[0]


async def test_the_clock_of_a_silent_run_moves() -> None:
    go_on = asyncio.Event()
    world = World({"silent": (Hold(go_on),)})
    async with world.running():
        await world.run("silent")
        await until(lambda: world.runs)
        world.clock.advance(0.4)
        await until(lambda: world.posts)
        await world.quiet()
        for _ in range(12):
            world.clock.advance(1.0)
            await asyncio.sleep(0.005)
        await until(lambda: "running · 1" in world.texts[0])
        go_on.set()
        await world.done()
