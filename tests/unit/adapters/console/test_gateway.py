import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from adapters.console.gateway import ConsoleGateway, Terminal
from adapters.console.journal import Journal, open_journal
from adapters.console.people import Person
from bot.core.buttons import button_value
from bot.core.events import (
    AnyEvent,
    ButtonPressed,
    CommandIssued,
    MessageDeleted,
    MessageEdited,
    MessagePosted,
    Verb,
)
from bot.core.keys import ChannelKey
from bot.core.replies import Choice, Reply, ReplyKind
from bot.core.reports import FileRef
from bot.core.views.view import Button, Headline, View
from bot.ports import MessageGone

CHANNEL = ChannelKey("console", "local", "general")
PEOPLE = {p.id: p for p in (Person("ana", "member"), Person("lee", "lead"), Person("root", "admin"))}
APPROVE = Button("approve", "Approve", button_value("r1", Verb.APPROVE, "0123abcd"), "primary")
CARD = View((Headline("🔒", "ana wants"),), status="waiting", buttons=(APPROVE,))
DONE = View((Headline("✅", "done"),), status="completed")


@dataclass
class Desk:
    """A gateway at a terminal that is a list."""

    path: Path
    stack: ExitStack
    replies: tuple[Reply, ...] = ()
    printed: list[str] = field(default_factory=list)
    events: list[AnyEvent] = field(default_factory=list)
    settled: list[bool] = field(default_factory=list)

    def open(self, *lines: str) -> ConsoleGateway:
        async def typed() -> AsyncIterator[str]:
            for line in lines:
                yield line

        async def settled(ended: bool) -> None:
            self.settled.append(ended)

        async def keep(file: FileRef, message: str) -> str:
            return f"/kept/{message}-{file.name}"

        terminal = Terminal(typed(), self.printed.append, settled, keep, now=lambda: 5.0)
        return ConsoleGateway(CHANNEL, PEOPLE, "ana", self.journal(), terminal)

    def journal(self) -> Journal:
        return self.stack.enter_context(open_journal(self.path))

    async def dispatch(self, event: AnyEvent) -> tuple[Reply, ...]:
        self.events.append(event)
        return self.replies

    async def type(self, *lines: str) -> ConsoleGateway:
        gateway = self.open(*lines)
        await self.run(gateway)
        return gateway

    async def run(self, gateway: ConsoleGateway) -> None:
        task = asyncio.create_task(gateway.serve(self.dispatch))
        async with asyncio.timeout(5):
            await gateway.finished.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with ExitStack() as stack:
        yield Desk(tmp_path / "messages.jsonl", stack)


async def test_messages_edits_and_deletions_become_events(desk: Desk) -> None:
    await desk.type("```py", "1", "```", "/edit ```py", "2", "```", "/as lee", "hello", "/delete", "/delete #1")
    posted, edited, second, deleted = desk.events
    assert isinstance(posted, MessagePosted)
    assert (posted.text, posted.message, posted.author.id) == ("```py\n1\n```", "1", "console:ana")
    assert isinstance(edited, MessageEdited)
    assert (edited.text, edited.message, edited.posted_at) == ("```py\n2\n```", "1", 5.0)
    assert isinstance(second, MessagePosted)
    assert second.author.id == "console:lee"
    assert isinstance(deleted, MessageDeleted)
    assert deleted.message == second.message
    assert desk.printed[-1] == "   You have no such message."  # lee may not delete ana's
    assert len({event.id for event in desk.events}) == 4


async def test_buttons_are_pressed_by_number_or_name_on_the_latest_or_a_named_answer(desk: Desk) -> None:
    gateway = desk.open("/press 1", "/press approve because", "/press #1 approve", "/press deny", "/press #7 1")
    await gateway.post(CHANNEL, "k1", None, None, CARD)
    await gateway.post(CHANNEL, "k2", None, None, DONE)
    await desk.run(gateway)
    clicks = [event for event in desk.events if isinstance(event, ButtonPressed)]
    assert [(c.request, c.verb, c.binding, c.reason) for c in clicks] == [
        ("r1", Verb.APPROVE, "0123abcd", None),
        ("r1", Verb.APPROVE, "0123abcd", "because"),
        ("r1", Verb.APPROVE, "0123abcd", None),
    ]
    assert sum("There is no button" in line for line in desk.printed) == 2


