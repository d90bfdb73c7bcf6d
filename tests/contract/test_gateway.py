"""What the bot relies on from every platform."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from adapters.console.gateway import ConsoleGateway, Terminal
from adapters.console.journal import open_journal
from adapters.console.people import Person
from adapters.memory.gateway import MemoryGateway
from bot.core.keys import Actor, ChannelKey
from bot.core.reports import FileRef
from bot.core.views.view import Headline, OutputText, View, plain
from bot.ports import Gateway, MessageGone
from tests.integration.webrig import site


@dataclass(frozen=True, slots=True)
class Platform:
    """A gateway with what only the platform itself can tell.

    `texts` are the bot's messages in the channel as a reader sees them, by id. `lead` is somebody whom the platform
    knows with the mark `mark`, `asked` the id of a message that can be answered.
    """

    gateway: Gateway
    channel: ChannelKey
    texts: Callable[[], Awaitable[dict[str, str]]]
    lead: str
    mark: str
    asked: str


@asynccontextmanager
async def memory(_folder: Path) -> AsyncIterator[Platform]:
    gateway = MemoryGateway()
    gateway.people["memory:lee"] = Actor("memory:lee", "lee", frozenset({"web_roles:lead", "web_roles:other"}))

    async def texts() -> dict[str, str]:
        return {post.id: plain(post.view) for post in gateway.posts.values()}

    yield Platform(gateway, ChannelKey("memory", "home", "c"), texts, "memory:lee", "web_roles:lead", "m1")


@asynccontextmanager
async def console(folder: Path) -> AsyncIterator[Platform]:
    async def typed() -> AsyncIterator[str]:
        yield ""

    async def settled(_ended: bool) -> None:
        return

    async def keep(file: FileRef, _message: str) -> str:
        return file.name

    channel = ChannelKey("console", "local", "general")
    people = {"ana": Person("ana", "member"), "lee": Person("lee", "lead")}
    with open_journal(folder / "messages.jsonl") as journal:
        terminal = Terminal(typed(), lambda _: None, settled, keep, now=lambda: 0.0)

        async def texts() -> dict[str, str]:
            return {entry.id: entry.text for entry in journal.latest() if entry.key is not None}

        gateway = ConsoleGateway(channel, people, "ana", journal, terminal)
        yield Platform(gateway, channel, texts, "console:lee", "web_roles:lead", "1")


@asynccontextmanager
async def web(folder: Path) -> AsyncIterator[Platform]:
    async with site(folder) as chat:
        ana = chat.user("ana")

        async def texts() -> dict[str, str]:
            return {shown["id"]: shown["text"] for shown in await ana.messages() if shown["author"] == "fencepost"}

        asked = await ana.say("```python\nprint(6 * 7)\n```")
        yield Platform(chat.gateway, ChannelKey("web", "local", "general"), texts, "web:lee", "web_roles:lead", asked)


PLATFORMS = {"memory": memory, "console": console, "web": web}
"""Each entry makes a platform with one channel in which the bot has not said anything."""


@pytest.fixture(params=sorted(PLATFORMS))
async def at(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Platform]:
    async with PLATFORMS[request.param](tmp_path) as platform:
        yield platform


def view(text: str) -> View:
    return View((Headline("✅", "Python · exit 0"), OutputText(text)), status="completed")


async def post(at: Platform, key: str, text: str) -> str:
    return await at.gateway.post(at.channel, key, at.asked, None, view(text))


async def test_a_post_is_there_for_its_readers(at: Platform) -> None:
    message = await post(at, "a-1", "forty-two")
    texts = await at.texts()
    assert list(texts) == [message]
    assert "forty-two" in texts[message]


async def test_a_key_is_posted_once_and_edited_after_that(at: Platform) -> None:
    first = await post(at, "a-1", "before")
    assert await post(at, "a-1", "after") == first
    texts = await at.texts()
    assert list(texts) == [first]
    assert "after" in texts[first]


async def test_keys_are_different_posts(at: Platform) -> None:
    first, second = await post(at, "a-1", "one"), await post(at, "a-2", "two")
    assert first != second
    assert len(await at.texts()) == 2


async def test_a_post_is_found_by_its_key(at: Platform) -> None:
    assert await at.gateway.find(at.channel, "a-1") is None
    message = await post(at, "a-1", "x")
    assert await at.gateway.find(at.channel, "a-1") == message
    assert await at.gateway.find(at.channel, "a-2") is None


async def test_an_edit_replaces_the_whole_message(at: Platform) -> None:
    message = await post(at, "a-1", "before")
    await at.gateway.edit(at.channel, message, view("after"))
    text = (await at.texts())[message]
    assert "after" in text
    assert "before" not in text


async def test_a_deleted_post_is_gone_for_everybody(at: Platform) -> None:
    message = await post(at, "a-1", "x")
    await at.gateway.delete(at.channel, message)
    assert await at.texts() == {}
    assert await at.gateway.find(at.channel, "a-1") is None
    with pytest.raises(MessageGone):
        await at.gateway.edit(at.channel, message, view("y"))
    with pytest.raises(MessageGone):
        await at.gateway.delete(at.channel, message)


async def test_people_are_looked_up_with_the_marks_that_were_asked_for(at: Platform) -> None:
    actor = await at.gateway.look_up(at.channel, at.lead, frozenset({at.mark, "web_roles:nobody"}))
    assert (actor.id, actor.standing, actor.is_bot) == (at.lead, frozenset({at.mark}), False)


async def test_a_failed_look_up_is_no_standing(at: Platform) -> None:
    nobody = f"{at.gateway.platform}:nobody-of-this-name"
    actor = await at.gateway.look_up(at.channel, nobody, frozenset({at.mark}))
    assert (actor.id, actor.standing) == (nobody, None)


async def test_its_channels_and_pace_are_known(at: Platform) -> None:
    assert at.gateway.platform == at.channel.platform
    assert at.gateway.edit_interval_s >= 0
