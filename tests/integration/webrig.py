"""The web chat over a real socket, with a core that answers from a script."""

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import aiohttp

from adapters.storage.blobs import FolderBlobs
from adapters.web.gateway import WebGateway
from adapters.web.people import People
from adapters.web.settings import WebSettings
from bot.core.buttons import button_value
from bot.core.events import AnyEvent, Verb
from bot.core.keys import ChannelKey
from bot.core.replies import Reply
from bot.core.views.view import Button, Headline, OutputText, View
from bot.ports import Clock
from bot.shell.clock import SystemClock

GENERAL = ChannelKey("web", "local", "general")
OPS = ChannelKey("web", "local", "ops")


@dataclass
class ScriptedCore:
    """Takes each event once, by its id, and says what `script` says. `broken` is raised instead while it is set."""

    script: Callable[[AnyEvent], tuple[Reply, ...]] = lambda event: ()
    events: list[AnyEvent] = field(default_factory=list)
    broken: Exception | None = None
    tries: int = 0
    came: asyncio.Event = field(default_factory=asyncio.Event)

    async def dispatch(self, event: AnyEvent) -> tuple[Reply, ...]:
        self.tries += 1
        await asyncio.sleep(0)
        if self.broken is not None:
            raise self.broken
        if event.id in {known.id for known in self.events}:
            return ()
        self.events.append(event)
        self.came.set()
        return self.script(event)

    async def has(self, count: int) -> list[AnyEvent]:
        """The events, once there are that many."""
        async with asyncio.timeout(5):
            while len(self.events) < count:
                self.came.clear()
                await self.came.wait()
        return self.events


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Caller:
    """One client: its headers go with every request."""

    http: aiohttp.ClientSession
    headers: Mapping[str, str] = field(default_factory=dict)

    async def call(self, method: str, path: str, body: Any = None, **more: Any) -> Answer:
        headers = {**self.headers, **more.pop("headers", {})}
        if body is not None:
            more["json"] = body
        async with self.http.request(method, path, headers=headers, **more) as response:
            raw = await response.read()
            is_json = response.content_type == "application/json"
            return Answer(response.status, await response.json() if is_json else raw, response.headers)

    async def get(self, path: str, **more: Any) -> Answer:
        return await self.call("GET", path, **more)

    async def post(self, path: str, body: Any = None, **more: Any) -> Answer:
        return await self.call("POST", path, body, **more)

    async def say(self, text: str, channel: str = "general", **more: Any) -> str:
        said = await self.post(f"/api/channels/{channel}/messages", {"text": text, **more})
        assert said.status == 201, said
        return str(said.body["id"])

    async def listing(self, channel: str = "general", **query: Any) -> dict[str, Any]:
        answer = await self.get(f"/api/channels/{channel}/messages", params={"after": "", **query})
        assert answer.status == 200, answer
        assert isinstance(answer.body, dict)
        return answer.body

    async def messages(self, channel: str = "general", **query: Any) -> list[dict[str, Any]]:
        found = (await self.listing(channel, **query))["messages"]
        assert isinstance(found, list)
        return found


@dataclass(frozen=True)
class Site:
    gateway: WebGateway
    core: ScriptedCore
    blobs: FolderBlobs
    folder: Path
    base: str
    anybody: Caller

    async def settled(self) -> None:
        """Nothing is owed to the core any more."""
        with contextlib.closing(sqlite3.connect(self.folder / "web.sqlite3")) as connection:
            await until(lambda: connection.execute("SELECT count(*) FROM owed").fetchone() == (0,))

    def user(self, name: str) -> Caller:
        return replace(self.anybody, headers={"X-Fencepost-User": name})


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not holds():  # noqa: ASYNC110 - what is awaited lies in a file, or in nobody's event
            await asyncio.sleep(0.005)


@asynccontextmanager
async def site(
    folder: Path,
    core: ScriptedCore | None = None,
    *,
    people: People | None = None,
    clock: Clock | None = None,
    **settings: Any,
) -> AsyncIterator[Site]:
    """Everything up; at the end of the block it is cut off as it stands."""
    core = core or ScriptedCore()
    blobs = FolderBlobs(folder / "blobs")
    told = WebSettings(data_dir=folder, port=0, demo=people is None, **settings)
    async with WebGateway.open(told, people or People.demo(), blobs, clock or SystemClock()) as gateway:
        serving = asyncio.create_task(gateway.serve(core.dispatch))
        try:
            port = await first(gateway.port(), serving)
            base = f"http://127.0.0.1:{port}"
            jar = aiohttp.DummyCookieJar()
            async with aiohttp.ClientSession(base, cookie_jar=jar) as http:
                yield Site(gateway, core, blobs, folder, base, Caller(http))
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)


async def first(wanted: Any, serving: asyncio.Task[None]) -> Any:
    """What is wanted, or the error that serving ended with."""
    task = asyncio.ensure_future(wanted)
    await asyncio.wait({task, serving}, return_when=asyncio.FIRST_COMPLETED, timeout=5)
    if serving.done():
        task.cancel()
        await serving
    return await task


def button(verb: Verb, request: str = "r1", binding: str = "0123abcd") -> Button:
    return Button(verb.value, verb.value.title(), button_value(request, verb, binding))


def view(text: str, *buttons: Button, status: str | None = None, **more: Any) -> View:
    return View((Headline("✅", text), OutputText(f"out of {text}\n")), status=status, buttons=buttons, **more)


@dataclass
class Events:
    """Reads server-sent events from a response."""

    response: aiohttp.ClientResponse

    async def next(self) -> dict[str, str]:
        """The next event or comment, as its fields."""
        fields: dict[str, str] = {}
        async with asyncio.timeout(5):
            while line := (await self.response.content.readline()).decode().removesuffix("\n"):
                name, _, value = line.partition(": ")
                fields[name] = value
        return fields