async def test_what_a_click_still_needs_is_asked_for_and_can_be_given(desk: Desk) -> None:
    desk.replies = (Reply(ReplyKind.CHOOSE, choices=(Choice("exact", "This exact code"), Choice("shape", "Like it"))),)
    gateway = desk.open("/press 1", "/press 1 2")
    await gateway.post(CHANNEL, "k1", None, None, CARD)
    await desk.run(gateway)
    assert "   2  Like it" in desk.printed
    assert "   Type: /press 1 NUMBER" in desk.printed
    assert [e.choice for e in desk.events if isinstance(e, ButtonPressed)] == [None, "shape"]


async def test_replies_cannot_move_the_cursor(desk: Desk) -> None:
    desk.replies = (Reply(ReplyKind.FORBIDDEN, "no \x1b[2Jway"),)
    await desk.type("/fencepost halt")
    assert isinstance(desk.events[0], CommandIssued)
    assert "   no way" in desk.printed


async def test_a_post_is_made_once_for_a_key_also_after_a_restart(desk: Desk) -> None:
    first = desk.open()
    message = await first.post(CHANNEL, "k1", "1", None, CARD)
    assert await first.post(CHANNEL, "k1", "1", None, CARD) == message
    again = desk.open()
    assert await again.find(CHANNEL, "k1") == message
    assert await again.post(CHANNEL, "k1", "1", None, DONE) == message
    assert await again.find(CHANNEL, "k2") is None
    assert sum("ana wants" in line for line in desk.printed) == 1


async def test_after_a_restart_what_is_open_is_shown_and_can_be_pressed(desk: Desk) -> None:
    first = desk.open()
    await first.post(CHANNEL, "k1", None, None, CARD)
    await first.post(CHANNEL, "k2", None, None, DONE)
    desk.printed.clear()
    await desk.type("/press approve")
    assert desk.printed[:2] == ["#1 🔒 ana wants", "   [1 Approve]"]
    assert len(desk.events) == 1


async def test_a_message_that_is_gone_is_said_to_be(desk: Desk) -> None:
    gateway = desk.open()
    message = await gateway.post(CHANNEL, "k1", None, None, DONE)
    await gateway.delete(CHANNEL, message)
    for call in (gateway.delete(CHANNEL, message), gateway.edit(CHANNEL, message, DONE)):
        with pytest.raises(MessageGone):
            await call
    with pytest.raises(MessageGone):
        await gateway.edit(ChannelKey("console", "local", "data"), "1", DONE)


async def test_ids_are_never_given_again(desk: Desk) -> None:
    first = desk.open()
    message = await first.post(CHANNEL, "k1", None, None, DONE)
    await first.delete(CHANNEL, message)
    assert await desk.open().post(CHANNEL, "k2", None, None, DONE) != message


async def test_a_look_up_knows_the_people_of_the_console_and_nobody_else(desk: Desk) -> None:
    gateway = desk.open()
    lee = await gateway.look_up(CHANNEL, "console:lee", frozenset({"web_roles:lead"}))
    assert (lee.standing, lee.admin) == (frozenset({"web_roles:lead"}), False)
    assert (await gateway.look_up(CHANNEL, "console:root", frozenset())).admin
    for stranger in ("console:eve", "web:lee"):
        assert (await gateway.look_up(CHANNEL, stranger, frozenset())).standing is None


async def test_a_script_waits_for_each_line_and_for_the_end(desk: Desk) -> None:
    await desk.type("```py", "1", "```", "/as lee", "/wait", "/fencepost status")
    assert desk.settled == [False, True, False, True]


async def test_quit_does_not_wait(desk: Desk) -> None:
    await desk.type("/quit", "never read")
    assert desk.settled == []
    assert desk.events == []


def test_a_journal_that_was_cut_off_loses_its_last_line_only(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    with open_journal(path) as journal:
        journal.add("one", 1.0, author="ana")
        journal.add("two", 2.0, author="ana")
    path.write_text(path.read_text()[:-5])
    with open_journal(path) as journal:
        assert [entry.text for entry in journal.latest()] == ["one"]
