import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from adapters.storage.memory import MemoryStore
from bot.core.events import AnswerPosted, AnyEvent, ButtonPressed, CommandIssued, MessageEdited, MessagePosted, Verb
from bot.core.keys import ChannelKey
from bot.core.limits import EDIT_WINDOW_S
from bot.core.replies import Reply, ReplyKind
from bot.core.state import ChannelState
from bot.ports import Commit, Loaded, Owed, StoreUnavailable
from bot.shell import dispatcher as dispatching
from bot.shell import mailbox as mailboxes
from bot.shell.dispatcher import Dispatcher
from bot.shell.mailbox import StepFailed
from bot.shell.sites import Sites
from tests.unit.shell.world import ANA, ASKING, CHANNEL, LEE, OTHER, World, until

AT = 1_700_000_000.0


class Faulty(MemoryStore):
    """Fails, or waits, on command."""

    def __init__(self) -> None:
        super().__init__()
        self.saves = 0
        self.loads = 0
        self.fail: list[Exception] = []
        self.fail_late: list[Exception] = []
        self.gate: asyncio.Event | None = None

    async def load(self, channel: ChannelKey) -> Loaded:
        self.loads += 1
        return await super().load(channel)

    async def save(self, commit: Commit) -> tuple[Owed, ...]:
        self.saves += 1
        if self.gate is not None:
            await self.gate.wait()
        if self.fail:
            raise self.fail.pop(0)
        owed = await super().save(commit)
        if self.fail_late:
            raise self.fail_late.pop(0)
        return owed


@dataclass
class Office:
    store: Faulty = field(default_factory=Faulty)
    world: World = field(default_factory=lambda: World({}, ASKING))
    told: list[tuple[ChannelKey, tuple[Owed, ...], float | None]] = field(default_factory=list)
    dispatcher: Dispatcher = field(init=False)

    def __post_init__(self) -> None:
        self.dispatcher = Dispatcher(self.store, Sites(self.world.site), lambda *after: self.told.append(after))

    @property
    def owed(self) -> list[Owed]:
        return [owed for _, several, _ in self.told for owed in several]

    async def state(self) -> ChannelState:
        return (await self.store.load(CHANNEL)).state


@asynccontextmanager
async def office() -> AsyncIterator[Office]:
    it = Office()
    async with it.dispatcher.open():
        yield it


def ask(event_id: str = "e1", message: str = "m1", channel: ChannelKey = CHANNEL, at: float = AT) -> AnyEvent:
    return MessagePosted(
        id=event_id, channel=channel, at=at, message=message, author=ANA, text=f"```python\n{message}\n```"
    )


async def click(
    it: Office, event_id: str = "click", verb: Verb = Verb.APPROVE, at: float = AT, channel: ChannelKey = CHANNEL
) -> ButtonPressed:
    request = (await it.state()).requests[0]
    return ButtonPressed(
        id=event_id,
        channel=channel,
        at=at,
        request=request.id,
        verb=verb,
        binding=request.binding[:8],
        actor=LEE,
    )


async def posted(it: Office) -> AnswerPosted:
    answer = (await it.state()).requests[0].answer
    assert answer is not None
    return AnswerPosted(id="p", channel=CHANNEL, at=AT, key=answer.key, message="b1")


async def test_a_step_is_saved_before_anything_comes_of_it() -> None:
    async with office() as it:
        it.store.gate = asyncio.Event()
        task = asyncio.create_task(it.dispatcher.dispatch(ask()))
        await until(lambda: it.store.saves)
        assert not task.done()
        assert it.told == []
        it.store.gate.set()
        assert await task == ()
        [(channel, owed, deadline)] = it.told
    assert channel == CHANNEL
    assert owed == tuple(await it.store.owed())
    assert deadline == AT + 3600


async def test_events_of_a_channel_are_stepped_in_the_order_of_their_arrival() -> None:
    async with office() as it:
        await asyncio.gather(*(it.dispatcher.dispatch(ask(f"e{n}", f"m{n}")) for n in range(15)))
        assert [r.source for r in (await it.state()).requests] == [f"m{n}" for n in range(15)]
    assert it.store.loads == 2, "the state is read once, and once by this test"


async def test_a_duplicate_changes_nothing_and_says_nothing() -> None:
    async with office() as it:
        await it.dispatcher.dispatch(ask())
        approve = await click(it)
        assert [reply.kind for reply in await it.dispatcher.dispatch(approve)] == [ReplyKind.DONE]
        before = await it.state()
        for _ in range(2):
            assert await it.dispatcher.dispatch(approve) == ()
        assert await it.state() == before


