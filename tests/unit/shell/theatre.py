"""Plays a script of events over one store and one platform, in as many lives of the bot as it takes."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

from bot.core.events import AnyEvent, ButtonPressed, MessageDeleted, MessageEdited, MessagePosted, Verb
from bot.core.state import ChannelState, Status
from bot.core.views.view import plain
from bot.ports import Store
from executor.fake_supervisor import Say
from tests.unit.shell.mortal import Fate, MortalGateway, MortalStore
from tests.unit.shell.world import ANA, ASKING, CHANNEL, KIM, LEE, World

Open = Callable[[], AbstractAsyncContextManager[Store]]

Script = Sequence[Callable[[World], Awaitable[AnyEvent]]]

PROGRAMS = {code: (Say(f"out of {code}\n"),) for code in ("one", "two", "three", "four")}


def base(number: int, world: World) -> dict[str, Any]:
    return {"id": f"e{number}", "channel": CHANNEL, "at": world.clock.now()}


def post(number: int, code: str, message: str) -> Callable[[World], Awaitable[AnyEvent]]:
    async def make(world: World) -> AnyEvent:
        return MessagePosted(**base(number, world), message=message, author=ANA, text=f"```python\n{code}\n```")

    return make


def edit(number: int, code: str, message: str) -> Callable[[World], Awaitable[AnyEvent]]:
    async def make(world: World) -> AnyEvent:
        return MessageEdited(**base(number, world), message=message, author=ANA, text=f"```python\n{code}\n```")

    return make


def delete(number: int, message: str) -> Callable[[World], Awaitable[AnyEvent]]:
    async def make(world: World) -> AnyEvent:
        return MessageDeleted(**base(number, world), message=message)

    return make


def press(number: int, verb: Verb, message: str) -> Callable[[World], Awaitable[AnyEvent]]:
    async def make(world: World) -> AnyEvent:
        request = (await world.store.find_by_source(CHANNEL, message))[-1]
        actor = KIM if number % 2 else LEE
        return ButtonPressed(
            **base(number, world), request=request.id, verb=verb, binding=request.binding[:8], actor=actor
        )

    return make


SCRIPT: Script = (
    post(1, "one", "m1"),
    press(2, Verb.APPROVE, "m1"),
    post(3, "two", "m2"),
    press(4, Verb.DENY, "m2"),
    edit(5, "three", "m1"),
    press(6, Verb.APPROVE, "m1"),
    post(7, "four", "m3"),
    edit(8, "five", "m3"),
    press(9, Verb.RUN_AGAIN, "m1"),
    press(10, Verb.APPROVE, "m1"),
    delete(11, "m3"),
)


@dataclass
class Ending:
    """What is left of it in the end."""

    state: ChannelState
    posts: list[tuple[str, str]]
    ran: Counter[str] = field(default_factory=Counter)


class Theatre:
    """`store` opens the same store for each life."""

    def __init__(self, store: Open, fate: Fate) -> None:
        self.open = store
        self.fate = fate
        self.world = World(PROGRAMS, ASKING, gateway=MortalGateway())
        self.ran: Counter[str] = Counter()
        self.lives = 0

    async def play(self, script: Script, restart_before: int | None = None) -> Ending:
        """`restart_before` is the number of the event before which the bot is stopped and started, in peace."""
        waiting = list(enumerate(script))
        event: AnyEvent | None = None
        while waiting:
            async with self._life():
                while waiting:
                    number, make = waiting[0]
                    if number == restart_before:
                        restart_before = None
                        break
                    event = event or await make(self.world)
                    if not await self._survives(self.world.gateway.bring(event)):
                        break
                    waiting.pop(0)
                    event = None
                    if not await self._survives(self._calm()):
                        break
        async with self._life():
            await self._calm()
        return await self._ending()

    def _life(self) -> "Life":
        self.lives += 1
        return Life(self)

    async def _survives(self, work: Awaitable[object]) -> bool:
        """Wait for the work to be done, or for the end of this life."""
        task = asyncio.ensure_future(work)
        death = asyncio.ensure_future(self.fate.dead.wait())
        try:
            await asyncio.wait([task, death], timeout=10, return_when=asyncio.FIRST_COMPLETED)
            if self.fate.dead.is_set():
                return False
            assert task.done(), "the bot neither lives nor is dead"
            task.result()
        finally:
            task.cancel()
            death.cancel()
            await asyncio.gather(task, death, return_exceptions=True)
        return True

    async def _calm(self) -> None:
        """Until nothing is owed and nothing is on its way; what waits for people may wait."""
        async with asyncio.timeout(10):
            while await self.world.store.owed() or await self._on_its_way():  # noqa: ASYNC110 - a store sets no event
                await asyncio.sleep(0.0005)

    async def _on_its_way(self) -> bool:
        return any(r.status in {Status.APPROVED, Status.RUNNING} for r in (await self.world.state()).requests)

    async def _ending(self) -> Ending:
        async with self.open() as store:
            state = (await store.load(CHANNEL)).state
            assert list(await store.owed()) == []
        posts = sorted((p.key, plain(p.view)) for p in self.world.posts)
        return Ending(state, posts, self.ran)


class Life:
    """One life of the bot: from opening the store to its end, peaceful or not."""

    def __init__(self, theatre: Theatre) -> None:
        self.theatre = theatre
        self.stack = AsyncExitStack()

    async def __aenter__(self) -> None:
        theatre = self.theatre
        if theatre.fate.dead.is_set():
            theatre.fate = Fate()
        gateway = theatre.world.gateway
        assert isinstance(gateway, MortalGateway)
        gateway.fate = theatre.fate
        theatre.world.store = MortalStore(await self.stack.enter_async_context(theatre.open()), theatre.fate)
        await self.stack.enter_async_context(theatre.world.running())

    async def __aexit__(self, *error: object) -> None:
        theatre = self.theatre
        theatre.fate.buried.set()
        theatre.ran.update(start.code.strip() for start in theatre.world.sandboxes.started)
        await self.stack.aclose()


async def check_restarts(undisturbed: Ending, new: Callable[[], Open]) -> None:
    """Stop and start in peace before each event; `new` gives an empty store."""
    for number in range(1, len(SCRIPT)):
        theatre = Theatre(new(), Fate())
        assert await theatre.play(SCRIPT, restart_before=number) == undisturbed, f"restart before event {number}"
        assert theatre.lives == 3


async def check_crashes(undisturbed: Ending, new: Callable[[], Open]) -> None:
    """Die at every point of the script, until it is over before the point is reached."""
    interrupted = 0
    for at in range(1, 1000):
        theatre = Theatre(new(), Fate(at))
        ending = await theatre.play(SCRIPT)
        if theatre.lives == 2:
            break
        broken = [r for r in ending.state.requests if r.status is Status.INTERRUPTED]
        interrupted += len(broken)
        assert not ending.ran - undisturbed.ran, f"something ran twice: crash at {at}"
        assert [key for key, _ in ending.posts] == [key for key, _ in undisturbed.posts], f"posts: crash at {at}"
        if not broken:
            assert ending == undisturbed, f"crash at {at}"
    assert at > 50, "the script passes more points than that"
    assert 0 < interrupted < at / 2
