"""The web chat with the real core and shell behind it; only the sandboxes follow a script."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import aiohttp

from adapters.storage.blobs import FolderBlobs
from adapters.storage.memory import MemoryStore
from adapters.web.gateway import WebGateway
from adapters.web.people import People
from adapters.web.settings import WebSettings
from bot.bootstrap.sites import DEMO_POLICIES, load_all, site_provider
from bot.settings import Settings
from bot.shell.clock import SystemClock
from bot.shell.lifecycle import Bot
from executor.fake import Say, ScriptedSandboxes, Sleep
from tests.integration.webrig import Caller, first

PRINT = "```python\nprint(6 * 7)\n```"
LOOP = "```python\nprint('loop')\n```"
PROGRAMS = {"print(6 * 7)": (Say("42\n"),), "print('loop')": (Say("tick\n"), Sleep(math.inf))}

Message = dict[str, Any]


@asynccontextmanager
async def bot(folder: Path) -> AsyncIterator[Callable[[str], Caller]]:
    blobs, clock = FolderBlobs(folder / "blobs"), SystemClock()
    web = WebSettings(data_dir=folder, port=0, demo=True)
    sites = site_provider(Settings(), load_all(DEMO_POLICIES), "sha256:0")
    async with WebGateway.open(web, People.demo(), blobs, clock) as gateway, ScriptedSandboxes(PROGRAMS) as sandboxes:
        running = Bot(
            store=MemoryStore(), blobs=blobs, sandboxes=sandboxes, gateways=[gateway], clock=clock, site_of=sites
        )
        serving = asyncio.create_task(running.run())
        try:
            port = await first(gateway.port(), serving)
            async with aiohttp.ClientSession(f"http://127.0.0.1:{port}", cookie_jar=aiohttp.DummyCookieJar()) as http:
                yield lambda user: Caller(http, {"X-Fencepost-User": user})
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)


T = TypeVar("T")


async def until_seen(look: Callable[[], Awaitable[T | None]]) -> T:
    async with asyncio.timeout(10):
        while (seen := await look()) is None:  # noqa: ASYNC110 - it looks as a client that polls does
            await asyncio.sleep(0.01)
    return seen


async def answer_to(caller: Caller, message: str, channel: str, status: str) -> Message:
    """The bot's answer to this message, once it has the status."""

    async def look() -> Message | None:
        wanted = ("fencepost", message, status)
        shown = await caller.messages(channel)
        return next((m for m in shown if (m["author"], m["reply_to"], m["status"]) == wanted), None)

    return await until_seen(look)


async def is_deleted(caller: Caller, message: str) -> bool | None:
    return message in (await caller.listing())["deleted"] or None


async def press(caller: Caller, message: Message, button: str, **body: Any) -> tuple[int, Any]:
    answer = await caller.post(f"/api/messages/{message['id']}/buttons/{button}", body)
    return answer.status, answer.body


async def test_a_fence_that_the_policy_allows_is_run_and_answered(tmp_path: Path) -> None:
    async with bot(tmp_path) as user:
        ana = user("ana")
        message = await ana.say(PRINT)
        shown = await answer_to(ana, message, "general", "completed")

        assert "42" in shown["text"]
        assert any(block == {"kind": "output", "text": "42\n"} for block in shown["blocks"])
        assert "run_again" in {button["id"] for button in shown["buttons"]}

        assert (await ana.call("PATCH", f"/api/messages/{message}", {"text": "never mind"})).status == 200
        assert (await ana.call("DELETE", f"/api/messages/{message}")).status == 200
        await until_seen(lambda: is_deleted(ana, shown["id"]))


async def test_what_the_policy_asks_about_waits_for_a_lead(tmp_path: Path) -> None:
    async with bot(tmp_path) as user:
        ana, lee, kim = user("ana"), user("lee"), user("kim")
        message = await ana.say(PRINT, channel="ops")
        card = await answer_to(ana, message, "ops", "waiting")

        assert (await press(ana, card, "approve"))[0] == 403
        assert (await press(user("bo"), card, "deny", reason="no"))[0] == 403
        assert (await press(lee, card, "never_was"))[0] == 404
        assert (await press(lee, card, "approve"))[0] == 202
        shown = await answer_to(ana, message, "ops", "completed")
        assert shown["id"] == card["id"]
        assert "42" in shown["text"]
        status, body = await press(kim, shown, "approve")
        assert status == 410
        assert "lee" in body["text"]


async def test_an_edit_while_it_waits_supersedes_the_card(tmp_path: Path) -> None:
    async with bot(tmp_path) as user:
        ana, lee = user("ana"), user("lee")
        message = await ana.say(PRINT, channel="ops")
        card = await answer_to(ana, message, "ops", "waiting")
        assert (await ana.call("PATCH", f"/api/messages/{message}", {"text": LOOP})).status == 200

        assert (await press(lee, card, "approve"))[0] == 410
        await answer_to(ana, message, "ops", "superseded")
        fresh = await answer_to(ana, message, "ops", "waiting")
        assert fresh["id"] != card["id"]
        assert (await press(lee, fresh, "approve"))[0] == 202
        running = await answer_to(ana, message, "ops", "running")
        assert running["id"] == fresh["id"]
        began = time.monotonic()
        assert (await press(ana, running, "stop"))[0] == 202
        await answer_to(ana, message, "ops", "cancelled")
        assert time.monotonic() - began < 2


async def test_a_command_is_answered(tmp_path: Path) -> None:
    async with bot(tmp_path) as user:
        said = await user("ana").post("/api/channels/general/messages", {"text": "/fencepost help"})

        assert said.status == 201
        assert said.body["text"]
        assert [message["private"] for message in await user("ana").messages()] == [True, True]
        assert await user("bo").messages() == []