async def test_a_duplicate_from_before_the_restart_is_known_too() -> None:
    async with office() as first:
        await first.dispatcher.dispatch(ask())
        approve = await click(first)
        await first.dispatcher.dispatch(approve)
    second = Office(store=first.store)
    async with second.dispatcher.open():
        assert await second.dispatcher.dispatch(approve) == ()
        assert await second.dispatcher.dispatch(ask()) == ()
        assert len((await second.state()).requests) == 1


async def test_a_duplicate_settles_what_it_was_about() -> None:
    async with office() as it:
        await it.dispatcher.dispatch(ask())
        [owed] = it.owed
        event = await posted(it)
        await it.dispatcher.deliver(event)
        assert await it.store.owed() == [owed]
        await it.dispatcher.deliver(event, settles=(owed.seq,))
        assert await it.store.owed() == []


async def test_an_event_that_changes_nothing_is_not_saved() -> None:
    async with office() as it:
        plain = MessagePosted(id="e1", channel=CHANNEL, at=AT, message="m1", author=ANA, text="just talking")
        assert await it.dispatcher.dispatch(plain) == ()
        assert it.store.saves == 0
        await it.dispatcher.dispatch(ask("e2"))
        [owed] = it.owed
        await it.dispatcher.deliver(
            MessagePosted(id="e3", channel=CHANNEL, at=AT, message="m1", author=ANA, text="hm"), settles=(owed.seq,)
        )
        assert it.store.saves == 1
        assert await it.store.owed() == []


async def test_another_process_that_saved_in_between_is_taken_into_account() -> None:
    async with office() as it:
        await it.dispatcher.dispatch(ask())
        other = Office(store=it.store)
        async with other.dispatcher.open():
            await other.dispatcher.dispatch(ask("e2", "m2"))
        await it.dispatcher.dispatch(ask("e3", "m3"))
        assert [r.source for r in (await it.state()).requests] == ["m1", "m2", "m3"]


async def test_two_processes_give_one_answer_to_one_event() -> None:
    async with office() as it:
        other = Office(store=it.store)
        async with other.dispatcher.open():
            await it.dispatcher.dispatch(ask())
            await other.dispatcher.dispatch(ask())
            assert len((await it.state()).requests) == 1
            replies = await asyncio.gather(
                it.dispatcher.dispatch(await click(it)), other.dispatcher.dispatch(await click(it))
            )
    assert sorted(len(reply) for reply in replies) == [0, 1]


async def test_a_store_that_fails_is_said_and_the_next_event_goes_on() -> None:
    async with office() as it:
        it.store.fail = [StoreUnavailable("the disk is full")]
        [reply] = await it.dispatcher.dispatch(ask())
        assert reply.kind is ReplyKind.FAILED
        assert "reference" in reply.text
        assert "disk" not in reply.text
        assert it.told == []
        assert await it.dispatcher.dispatch(ask()) == ()
        assert len((await it.state()).requests) == 1


async def test_effects_of_a_save_whose_answer_was_lost_are_handed_on_at_the_second_try() -> None:
    async with office() as it:
        it.store.fail_late = [StoreUnavailable("no answer")]
        with pytest.raises(StepFailed) as caught:
            await it.dispatcher.deliver(ask())
        assert caught.value.again
        assert await it.dispatcher.deliver(ask()) == ()
        assert it.owed == list(await it.store.owed())
        assert len(it.owed) == 1


async def test_a_step_that_fails_kills_nothing() -> None:
    async with office() as it:
        it.world.limits = None  # type: ignore[assignment]
        [reply] = await it.dispatcher.dispatch(ask())
        assert reply.kind is ReplyKind.FAILED
        with pytest.raises(StepFailed) as caught:
            await it.dispatcher.deliver(ask())
        assert not caught.value.again
        it.world.limits = World().limits
        assert await it.dispatcher.dispatch(ask()) == ()


async def test_a_caller_that_goes_away_takes_nothing_with_it() -> None:
    async with office() as it:
        it.store.gate = asyncio.Event()
        task = asyncio.create_task(it.dispatcher.dispatch(ask()))
        await until(lambda: it.store.saves)
        task.cancel()
        await asyncio.wait([task])
        it.store.gate.set()
        await it.dispatcher.dispatch(ask("e2", "m2"))
        assert [r.source for r in (await it.state()).requests] == ["m1", "m2"]


@pytest.mark.parametrize(("waiting", "refused"), [(-1, 0), (0, 0), (1, 1)])
async def test_a_full_mailbox_says_so(waiting: int, refused: int) -> None:
    async with office() as it:
        it.store.gate = asyncio.Event()
        first = asyncio.create_task(it.dispatcher.dispatch(ask()))
        await until(lambda: it.store.saves)
        rest = [
            asyncio.create_task(it.dispatcher.dispatch(ask(f"f{n}", f"f{n}")))
            for n in range(mailboxes.CAPACITY + waiting)
        ]
        await asyncio.sleep(0)
        it.store.gate.set()
        replies: list[Reply] = [reply for result in await asyncio.gather(first, *rest) for reply in result]
    assert [reply.kind for reply in replies] == [ReplyKind.FAILED] * refused


