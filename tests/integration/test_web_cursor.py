"""The cursor's promise: whatever happens between whichever reads, a reader ends with what there is."""

import asyncio
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.web.database import Database
from adapters.web.message import Draft, Message
from adapters.web.messages import MessageStore
from adapters.web.outbound import body_of_text
from adapters.web.stream import Follower

CHANNELS = ("general", "ops")

step = st.one_of(
    st.tuples(st.just("post"), st.sampled_from(CHANNELS), st.sampled_from([None, "ana", "bo"])),
    st.tuples(st.just("edit"), st.integers(0, 30), st.text("ab", min_size=1, max_size=2)),
    st.tuples(st.just("delete"), st.integers(0, 30), st.none()),
    st.tuples(st.just("read"), st.integers(1, 4), st.none()),
)


@dataclass
class Reader:
    """A client that keeps what it was told, by pages of changes."""

    channels: tuple[str, ...]
    cursor: int = 0
    held: dict[str, str] = field(default_factory=dict)

    async def read(self, store: MessageStore, limit: int) -> bool:
        changes, more = await store.changes(self.channels, "ana", self.cursor, limit=limit)
        for message in changes:
            assert message.changed > self.cursor
            assert message.is_for("ana")
            self.cursor = message.changed
            if message.deleted:
                self.held.pop(message.id, None)
            else:
                self.held[message.id] = message.body.text
        return more


@dataclass
class Listener:
    """A stream's client, which is told what is new to it."""

    follower: Follower = field(default_factory=lambda: Follower(0))
    held: dict[str, str] = field(default_factory=dict)

    async def read(self, store: MessageStore, limit: int) -> bool:
        changes, more = await store.changes(CHANNELS, "ana", self.follower.cursor, limit=limit)
        for message in changes:
            self.take(self.follower.event(message), message)
        if not more:
            self.follower.is_up_to_date()
        return more

    def take(self, event: str, message: Message) -> None:
        name = event.partition("event: ")[2].partition("\n")[0]
        assert name == ("deleted" if message.deleted else "updated" if message.id in self.held else "created")
        if message.deleted:
            self.held.pop(message.id, None)
        else:
            self.held[message.id] = message.body.text


@given(st.lists(step, max_size=40))
@settings(max_examples=60, deadline=None)
def test_any_reader_ends_with_what_there_is(steps: list[tuple[str, str | int, str | None]]) -> None:
    async def go(folder: Path) -> None:
        async with Database.open(folder / "web.sqlite3") as database:
            store = MessageStore(database)
            truth: dict[str, Message] = {}
            texts: dict[str, str] = {}
            one, both, listener = Reader(("general",)), Reader(CHANNELS), Listener()
            for kind, what, more in steps:
                ids = list(texts)
                match kind, what:
                    case "post", str(channel):
                        draft = Draft(channel=channel, author="bo", body=body_of_text("new"), only_for=more)
                        message, _ = await store.add(draft, 0.0)
                        truth[message.id], texts[message.id] = message, "new"
                    case "edit", int(index) if ids:
                        target = ids[index % len(ids)]
                        await store.amend(target, body_of_text(more or ""), 0.0)
                        texts[target] = more or ""
                    case "delete", int(index) if ids:
                        target = ids[index % len(ids)]
                        await store.remove(target, 0.0)
                        del texts[target]
                    case "read", int(limit):
                        for reader in (one, both, listener):
                            await reader.read(store, limit)
                    case _:
                        pass
            for reader in (one, both, listener):
                while await reader.read(store, 2):
                    pass
            seen = {id_: text for id_, text in texts.items() if truth[id_].is_for("ana")}
            assert both.held == listener.held == seen
            assert one.held == {id_: text for id_, text in seen.items() if truth[id_].channel == "general"}

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(go(Path(folder)))
