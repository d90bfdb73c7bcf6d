"""The console as a platform: typed lines come in as events, views go out as lines."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

from adapters.console.inbound import (
    ActAs,
    Meant,
    Pressed,
    Quit,
    Reader,
    Unclear,
    Waited,
)
from adapters.console.journal import Entry, Journal
from adapters.console.outbound import MARGIN, Ink, Shown, neutral, told
from adapters.console.people import Person, actor
from adapters.console.typist import Typist
from bot.core.events import AnyEvent, MessagePosted
from bot.core.keys import Actor, ChannelKey
from bot.core.replies import Reply, ReplyKind
from bot.core.reports import FileRef
from bot.core.views.view import View, plain
from bot.ports import Dispatch, MessageGone

_OPEN = frozenset({"waiting", "queued", "running"})


@dataclass(frozen=True, slots=True)
class Terminal:
    """What the console needs of where it runs.

    `lines` are what is typed, without line ends; `write` prints one line, `prompt` what the
    next one is typed behind. `settled(ended)` returns once the bot has
    shown what it owes, and with `ended` once nothing runs any more. `keep` stores a file and says where.
    """

    lines: AsyncIterator[str]
    write: Callable[[str], None]
    settled: Callable[[bool], Awaitable[None]]
    keep: Callable[[FileRef, str], Awaitable[str]]
    now: Callable[[], float]
    prompt: Callable[[str], None] = lambda _: None
    ink: Ink = field(default_factory=Ink)
    interactive: bool = False


class ConsoleGateway:
    """See `bot.ports.Gateway`. `finished` is set once whoever types has left."""

    platform = "console"
    edit_interval_s = 0.3

    def __init__(
        self, channel: ChannelKey, people: Mapping[str, Person], acting: str, journal: Journal, terminal: Terminal
    ) -> None:
        self._channel = channel
        self._people = people
        self._journal = journal
        self._terminal = terminal
        self._typist = Typist(channel, people[acting], journal, terminal.now)
        self._shown: dict[str, Shown] = {}
        self._kept: set[tuple[str, str]] = set()
        self.finished = asyncio.Event()

    # ---- coming in

    async def serve(self, dispatch: Dispatch) -> None:
        self._recall()
        reader = Reader()
        self._prompt(reader)
        async for line in self._terminal.lines:
            meant = reader.feed(line)
            if isinstance(meant, Quit):
                break
            if meant is not None:
                await self._do(meant, dispatch)
            self._prompt(reader)
        else:
            if (rest := reader.end()) is not None:
                await self._do(rest, dispatch)
            await self._terminal.settled(True)
        self.finished.set()
        await asyncio.Event().wait()

    async def _do(self, meant: Meant, dispatch: Dispatch) -> None:
        match meant:
            case ActAs(person=name) if name in self._people:
                self._typist.person = self._people[name]
                self._say(f"You are {name}, {self._typist.person.role}.")
            case ActAs():
                self._say(f"Nobody is called that here. There are: {', '.join(self._people)}.")
            case Unclear(text=text):
                self._say(text)
            case Waited():
                await self._terminal.settled(True)
            case Quit():
                return
            case _:
                event = self._typist.event(meant)
                if isinstance(event, str):
                    self._say(event)
                    return
                self._echo(event)
                for reply in await dispatch(event):
                    await self._tell(reply, meant)
                if not self._terminal.interactive:
                    await self._terminal.settled(False)

    async def _tell(self, reply: Reply, meant: Meant) -> None:
        if reply.text:
            self._say(reply.text)
        if reply.kind is ReplyKind.CHOOSE:
            self._typist.choices = tuple(choice.id for choice in reply.choices)
            for number, choice in enumerate(reply.choices, 1):
                self._say(f"{number}  {choice.text}")
        if isinstance(meant, Pressed) and (how := _HOW.get(reply.kind)):
            self._say(f"Type: /press {f'#{meant.message} ' if meant.message else ''}{meant.button} {how}")
        for file in reply.files:
            self._say(f"📎 {neutral(file.name)}: {await self._terminal.keep(file, 'reply')}")

    # ---- going out

    async def post(self, channel: ChannelKey, key: str, reply_to: str | None, thread: str | None, view: View) -> str:  # noqa: ARG002
        self._here(channel)
        entry = self._journal.posted(key) or self._journal.add("", self._terminal.now(), key=key)
        await self._show(entry, view, reply_to)
        return entry.id

    async def find(self, channel: ChannelKey, key: str) -> str | None:
        self._here(channel)
        entry = self._journal.posted(key)
        return entry.id if entry else None

    async def edit(self, channel: ChannelKey, message: str, view: View) -> None:
        self._here(channel)
        entry = self._journal.get(message)
        if entry is None:
            raise MessageGone(f"message {message} is not there any more")
        await self._show(entry, view, None)

    async def delete(self, channel: ChannelKey, message: str) -> None:
        self._here(channel)
        if not self._journal.remove(message):
            raise MessageGone(f"message {message} is not there any more")
        self._shown.pop(message, None)
        self._print([f"#{message} was removed."])

    async def look_up(self, channel: ChannelKey, user: str, marks: frozenset[str]) -> Actor:
        self._here(channel)
        person = self._people.get(user.removeprefix("console:"))
        if person is None or not user.startswith("console:"):
            return Actor(user, user, standing=None)
        known = actor(person)
        return replace(known, standing=(known.standing or frozenset()) & marks)

    async def _show(self, entry: Entry, view: View, reply_to: str | None) -> None:
        lines, self._shown[entry.id] = told(view, entry.id, self._terminal.ink, self._shown.get(entry.id))
        if lines and reply_to:
            lines[0] += self._terminal.ink(f"  (to #{reply_to})", "dim")
        buttons = tuple((button.id, button.label, button.value) for button in view.buttons)
        self._journal.put(replace(entry, text=plain(view), status=view.status, buttons=buttons))
        for file in view.files:
            if (entry.id, file.sha256) not in self._kept:
                self._kept.add((entry.id, file.sha256))
                lines.append(f"{MARGIN}saved: {await self._terminal.keep(file, entry.id)}")
        self._print(lines)

    # ---- the terminal

    def _recall(self) -> None:
        """After a restart: what is still open, since nobody sees the old screen any more."""
        for entry in reversed([e for e in self._journal.latest() if e.key is not None and e.status in _OPEN]):
            buttons = " ".join(f"[{n} {neutral(label)}]" for n, (_, label, _) in enumerate(entry.buttons, 1))
            text = neutral(entry.text).replace("\n", f"\n{MARGIN}")
            self._print([f"#{entry.id} {text}", *([MARGIN + buttons] if buttons else [])])

    def _here(self, channel: ChannelKey) -> None:
        if channel != self._channel:
            raise MessageGone(f"{channel} is not the channel of this console")

    def _echo(self, event: AnyEvent) -> None:
        """A script does not see what it types."""
        if isinstance(event, MessagePosted) and not self._terminal.interactive:
            first, *rest = neutral(event.text).split("\n")
            author = self._typist.person.id
            self._print([f"#{event.message} {author}: {first}", *(f"{MARGIN}{line}" for line in rest)])

    def _say(self, text: str) -> None:
        self._print([f"{MARGIN}{line}" for line in neutral(text).split("\n")])

    def _print(self, lines: list[str]) -> None:
        for line in lines:
            self._terminal.write(line)

    def _prompt(self, reader: Reader) -> None:
        self._terminal.prompt("… " if reader.is_open else f"{self._typist.person.id}@{self._channel.channel}> ")


_HOW = {
    ReplyKind.CONFIRM: "confirm",
    ReplyKind.CHOOSE: "NUMBER",
    ReplyKind.REASON: "REASON",
}
