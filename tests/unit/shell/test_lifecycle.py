import asyncio

import pytest

from adapters.memory.gateway import MemoryGateway
from adapters.storage.memory import MemoryStore
from bot.core.events import Verb
from bot.core.keys import ChannelKey
from bot.core.state import Status
from bot.ports import Dispatch, Loaded, PlatformUnavailable, StoreUnavailable
from executor.fake_supervisor import Hold
from executor.types import Outcome
from tests.unit.shell.world import ASKING, CHANNEL, LEE, OTHER, World, let_time_pass, until


class Mortal(MemoryGateway):
    """A connection that ends when it is told to, with or without an error."""

    def __init__(self) -> None:
        super().__init__()
        self.served_times = 0
        self.end = asyncio.Event()
        self.error: Exception | None = None

    async def serve(self, dispatch: Dispatch) -> None:
        self.served_times += 1
        self.end.clear()
        serving = asyncio.create_task(super().serve(dispatch))
        try:
            await self.end.wait()
        finally:
            serving.cancel()
            await asyncio.wait([serving])
        if self.error is not None:
            raise self.error


@pytest.mark.parametrize("error", [None, OSError("reset"), RuntimeError("odd")])
async def test_a_connection_that_ends_is_made_again(error: Exception | None) -> None:
    gateway = Mortal()
    gateway.error = error
    world = World({}, gateway=gateway)
    async with world.running():
        gateway.end.set()
        await until(lambda: not gateway.served.is_set() and world.clock.next_wake)
        assert gateway.served_times == 1
        world.clock.advance(1)
        await until(gateway.served.is_set)
        await world.run("x")
        await world.done()
    assert gateway.served_times == 2


async def test_what_ran_at_the_stop_is_said_to_be_interrupted() -> None:
    world = World({"slow": (Hold(asyncio.Event()),)})
    async with world.running():
        await world.run("slow")
        await until(lambda: world.runs)
    assert (await world.request()).status is Status.RUNNING
    async with world.running():
        await world.quiet()
        assert world.runs == 0
    assert (await world.request()).outcome is Outcome.INTERRUPTED
    assert "Interrupted by a restart".lower() in world.texts[0].lower()


async def test_what_was_owed_at_the_stop_is_done_at_the_start() -> None:
    world = World({}, ASKING)
    async with world.running():
        world.gateway.failures.append(PlatformUnavailable("no", retry_after_s=1000))
        await world.run("x")
        await until(lambda: not world.gateway.failures)
    assert world.posts == []
    async with world.running():
        await world.quiet()
        assert len(world.posts) == 1
        await world.press(await world.request(), Verb.APPROVE, LEE)
        await world.done()
    assert len(world.posts) == 1


async def test_deadlines_that_passed_while_it_was_away_are_noticed_at_the_start() -> None:
    world = World({}, ASKING)
    async with world.running():
        await world.run("x")
        await world.quiet()
    world.clock.advance(4000)
    async with world.running():
        await world.done()
    assert (await world.request()).status is Status.EXPIRED


async def test_a_channel_that_cannot_be_read_at_first_is_recovered_a_little_later() -> None:
    class AtFirst(MemoryStore):
        failures = 0

        async def load(self, channel: ChannelKey) -> Loaded:
            if self.failures:
                self.failures -= 1
                raise StoreUnavailable("not yet")
            return await super().load(channel)

    store = AtFirst()
    world = World({"slow": (Hold(asyncio.Event()),)}, store=store)
    async with world.running():
        await world.run("slow")
        await until(lambda: world.runs)
    store.failures = 2
    patience = asyncio.create_task(let_time_pass(world))
    async with world.running():
        patience.cancel()
        await world.quiet()
    assert (await world.request()).outcome is Outcome.INTERRUPTED


async def test_a_channel_that_cannot_be_recovered_does_not_keep_the_others_from_it() -> None:
    class Partly(MemoryStore):
        broken = False

        async def load(self, channel: ChannelKey) -> Loaded:
            if self.broken and channel == OTHER:
                raise StoreUnavailable("this one cannot be read")
            return await super().load(channel)

    store = Partly()
    world = World({}, ASKING, store=store)
    async with world.running():
        await world.run("x", channel=OTHER)
        await world.run("x")
        await world.quiet()
    store.broken = True
    patience = asyncio.create_task(let_time_pass(world))
    async with world.running():
        patience.cancel()
        await world.press(await world.request(), Verb.APPROVE, LEE)
        await until(lambda: world.runs)
        await world.done()
    assert (await world.request()).outcome is Outcome.COMPLETED


async def test_a_store_that_cannot_be_read_at_the_start_is_an_error_of_its_own_kind() -> None:
    class Unreadable(MemoryStore):
        async def halted_by(self) -> str | None:
            raise StoreUnavailable("The bot's database cannot be read just now.")

    with pytest.raises(StoreUnavailable):
        async with World({}, store=Unreadable()).running():
            pass


async def test_effects_for_a_platform_that_is_not_served_stay_owed() -> None:
    world = World({}, ASKING)
    async with world.running():
        await world.run("x")
        world.gateway.failures.append(PlatformUnavailable("no", retry_after_s=1000))
        await world.run("y", message="m2")
        await until(lambda: len(world.gateway.calls) == 2)
    owed = await world.store.owed()
    assert owed
    other = World({}, ASKING, store=world.store, gateway=MemoryGateway("elsewhere"))
    async with other.running():
        await asyncio.sleep(0.01)
    assert await world.store.owed() == owed
    assert CHANNEL.platform == "memory"
