"""Server-sent events over a real socket: order, resumption, clients that do not read, the end."""

import json
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from adapters.web import stream
from bot.core.events import Verb
from bot.core.replies import Reply, ReplyKind
from tests.integration.webrig import GENERAL, OPS, Caller, Events, ScriptedCore, button, site, until, view


@asynccontextmanager
async def listening(caller: Caller, **query: str) -> AsyncIterator[tuple[Events, str]]:
    """The stream and the cursor it begins at."""
    async with caller.http.get("/api/events", headers=caller.headers, params=query) as response:
        assert response.status == 200
        assert response.content_type == "text/event-stream"
        events = Events(response)
        hello = await events.next()
        assert "data" not in hello
        yield events, hello["id"]


async def take(events: Events, count: int) -> list[tuple[str, str, Any]]:
    taken: list[tuple[str, str, Any]] = []
    while len(taken) < count:
        event = await events.next()
        data = json.loads(event["data"])
        taken.append((event["event"], data["channel"], data["message"]))
    return taken


async def test_changes_come_as_they_happen(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        ana = web.user("ana")
        before = await ana.say("before")
        async with listening(web.user("bo")) as (events, _):
            message = await ana.say("one")
            [created] = await take(events, 1)
            await ana.call("PATCH", f"/api/messages/{message}", {"text": "two"})
            [updated] = await take(events, 1)
            await ana.call("DELETE", f"/api/messages/{before}")
            [deleted] = await take(events, 1)
            answer = await web.gateway.post(OPS, "a", None, None, view("hi", button(Verb.STOP), status="running"))
            [posted] = await take(events, 1)

        [listed] = [m for m in await ana.messages() if m["id"] == message]
        assert (created[0], created[1], created[2]["text"]) == ("created", "general", "one")
        assert updated == ("updated", "general", listed)
        assert (deleted[0], deleted[2]["id"], deleted[2]["text"]) == ("deleted", before, "")
        assert (posted[:2], posted[2]["id"], posted[2]["status"]) == (("created", "ops"), answer, "running")


async def test_a_private_message_reaches_its_reader_alone(tmp_path: Path) -> None:
    core = ScriptedCore(lambda event: (Reply(ReplyKind.DONE, "Just for you."),))
    async with (
        site(tmp_path, core) as web,
        listening(web.user("ana")) as (mine, _),
        listening(web.user("bo")) as (his, _),
    ):
        await web.user("ana").post("/api/channels/general/messages", {"text": "/fencepost help"})
        await web.gateway.post(GENERAL, "a", None, None, view("for all"))

        assert [message["private"] for _, _, message in await take(mine, 3)] == [True, True, False]
        [(_, _, message)] = await take(his, 1)
        assert message["private"] is False


@pytest.mark.parametrize("by", ["header", "query"])
async def test_a_stream_resumes_where_it_was(tmp_path: Path, by: str) -> None:
    async with site(tmp_path) as web:
        ana = web.user("ana")
        old = await ana.say("old")
        async with listening(ana) as (_, cursor):
            pass
        new = await ana.say("new")
        await ana.call("PATCH", f"/api/messages/{old}", {"text": "changed"})
    async with site(tmp_path) as web:
        headers = {**web.user("ana").headers, **({"Last-Event-ID": cursor} if by == "header" else {})}
        async with listening(Caller(web.anybody.http, headers), **({"after": cursor} if by == "query" else {})) as (
            events,
            _,
        ):
            assert [(name, message["id"]) for name, _, message in await take(events, 2)] == [
                ("created", new),
                ("updated", old),
            ]
        async with listening(web.user("ana"), after="") as (events, _):
            assert [name for name, _, _ in await take(events, 2)] == ["created", "created"]
        assert (await web.user("ana").get("/api/events", params={"after": "x"})).status == 400


async def test_quick_edits_coalesce_and_the_last_one_comes(tmp_path: Path) -> None:
    async with site(tmp_path) as web, listening(web.user("ana")) as (events, _):
        message = await web.gateway.post(GENERAL, "a", None, None, view("0"))
        for number in range(1, 100):
            await web.gateway.edit(GENERAL, message, view(str(number)))
        seen: list[str] = []
        while not seen or "99" not in seen[-1]:
            [(_, _, shown)] = await take(events, 1)
            seen.append(shown["text"])
        assert len(seen) <= 100


async def test_a_client_that_does_not_read_is_dropped_and_holds_nobody_up(tmp_path: Path) -> None:
    async with site(tmp_path, slow_client_s=0.3) as web:
        with socket.socket() as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.connect(("127.0.0.1", int(web.base.rpartition(":")[2])))
            deaf.sendall(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\nX-Fencepost-User: bo\r\n\r\n")
            async with listening(web.user("ana")) as (events, _):
                for number in range(60):
                    await web.gateway.post(GENERAL, f"k{number}", None, None, view("x" * 100_000))
                    await take(events, 1)
            await until(lambda: is_closed(deaf))  # although nobody has read what was sent


def is_closed(client: socket.socket) -> bool:
    """Whether the other end takes nothing more."""
    try:
        client.send(b"x")
    except ConnectionError:
        return True
    return False


async def test_a_quiet_stream_shows_that_it_lives(tmp_path: Path) -> None:
    async with site(tmp_path, heartbeat_s=0.05) as web, listening(web.user("ana")) as (events, _):
        assert await events.next() == {"": "still here"}
        assert await events.next() == {"": "still here"}


async def test_streams_end_when_the_server_stops(tmp_path: Path) -> None:
    async with aiohttp.ClientSession() as http:
        async with site(tmp_path) as web:
            response = await http.get(f"{web.base}/api/events", headers=web.user("ana").headers)
            events = Events(response)
            await events.next()
            began = time.monotonic()
        assert time.monotonic() - began < 1.5
        assert await response.content.read() == b""


async def test_a_person_has_so_many_streams_and_closed_ones_do_not_count(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        opened = [
            await web.anybody.http.get("/api/events", headers={"X-Fencepost-User": "ana"})
            for _ in range(stream.AT_ONCE_EACH)
        ]
        assert (await web.user("ana").get("/api/events")).status == 429
        async with listening(web.user("bo")):
            pass
        for response in opened:
            response.close()
        for _ in range(2 * stream.AT_ONCE_EACH):
            async with listening(web.user("ana")):
                pass
