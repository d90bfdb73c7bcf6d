"""The operator's view over HTTP: with the real core and shell, and for people who may see only a part."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from adapters.storage.blobs import FolderBlobs
from adapters.storage.sqlite import open_store
from adapters.web.gateway import WebGateway
from adapters.web.passwords import Cost
from adapters.web.people import People
from adapters.web.settings import WebSettings
from adapters.web.users_file import add_user
from bot.bootstrap.sites import DEMO_POLICIES, load_all, site_provider
from bot.settings import Settings
from bot.shell.clock import SystemClock
from bot.shell.lifecycle import Bot
from bot.shell.overview import open_overview
from executor.fake import ScriptedSandboxes
from tests.integration.test_web_bot import LOOP, PRINT, PROGRAMS, answer_to, until_seen
from tests.integration.webrig import Caller, first, site

PASSWORD = "correct horse"
KINDS = ("approvals", "executions", "sandboxes", "policies", "history")


@asynccontextmanager
async def bot(folder: Path, people: People | None = None) -> AsyncIterator[Caller]:
    blobs, clock = FolderBlobs(folder / "blobs"), SystemClock()
    settings = WebSettings(data_dir=folder, port=0, demo=people is None)
    sites = site_provider(Settings(), load_all(DEMO_POLICIES), "sha256:0")
    async with (
        open_store(folder / "state.sqlite3") as store,
        ScriptedSandboxes(PROGRAMS) as sandboxes,
        open_overview(store, sandboxes, sites, clock) as overview,
        WebGateway.open(settings, people or People.demo(), blobs, clock, overview=overview) as gateway,
    ):
        running = Bot(store=store, blobs=blobs, sandboxes=sandboxes, gateways=[gateway], clock=clock, site_of=sites)
        serving = asyncio.create_task(running.run())
        try:
            port = await first(gateway.port(), serving)
            async with aiohttp.ClientSession(f"http://127.0.0.1:{port}", cookie_jar=aiohttp.DummyCookieJar()) as http:
                yield Caller(http)
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)


def acting(anybody: Caller) -> Callable[[str], Caller]:
    return lambda user: replace(anybody, headers={"X-Fencepost-User": user})


async def see(caller: Caller, kind: str) -> list[dict[str, Any]]:
    answer = await caller.get(f"/api/overview/{kind}")
    assert answer.status == 200, answer
    assert isinstance(answer.body, list)
    return answer.body


async def test_what_waits_is_decided_from_the_overview(tmp_path: Path) -> None:
    async with bot(tmp_path) as anybody:
        user = acting(anybody)
        for channel, asking in (("data", "ana"), ("ops", "bo")):
            await answer_to(user(asking), await user(asking).say(PRINT, channel=channel), channel, "waiting")
        first_line, second = await see(user("lee"), "approvals")
        assert (first_line["channel"], first_line["requester"], second["channel"]) == ("data", "ana", "ops")
        assert (first_line["what"], first_line["needs"]) == ("Python (1 line)", "1 of @leads")
        assert first_line["missing"] == "one more of @leads"
        assert first_line["expires_at"] - first_line["asked_at"] == pytest.approx(3600)
        assert [line["may_decide"] for line in await see(user("ana"), "approvals")] == [False, False]
        card = first_line["card"]
        assert card["id"] == first_line["message"]
        assert card["status"] == "waiting"

        approve = next(button for button in card["buttons"] if button["id"] == "approve")
        path = f"/api/messages/{card['id']}/buttons/approve"
        assert (await user("lee").post(path, {"value": approve["value"]})).status == 202
        await answer_to(user("ana"), first_line["source"], "data", "completed")
        assert [line["channel"] for line in await see(user("lee"), "approvals")] == ["ops"]
        (done,) = await see(user("bo"), "history")
        assert (done["decided"], done["outcome"], done["channel"]) == ("approved by lee", "completed", "data")
        assert done["binding"] == first_line["binding"]
        assert done["took_s"] >= 0
        assert await see(user("bo"), "history?limit=0") == []
        assert (await user("bo").get("/api/overview/history?limit=x")).status == 400


async def test_what_runs_is_stopped_from_the_overview(tmp_path: Path) -> None:
    async with bot(tmp_path) as anybody:
        user = acting(anybody)
        message = await user("ana").say(LOOP)
        await answer_to(user("ana"), message, "general", "running")
        await answer_to(user("ana"), await user("ana").say(PRINT), "general", "queued")
        running, queued = await see(user("lee"), "executions")
        assert (running["state"], running["ends_by"], queued["position"]) == ("running", "stop", 1)
        assert queued["ends_by"] is None  # a lead stops what runs, an admin cancels too what does not yet
        assert [line["ends_by"] for line in await see(user("root"), "executions")] == ["stop", "cancel"]
        assert [line["ends_by"] for line in await see(user("ana"), "executions")] == ["stop", "cancel"]
        assert [line["ends_by"] for line in await see(user("bo"), "executions")] == [None, None]
        assert (await user("lee").post(f"/api/messages/{running['message']}/buttons/stop")).status == 202
        await answer_to(user("ana"), message, "general", "cancelled")


async def test_sandboxes_and_policies(tmp_path: Path) -> None:
    async with bot(tmp_path) as anybody:
        user = acting(anybody)
        await answer_to(user("ana"), await user("ana").say(PRINT), "general", "completed")

        async def told() -> dict[str, Any] | None:
            (sandbox,) = await see(user("lee"), "sandboxes")
            return sandbox if sandbox["memory_bytes"] is not None and sandbox["state"] == "idle" else None

        sandbox = await until_seen(told)
        assert (sandbox["channel"], sandbox["executions"]) == ("general", 0)
        assert (await user("ana").get("/api/overview/sandboxes")).status == 403

        policies = {policy["channel"]: policy for policy in await see(user("ana"), "policies")}
        assert {channel: policy["name"] for channel, policy in policies.items()} == DEMO_POLICIES
        rule, default = policies["general"]["rules"]
        assert (rule["id"], rule["effect"], rule["times"], rule["ran"]) == ("offline-code", "allow", 1, 1)
        assert rule["text"] == "Python, Bash and Shell code runs by itself, without network, with the workspace."
        assert (default["id"], default["effect"], default["times"]) == (None, "ask", 0)
        assert policies["data"]["approvers"] == [{"group": "leads", "people": ["kim", "lee", "rita", "root"]}]


async def test_a_member_of_one_channel_sees_nothing_of_another(tmp_path: Path) -> None:
    users = tmp_path / "users.json"
    cheap = Cost(4, 8, 1)
    for name, more in {
        "ana": {"channels": ["data"]},
        "bo": {"channels": ["ops"]},
        "lee": {"channels": ["ops"], "roles": ["lead"]},
        "rita": {"roles": ["admin"]},
    }.items():
        add_user(users, name, cost=cheap, password=PASSWORD, **more)  # type: ignore[arg-type]
    async with bot(tmp_path, People.from_file(users)) as anybody:

        async def logged_in(name: str) -> Caller:
            answer = await anybody.post("/api/login", {"name": name, "password": PASSWORD})
            cookie = answer.headers["Set-Cookie"].partition(";")[0]
            return replace(anybody, headers={"Cookie": cookie, "X-CSRF-Token": answer.body["csrf"]})

        ana, bo, lee, rita = [await logged_in(name) for name in ("ana", "bo", "lee", "rita")]
        await answer_to(ana, await ana.say(PRINT, channel="data"), "data", "waiting")
        for source in ("1", "2"):
            await answer_to(ana, await ana.say(f"```python\nprint({source})\n```", channel="data"), "data", "waiting")
        (card, other, _) = await see(rita, "approvals")
        assert (await rita.post(f"/api/messages/{card['message']}/buttons/approve")).status == 202
        assert (await rita.post(f"/api/messages/{other['message']}/buttons/deny")).status == 202
        await answer_to(ana, card["source"], "data", "completed")
        await rita.say(LOOP, channel="general")

        async def running() -> bool | None:
            return bool(await see(rita, "executions")) or None

        await until_seen(running)
        for kind in KINDS:
            channels = {line["channel"] for line in await see(rita, kind)}
            assert channels & {"data", "general"}, kind
            for person in (bo, lee):
                answer = await person.get(f"/api/overview/{kind}")
                told = str(answer.body)
                assert "data" not in told, kind
                assert "general" not in told, kind
        assert [policy["approvers"] for policy in await see(bo, "policies")] == [
            [{"group": "leads", "people": ["lee", "rita"]}]
        ]
        assert (await ana.get("/api/overview/sandboxes")).status == 403
        assert await see(lee, "sandboxes") == []


async def test_it_is_under_the_guards_of_all_of_the_api(tmp_path: Path) -> None:
    async with bot(tmp_path) as anybody:
        for kind in KINDS:
            path = f"/api/overview/{kind}"
            assert (await anybody.get(path)).status == 401
            answer = await anybody.get(path, headers={"X-Fencepost-User": "lee", "Host": "evil.example"})
            assert answer.status == 421
            shown = await acting(anybody)("lee").get(path)
            assert shown.headers["Cache-Control"] == "no-store"
            assert shown.headers["X-Content-Type-Options"] == "nosniff"
            assert (await acting(anybody)("lee").post(path)).status == 405


async def test_without_an_overview_there_are_no_such_pages(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        assert (await web.user("lee").get("/api/overview/approvals")).status == 404
