"""Who may do what in the web chat, and what a hostile page or network could try."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adapters.web.passwords import Cost
from adapters.web.people import People
from adapters.web.users_file import add_user
from bot.core.events import ButtonPressed, MessagePosted, Verb
from bot.core.keys import Actor
from bot.shell.clock import ManualClock
from tests.integration.webrig import GENERAL, OPS, Caller, ScriptedCore, Site, button, site, view

PASSWORD = "correct horse"


CHEAP = Cost(4, 8, 1)


@asynccontextmanager
async def private_site(folder: Path, **more: Any) -> AsyncIterator[Site]:
    """Outside demo mode: ana may see general only, lee is a lead, rita an admin."""
    users = folder / "users.json"
    if not users.exists():
        add_user(users, "ana", cost=CHEAP, password=PASSWORD, channels=["general"])
        add_user(users, "lee", cost=CHEAP, password=PASSWORD, roles=["lead"])
        add_user(users, "rita", cost=CHEAP, password=PASSWORD, roles=["admin"], name="Rita R.")
    async with site(folder, people=People.from_file(users), **more) as web:
        yield web


async def logged_in(web: Site, name: str) -> Caller:
    answer = await web.anybody.post("/api/login", {"name": name, "password": PASSWORD})
    assert answer.status == 200, answer
    cookie = answer.headers["Set-Cookie"].partition(";")[0]
    return replace(web.anybody, headers={"Cookie": cookie, "X-CSRF-Token": answer.body["csrf"]})


async def test_nobody_may_do_nothing(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        message = await web.user("ana").say("x")
        for method, path in (
            ("GET", "/api/me"),
            ("GET", "/api/users"),
            ("GET", "/api/channels"),
            ("GET", "/api/events"),
            ("GET", "/api/channels/general/messages"),
            ("POST", "/api/channels/general/messages"),
            ("PATCH", f"/api/messages/{message}"),
            ("DELETE", f"/api/messages/{message}"),
            ("POST", f"/api/messages/{message}/buttons/approve"),
            ("GET", f"/api/files/{message}/{'0' * 64}/x"),
            ("GET", "/api/nothing"),
            ("GET", "/%61pi/me"),
        ):
            for caller in (web.anybody, web.user("nobody"), web.user(""), web.user("fencepost")):
                answer = await caller.call(method, path)
                assert answer.status == 401, (method, path)
                assert answer.body["text"]


async def test_the_demo_has_its_people_and_channels(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        me = await web.user("lee").get("/api/me")
        users = await web.user("ana").get("/api/users")
        channels = await web.user("ana").get("/api/channels")

        assert {key: me.body[key] for key in ("id", "name", "roles")} == {"id": "lee", "name": "lee", "roles": ["lead"]}
        assert {user["id"]: user["roles"] for user in users.body} == {
            "ana": ["member"],
            "bo": ["member"],
            "lee": ["lead"],
            "kim": ["lead"],
            "root": ["admin"],
            "rita": ["admin"],
        }
        assert [(channel["id"], channel["name"]) for channel in channels.body] == [
            ("general", "general"),
            ("data", "data"),
            ("ops", "ops"),
        ]
        assert (await web.anybody.post("/api/login", {"name": "ana", "password": ""})).status == 404


async def test_the_demo_cookie_reads_and_writes_with_the_token_only(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        ana = replace(web.anybody, headers={"Cookie": "fencepost_user=ana"})
        me = await ana.get("/api/me")
        path, body = "/api/channels/general/messages", {"text": "x"}

        assert me.body["id"] == "ana"
        assert (await ana.post(path, body)).status == 403
        assert (await ana.post(path, body, headers={"X-CSRF-Token": "0" * 64})).status == 403
        of_bo = (await web.user("bo").get("/api/me")).body["csrf"]
        assert (await ana.post(path, body, headers={"X-CSRF-Token": of_bo})).status == 403
        assert (await ana.post(path, body, headers={"X-CSRF-Token": me.body["csrf"]})).status == 201
        both = replace(web.anybody, headers={"Cookie": "fencepost_user=ana", "X-Fencepost-User": "bo"})
        assert (await both.get("/api/me")).body["id"] == "bo"
        assert (await both.post(path, body)).status == 201


async def test_a_login_by_password(tmp_path: Path) -> None:
    async with private_site(tmp_path) as web:
        answer = await web.anybody.post("/api/login", {"name": "rita", "password": PASSWORD})
        cookie = answer.headers["Set-Cookie"]
        rita = await logged_in(web, "rita")

        assert (answer.body["id"], answer.body["name"], answer.body["roles"]) == ("rita", "Rita R.", ["admin"])
        assert "HttpOnly" in cookie
        assert "SameSite=Lax" in cookie
        assert (await rita.get("/api/me")).body["id"] == "rita"
        await rita.say("hello")
        [event] = await web.core.has(1)
        assert isinstance(event, MessagePosted)
        assert event.author == Actor("web:rita", "Rita R.", frozenset({"web_roles:admin"}), admin=True)
        assert PASSWORD.encode() not in (tmp_path / "users.json").read_bytes()
        assert cookie.partition(";")[0].partition("=")[2].encode() not in (tmp_path / "web.sqlite3").read_bytes()

        without = replace(rita, headers={"Cookie": rita.headers["Cookie"]})
        assert (await without.get("/api/me")).status == 200
        assert (await without.post("/api/channels/general/messages", {"text": "x"})).status == 403
        assert (await without.post("/api/logout")).status == 403
        assert (await rita.post("/api/logout")).status == 200
        assert (await rita.get("/api/me")).status == 401


async def test_the_demo_header_means_nothing_outside_the_demo(tmp_path: Path) -> None:
    async with private_site(tmp_path) as web:
        assert (await web.user("rita").get("/api/me")).status == 401
        assert (await replace(web.anybody, headers={"Cookie": "fencepost_user=rita"}).get("/api/me")).status == 401


@pytest.mark.parametrize("body", [{"name": "ana", "password": "wrong"}, {"name": "no", "password": PASSWORD}, {}])
async def test_a_wrong_login_says_the_same_whatever_is_wrong(tmp_path: Path, body: Any) -> None:
    async with private_site(tmp_path) as web:
        answer = await web.anybody.post("/api/login", body)

        assert answer.status == 401
        assert answer.body == {"text": "That name and password do not belong together."}
        assert "Set-Cookie" not in answer.headers


async def test_guesses_are_limited_and_the_wait_ends(tmp_path: Path) -> None:
    clock = ManualClock()
    async with private_site(tmp_path, clock=clock) as web:
        wrong = {"name": "ana", "password": "wrong"}
        together = await asyncio.gather(*(web.anybody.post("/api/login", wrong) for _ in range(8)))
        assert sorted(answer.status for answer in together) == [401] * 5 + [429] * 3
        right = {"name": "ana", "password": PASSWORD}
        refused = await web.anybody.post("/api/login", right)
        assert (refused.status, refused.headers["Retry-After"]) == (429, "60")
        assert (await web.anybody.post("/api/login", right | {"name": "lee"})).status == 200
        clock.advance(60)
        assert (await web.anybody.post("/api/login", right)).status == 200


async def test_a_login_ends_with_its_time_and_with_its_password(tmp_path: Path) -> None:
    clock = ManualClock()
    async with private_site(tmp_path, clock=clock) as web:
        ana, lee = await logged_in(web, "ana"), await logged_in(web, "lee")
        add_user(tmp_path / "users.json", "ana", password="another one", cost=CHEAP)
        assert (await ana.get("/api/me")).status == 401
        assert (await lee.get("/api/me")).status == 200
        clock.advance(7 * 24 * 3600)
        assert (await lee.get("/api/me")).status == 401


async def test_a_stream_ends_with_its_login(tmp_path: Path) -> None:
    async with private_site(tmp_path, heartbeat_s=0.05) as web:
        ana = await logged_in(web, "ana")
        async with web.anybody.http.get("/api/events", headers=ana.headers) as response, asyncio.timeout(5):
            await ana.post("/api/logout")
            await response.read()


async def test_a_login_outlives_the_process(tmp_path: Path) -> None:
    async with private_site(tmp_path) as web:
        lee = await logged_in(web, "lee")
    async with private_site(tmp_path) as web:
        again = replace(lee, http=web.anybody.http)
        assert (await again.post("/api/channels/general/messages", {"text": "x"})).status == 201


async def test_a_bearer_token(tmp_path: Path) -> None:
    token = add_user(tmp_path / "users.json", "ci", with_token=True)
    async with site(tmp_path, people=People.from_file(tmp_path / "users.json")) as web:
        ci = replace(web.anybody, headers={"Authorization": f"Bearer {token}"})
        assert (await ci.get("/api/me")).body["id"] == "ci"
        await ci.say("no token of another kind is needed")
        for wrong in ("Bearer ", "Bearer x", f"Basic {token}", f"Bearer {token}x", "Bearer é"):
            answer = await web.anybody.get("/api/me", headers={"Authorization": wrong})
            assert answer.status == 401
        assert (await web.anybody.post("/api/login", {"name": "ci", "password": ""})).status == 401
        assert token is not None
        assert token.encode() not in (tmp_path / "users.json").read_bytes()


async def test_whoever_is_not_in_a_channel_does_not_see_it(tmp_path: Path) -> None:
    async with private_site(tmp_path) as web:
        ana, lee = await logged_in(web, "ana"), await logged_in(web, "lee")
        message = await web.gateway.post(OPS, "a", None, None, view("secret", button(Verb.APPROVE)))
        mine = await lee.say("secret", channel="ops")
        file = await web.blobs.put(b"secret", "s.txt")
        holder = await web.gateway.post(OPS, "b", None, None, view("file", files=(file,)))

        assert [channel["id"] for channel in (await ana.get("/api/channels")).body] == ["general"]
        assert (await ana.get("/api/channels/ops/messages")).status == 404
        assert (await ana.post("/api/channels/ops/messages", {"text": "x"})).status == 404
        assert (await ana.post(f"/api/messages/{message}/buttons/approve", {})).status == 404
        assert (await ana.post("/api/channels/general/messages", {"text": "x", "thread": mine})).status == 404
        path = f"/api/files/{holder}/{file.sha256}/s.txt"
        assert (await ana.get(path)).status == 404
        assert (await lee.get(path)).body == b"secret"


async def test_standing_is_looked_up_anew_each_time(tmp_path: Path) -> None:
    marks = frozenset({"web_roles:lead", "web_roles:admin", "slack_usergroups:S1"})
    async with private_site(tmp_path) as web:
        lee = await logged_in(web, "lee")
        message = await web.gateway.post(GENERAL, "a", None, None, view("asks", button(Verb.APPROVE)))

        async def click() -> Actor:
            await lee.post(f"/api/messages/{message}/buttons/approve", {})
            event = web.core.events[-1]
            assert isinstance(event, ButtonPressed)
            return event.actor

        assert (await web.gateway.look_up(GENERAL, "web:lee", marks)).standing == frozenset({"web_roles:lead"})
        assert (await web.gateway.look_up(GENERAL, "web:lee", frozenset())).standing == frozenset()
        assert (await click()).standing == frozenset({"web_roles:lead"})
        add_user(tmp_path / "users.json", "lee", roles=["member"])
        assert (await web.gateway.look_up(GENERAL, "web:lee", marks)).standing == frozenset()
        assert (await click()).standing == frozenset({"web_roles:member"})
        assert (await web.gateway.look_up(GENERAL, "web:rita", marks)).admin
        assert (await web.gateway.look_up(OPS, "web:ana", marks)).standing is None
        for unknown in ("web:gone", "slack:lee", "lee", ""):
            assert (await web.gateway.look_up(GENERAL, unknown, marks)).standing is None
        (tmp_path / "users.json").write_text("{")
        assert (await web.gateway.look_up(GENERAL, "web:lee", marks)).standing is None
        assert (await lee.get("/api/me")).status == 503


async def test_an_event_that_waited_carries_what_its_author_is_by_then(tmp_path: Path) -> None:
    async with private_site(tmp_path, core=ScriptedCore(broken=RuntimeError("down"))) as web:
        await (await logged_in(web, "rita")).say("x")
    add_user(tmp_path / "users.json", "rita", roles=["member"])
    async with private_site(tmp_path) as web:
        [event] = await web.core.has(1)
        assert isinstance(event, MessagePosted)
        assert (event.author.standing, event.author.admin) == (frozenset({"web_roles:member"}), False)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:80", "localhost.evil.example", "x", ""])
@pytest.mark.parametrize("path", ["/", "/api/me", "/healthz"])
async def test_a_name_that_is_not_ours_is_refused(tmp_path: Path, host: str, path: str) -> None:
    async with site(tmp_path) as web:
        assert (await web.user("ana").get(path, headers={"Host": host})).status == 421


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1", "127.0.0.1:9", "[::1]:80", "chat.example", "chat.example:8"]
)
async def test_our_own_names_are_known(tmp_path: Path, host: str) -> None:
    async with site(tmp_path, allowed_hosts=("chat.example",)) as web:
        assert (await web.user("ana").get("/api/me", headers={"Host": host})).status == 200


async def test_every_answer_carries_the_headers(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        for path in ("/", "/help.txt", "/healthz", "/metrics", "/api/me", "/api/nope", "/nope"):
            answer = await web.user("ana").get(path, headers={"Origin": "https://evil.example"})
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["X-Frame-Options"] == "DENY"
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
            assert "Access-Control-Allow-Origin" not in answer.headers
        assert (await web.user("ana").call("OPTIONS", "/api/me")).status == 405
        assert (await web.user("ana").get("/api/nope")).body == {"text": "Not Found."}


async def test_health_and_metrics(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        assert (await web.anybody.get("/healthz")).status == 200
        assert (await web.anybody.get("/readyz")).body == {"ok": True, "problems": []}
        assert (await web.anybody.get("/metrics")).headers["Content-Type"].startswith("text/plain")
        page = await web.anybody.get("/help.txt")
        assert b"curl" in page.body
        assert web.base.encode() in page.body