async def test_a_stop_lets_steps_finish_and_takes_no_new_ones() -> None:
    it, opened = Office(), asyncio.Event()

    async def live() -> None:
        async with it.dispatcher.open():
            opened.set()
            await asyncio.Event().wait()

    life = asyncio.create_task(live())
    await opened.wait()
    it.store.gate = asyncio.Event()
    begun = asyncio.create_task(it.dispatcher.dispatch(ask()))
    await until(lambda: it.store.saves)
    life.cancel()
    await asyncio.sleep(0.01)
    [reply] = await it.dispatcher.dispatch(ask("e2"))
    assert reply.kind is ReplyKind.FAILED
    it.store.gate.set()
    assert await begun == ()
    await asyncio.wait([life])
    assert len((await it.state()).requests) == 1


async def test_a_step_that_does_not_end_does_not_keep_the_bot_from_stopping(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatching, "DRAIN_S", 0.01)
    it = Office()
    async with it.dispatcher.open():
        it.store.gate = asyncio.Event()
        begun = asyncio.create_task(it.dispatcher.dispatch(ask()))
        await until(lambda: it.store.saves)
    await asyncio.wait([begun])
    assert begun.cancelled()


async def test_an_old_button_brings_its_request_back() -> None:
    async with office() as it:
        await it.dispatcher.dispatch(ask())
        late = AT + EDIT_WINDOW_S + 1
        approve = await click(it, "late", at=late)
        await it.dispatcher.dispatch(await click(it, "deny", Verb.DENY))
        await it.dispatcher.deliver(await posted(it))
        await it.dispatcher.dispatch(ask("e2", "m2", at=late))
        assert [r.source for r in (await it.state()).requests] == ["m2"]
        saves = it.store.saves
        [reply] = await it.dispatcher.dispatch(approve)
        assert reply.kind is ReplyKind.GONE
        assert it.store.saves == saves


async def test_the_history_knows_what_has_left_the_state() -> None:
    async with office() as it:
        await it.dispatcher.dispatch(ask())
        late = AT + EDIT_WINDOW_S + 1
        await it.dispatcher.dispatch(await click(it, "deny", Verb.DENY))
        await it.dispatcher.deliver(await posted(it))
        await it.dispatcher.dispatch(ask("e2", "m2", at=late))
        saves = it.store.saves
        event = CommandIssued(id="c1", channel=CHANNEL, at=late, actor=ANA, text="history")
        [reply] = await it.dispatcher.dispatch(event)
        assert [line.partition(" ·")[0] for line in reply.text.splitlines()] == ["waiting", "denied"]
        assert it.store.saves == saves, "looking back changes nothing"


async def test_a_button_of_another_channel_is_unknown_here() -> None:
    async with office() as it:
        await it.dispatcher.dispatch(ask())
        [reply] = await it.dispatcher.dispatch(await click(it, channel=OTHER))
        assert reply.kind is ReplyKind.UNKNOWN


async def test_an_edit_of_an_old_message_knows_what_came_of_it() -> None:
    async with office() as it:
        await it.dispatcher.dispatch(ask())
        late = AT + EDIT_WINDOW_S + 1
        await it.dispatcher.dispatch(await click(it, "deny", Verb.DENY))
        await it.dispatcher.deliver(await posted(it))
        await it.dispatcher.dispatch(ask("e2", "m2", at=late))
        assert [r.source for r in (await it.state()).requests] == ["m2"]
        code = "```python\nnew\n```"
        edit = MessageEdited(id="e3", channel=CHANNEL, at=late, message="m1", author=ANA, text=code, posted_at=late - 1)
        await it.dispatcher.dispatch(edit)
        assert [r.source for r in (await it.state()).requests] == ["m2"], "an edit so late runs nothing"


async def test_idle_mailboxes_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatching, "KEPT", 3)
    async with office() as it:
        for n in range(10):
            await it.dispatcher.dispatch(ask(f"e{n}", channel=ChannelKey("memory", "home", f"c{n}")))
            assert len(it.dispatcher._mailboxes) <= 4
        assert it.store.loads == 10
        await it.dispatcher.state(ChannelKey("memory", "home", "c9"))
        assert it.store.loads == 10
        await it.dispatcher.dispatch(ask("again", "m2", channel=ChannelKey("memory", "home", "c0")))
        assert it.store.loads == 11
