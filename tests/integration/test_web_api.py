"""The web API as its clients see it, over a real socket."""

import asyncio
import contextlib
import signal
import sqlite3
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from adapters.web import lanes
from adapters.web.database import VERSION
from bot.core.events import (
    AnyEvent,
    ButtonPressed,
    CommandIssued,
    MessageDeleted,
    MessageEdited,
    MessagePosted,
    Verb,
)
from bot.core.keys import Actor
from bot.core.replies import Choice, Reply, ReplyKind
from bot.ports import MessageGone, PlatformUnavailable, StoreUnavailable
from tests.integration.webrig import GENERAL, OPS, ScriptedCore, button, site, until, view

NASTY = "<script>alert(1)</script>\"'`\x00\u2028\u202e'); DROP TABLE messages;--"


async def test_a_message_has_the_shape_of_the_contract_and_reaches_the_core(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        ana = web.user("ana")

        said = await ana.post("/api/channels/general/messages", {"text": "```python\nprint(1)\n```"})
        [message] = await ana.messages()
        [event] = await web.core.has(1)

        assert said.status == 201
        assert message["id"] == said.body["id"]
        assert {name: message[name] for name in ("thread", "author", "reply_to", "text", "files", "status")} == {
            "thread": None,
            "author": "ana",
            "reply_to": None,
            "text": "```python\nprint(1)\n```",
            "files": [],
            "status": None,
        }
        assert message["blocks"] == [{"kind": "text", "text": message["text"]}]
        assert message["buttons"] == []
        assert message["edited"] is False
        assert isinstance(event, MessagePosted)
        assert event.channel == GENERAL
        assert (event.message, event.text, event.thread, event.addressed) == (
            message["id"],
            message["text"],
            None,
            False,
        )
        assert event.author == Actor("web:ana", "ana", standing=frozenset({"web_roles:member"}))


async def test_a_bot_message_shows_the_view(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        ana = web.user("ana")
        asked = await ana.say("hello")
        picture = await web.blobs.put(b"\x89PNG", "plots/one two.png", "image/png")
        shown = view("Python · exit 0", button(Verb.RUN_AGAIN), status="completed", files=(picture,))

        posted = await web.gateway.post(GENERAL, "a-r1", asked, None, shown)
        message = (await ana.messages())[-1]

        assert message["id"] == posted
        assert (message["author"], message["reply_to"], message["status"]) == ("fencepost", asked, "completed")
        assert message["text"] == "✅ Python · exit 0\nout of Python · exit 0\nplots/one two.png (4 bytes)"
        assert message["blocks"] == [
            {"glyph": "✅", "text": "Python · exit 0", "kind": "headline"},
            {"text": "out of Python · exit 0\n", "kind": "output"},
        ]
        assert message["buttons"] == [
            {
                "id": "run_again",
                "label": "Run_Again",
                "style": "default",
                "value": "v1:r1:run_again:0123abcd",
                "opens": "",
            }
        ]
        [file] = message["files"]
        assert (file["name"], file["media_type"], file["bytes"]) == ("plots/one two.png", "image/png", 4)
        assert (await ana.get(file["url"])).body == b"\x89PNG"


async def test_nasty_text_and_names_come_back_as_they_were(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        ana = web.user("ana")
        await ana.say(NASTY)
        form = aiohttp.FormData()
        form.add_field("text", NASTY)
        form.add_field("files", b"x", filename="../../etc/<b>pass'wd;é.html", content_type="text/html")
        uploaded = await ana.call("POST", "/api/channels/general/messages", data=form)

        first, second = await ana.messages()
        answer = await ana.get(second["files"][0]["url"])

        assert uploaded.status == 201
        assert first["text"] == second["text"] == NASTY
        assert "/" not in second["files"][0]["name"]
        assert answer.body == b"x"
        assert answer.headers["Content-Disposition"].startswith("attachment;")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
        assert (await ana.get(f"/api/channels/{'x%27%3B--'}/messages")).status == 404


async def test_edits_and_deletions_are_the_authors_own(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        ana, bo = web.user("ana"), web.user("bo")
        message = await ana.say("one")
        answer = await web.gateway.post(GENERAL, "a-r1", message, None, view("done"))

        refused = await bo.call("PATCH", f"/api/messages/{message}", {"text": "two"})
        assert (refused.status, "author" in refused.body["text"]) == (403, True)
        assert (await bo.call("DELETE", f"/api/messages/{message}")).status == 403
        assert (await ana.call("PATCH", f"/api/messages/{answer}", {"text": "two"})).status == 403
        assert (await ana.call("DELETE", f"/api/messages/{answer}")).status == 403
        assert (await ana.call("PATCH", "/api/messages/nope", {"text": "two"})).status == 404

        assert (await ana.call("PATCH", f"/api/messages/{message}", {"text": "two"})).status == 200
        assert (await ana.messages())[-1]["text"] == "two"
        assert (await ana.messages())[-1]["edited"] is True
        assert (await ana.call("DELETE", f"/api/messages/{message}")).status == 200
        assert (await ana.call("DELETE", f"/api/messages/{message}")).status == 410
        assert (await ana.call("PATCH", f"/api/messages/{message}", {"text": "x"})).status == 410

        posted, edited, deleted = await web.core.has(3)
        assert isinstance(posted, MessagePosted)
        assert isinstance(edited, MessageEdited)
        assert isinstance(deleted, MessageDeleted)
        assert (edited.message, edited.text, deleted.message) == (message, "two", message)


async def test_an_edit_to_the_same_text_is_no_event(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        ana = web.user("ana")
        message = await ana.say("one")
        before = (await ana.listing())["cursor"]

        assert (await ana.call("PATCH", f"/api/messages/{message}", {"text": "one"})).status == 200
        await ana.say("two")

        assert [type(event) for event in await web.core.has(2)] == [MessagePosted, MessagePosted]
        assert [message["text"] for message in await ana.messages(after=before)] == ["two"]


async def test_threads(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        ana = web.user("ana")
        root = await ana.say("root")
        reply = await ana.say("reply", thread=root)
        nested = await ana.say("reply to a reply", thread=reply)
        await web.gateway.post(GENERAL, "t", reply, root, view("in the thread"))
        elsewhere = await ana.say("other", channel="ops")

        assert [message["id"] for message in await ana.messages()][:3] == [root, reply, nested]
        in_thread = await ana.messages(thread=root)
        assert [message["author"] for message in in_thread] == ["ana", "ana", "fencepost"]
        assert {message["thread"] for message in in_thread} == {root}
        events = await web.core.has(3)
        assert [event.thread for event in events[:3] if isinstance(event, MessagePosted)] == [None, root, root]
        for thread in ("nope", elsewhere):
            refused = await ana.post("/api/channels/general/messages", {"text": "x", "thread": thread})
            assert refused.status == 404


@pytest.mark.parametrize(
    ("text", "plain", "addressed"),
    [
        ("@fencepost how many primes", "how many primes", True),
        ("hey @Fencepost, go", "hey go", True),
        ("```\n@fencepost\n```", "```\n@fencepost\n```", False),
        ("mail me@fencepost.org", "mail me@fencepost.org", False),
    ],
)
async def test_a_mention_addresses_the_bot(tmp_path: Path, text: str, plain: str, *, addressed: bool) -> None:
    async with site(tmp_path) as web:
        await web.user("ana").say(text)
        [event] = await web.core.has(1)

        assert isinstance(event, MessagePosted)
        assert (event.text, event.addressed) == (plain, addressed)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"text": 1}, "text"),
        ({"text": ["a"]}, "text"),
        ({"text": ""}, "text"),
        ({"text": "  \n"}, "text"),
        ({}, "text"),
        ({"text": "a", "thread": 7}, "thread"),
        ({"text": "\ud800"}, "text"),
        ({"text": "a", "files": [{"name": "x"}]}, "files"),
        ([1], "object"),
        ("a", "object"),
    ],
)
async def test_a_wrong_body_is_refused_by_the_name_of_the_field(tmp_path: Path, body: Any, field: str) -> None:
    async with site(tmp_path) as web:
        refused = await web.user("ana").post("/api/channels/general/messages", body)

        assert refused.status == 400
        assert field in refused.body["text"]
        assert await web.user("ana").messages() == []


async def test_a_body_that_is_not_json_is_refused(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        ana = web.user("ana")
        path = "/api/channels/general/messages"
        json = {"Content-Type": "application/json"}
        for raw in (b"", b"{", b"\xff", b"[" * 100_000):
            assert (await ana.call("POST", path, data=raw, headers=json)).status == 400
        plain = await ana.call("POST", path, data=b'{"text":"x"}', headers={"Content-Type": "text/plain"})
        form = await ana.call("POST", path, data={"text": "x"})
        long = await ana.call("POST", path, data=BytesIO(b'{"text":"' + b"x" * (2 * 1024 * 1024) + b'"}'), headers=json)
        assert (plain.status, form.status, long.status) == (415, 415, 413)
        assert (await ana.post(path, {"text": "x" * (256 * 1024 + 1)})).status == 413
        assert (await ana.post(path, {"text": "x" * (256 * 1024)})).status == 201


async def test_uploads_are_bounded(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        ana = web.user("ana")

        async def upload(*sizes: int) -> int:
            form = aiohttp.FormData()
            form.add_field("text", "see")
            for number, size in enumerate(sizes):
                form.add_field("files", BytesIO(b"x" * size), filename=f"{number}.bin")
            return (await ana.call("POST", "/api/channels/general/messages", data=form)).status

        most = 8 * 1024 * 1024
        assert await upload(most) == 201
        assert await upload(most + 1) == 413
        assert await upload(*[1] * 10) == 201
        assert await upload(*[1] * 11) == 413
        events = await web.core.has(2)
        assert [len(event.files) for event in events if isinstance(event, MessagePosted)] == [1, 10]


async def test_the_same_idempotency_key_is_the_same_message(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        path, key = "/api/channels/general/messages", {"Idempotency-Key": "k1"}
        ana = web.user("ana")
        first = await ana.post(path, {"text": "once"}, headers=key)
        again = await asyncio.gather(*(ana.post(path, {"text": "once"}, headers=key) for _ in range(5)))
        other = await ana.post(path, {"text": "something else"}, headers=key)
        of_bo = await web.user("bo").post(path, {"text": "once"}, headers=key)

        assert {answer.body["id"] for answer in again} == {first.body["id"]}
        assert {answer.status for answer in again} == {201}
        assert other.status == 422
        assert of_bo.body["id"] != first.body["id"]
        assert len(await ana.messages()) == 2
        assert len(await web.core.has(2)) == 2


async def test_a_command_is_seen_and_answered_privately(tmp_path: Path) -> None:
    core = ScriptedCore(lambda event: (Reply(ReplyKind.DONE, "Type a fence."),))
    async with site(tmp_path, core) as web:
        ana, bo = web.user("ana"), web.user("bo")
        said = await ana.post("/api/channels/general/messages", {"text": "/fencepost help me"})
        [event] = await core.has(1)

        assert said.status == 201
        assert said.body["text"] == "Type a fence."
        assert isinstance(event, CommandIssued)
        assert (event.text, event.actor.id) == ("help me", "web:ana")
        command, answer = await ana.messages()
        assert command["id"] == said.body["id"]
        assert (answer["author"], answer["reply_to"], answer["text"]) == ("fencepost", command["id"], "Type a fence.")
        assert await bo.messages() == []
        assert (await bo.call("DELETE", f"/api/messages/{command['id']}")).status == 404
        assert (await bo.post(f"/api/messages/{answer['id']}/buttons/approve", {})).status == 404
        assert (await ana.call("PATCH", f"/api/messages/{command['id']}", {"text": "x"})).status == 400
        public = await ana.say("public")
        assert (await ana.call("PATCH", f"/api/messages/{public}", {"text": "/fencepost halt"})).status == 400


async def test_a_click_reaches_the_core_with_all_that_was_filled_in(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        message = await web.gateway.post(GENERAL, "a", None, None, view("asks", button(Verb.DENY)))
        form = {"reason": "no", "choice": "c1", "confirm": True, "stdin": "1\n2", "args": "-v"}

        answer = await web.user("lee").post(f"/api/messages/{message}/buttons/deny", form)
        [event] = web.core.events

        assert (answer.status, answer.body) == (202, {})
        assert isinstance(event, ButtonPressed)
        assert (event.request, event.verb, event.binding) == ("r1", Verb.DENY, "0123abcd")
        assert event.actor == Actor("web:lee", "lee", standing=frozenset({"web_roles:lead"}))
        assert (event.reason, event.choice, event.confirm, event.stdin, event.args) == ("no", "c1", True, "1\n2", "-v")


@pytest.mark.parametrize(
    ("reply", "status", "body"),
    [
        (Reply(ReplyKind.DONE), 202, {}),
        (Reply(ReplyKind.DONE, "Approved."), 202, {"text": "Approved."}),
        (Reply(ReplyKind.CONFIRM, "212 lines; sure?"), 409, {"confirm": "212 lines; sure?"}),
        (Reply(ReplyKind.REASON, "Say why."), 409, {"reason": "Say why."}),
        (Reply(ReplyKind.CHOOSE, choices=(Choice("c1", "This"),)), 409, {"choices": [{"id": "c1", "text": "This"}]}),
        (Reply(ReplyKind.FORBIDDEN, "Only leads."), 403, {"text": "Only leads."}),
        (Reply(ReplyKind.GONE, "Decided."), 410, {"text": "Decided."}),
        (Reply(ReplyKind.UNKNOWN, "What?"), 404, {"text": "What?"}),
        (Reply(ReplyKind.INVALID, "An open quote."), 400, {"text": "An open quote."}),
        (Reply(ReplyKind.FAILED, "Reference 12."), 503, {"text": "Reference 12."}),
    ],
)
async def test_what_the_core_says_to_a_click(tmp_path: Path, reply: Reply, status: int, body: Any) -> None:
    async with site(tmp_path, ScriptedCore(lambda event: (reply,))) as web:
        message = await web.gateway.post(GENERAL, "a", None, None, view("asks", button(Verb.APPROVE)))

        answer = await web.user("lee").call("POST", f"/api/messages/{message}/buttons/approve")

        assert (answer.status, answer.body) == (status, body)


async def test_a_click_is_for_the_bytes_that_were_drawn(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        old, new = button(Verb.APPROVE, binding="aaaaaaaa"), button(Verb.APPROVE, binding="bbbbbbbb")
        message = await web.gateway.post(GENERAL, "a", None, None, view("old", old))
        await web.gateway.edit(GENERAL, message, view("new", new))
        path = f"/api/messages/{message}/buttons/approve"

        await web.user("lee").post(path, {})
        await web.user("lee").post(path, {"value": old.value})
        unknown = await web.user("lee").post(path, {"value": button(Verb.APPROVE, binding="cccccccc").value})

        assert [event.binding for event in web.core.events if isinstance(event, ButtonPressed)] == [
            "bbbbbbbb",
            "aaaaaaaa",
        ]
        assert unknown.status == 404


async def test_a_button_that_shows_no_more_still_reaches_the_core(tmp_path: Path) -> None:
    async with site(tmp_path, ScriptedCore(lambda event: (Reply(ReplyKind.GONE, "Decided by lee."),))) as web:
        message = await web.gateway.post(GENERAL, "a", None, None, view("asks", button(Verb.APPROVE)))
        await web.gateway.edit(GENERAL, message, view("done"))

        late = await web.user("lee").post(f"/api/messages/{message}/buttons/approve", {})
        never = await web.user("lee").post(f"/api/messages/{message}/buttons/remember", {})
        await web.gateway.delete(GENERAL, message)
        removed = await web.user("lee").post(f"/api/messages/{message}/buttons/approve", {})
        nowhere = await web.user("lee").post("/api/messages/nope/buttons/approve", {})

        assert (late.status, late.body) == (410, {"text": "Decided by lee."})
        assert [never.status, removed.status, nowhere.status] == [404, 410, 404]
        assert removed.body["text"]
        assert len(web.core.events) == 1


@pytest.mark.parametrize("field", ["reason", "choice", "confirm", "stdin", "args", "value"])
async def test_a_wrong_type_in_a_click_is_refused(tmp_path: Path, field: str) -> None:
    async with site(tmp_path) as web:
        message = await web.gateway.post(GENERAL, "a", None, None, view("asks", button(Verb.APPROVE)))

        refused = await web.user("lee").post(f"/api/messages/{message}/buttons/approve", {field: 7})

        assert refused.status == 400
        assert field in refused.body["text"]
        assert web.core.events == []


async def test_a_click_comes_after_what_was_said_before_it(tmp_path: Path) -> None:
    """An edit that was accepted must not be overtaken by the approval of what stood there before."""
    core = ScriptedCore()
    async with site(tmp_path, core) as web:
        ana = web.user("ana")
        asked = await ana.say("one")
        message = await web.gateway.post(GENERAL, "a", asked, None, view("asks", button(Verb.APPROVE)))
        await core.has(1)
        core.broken = StoreUnavailable("full")
        await ana.call("PATCH", f"/api/messages/{asked}", {"text": "two"})
        clicked = asyncio.create_task(web.user("lee").post(f"/api/messages/{message}/buttons/approve", {}))
        await asyncio.sleep(0.1)
        core.broken = None

        assert (await clicked).status == 202
        assert [type(event) for event in core.events] == [MessagePosted, MessageEdited, ButtonPressed]


async def test_full_output_is_handed_to_the_clicker_alone(tmp_path: Path) -> None:
    core = ScriptedCore()
    async with site(tmp_path, core) as web:
        file = await web.blobs.put(b"all of it", "output.txt", "text/plain")
        core.script = lambda event: (Reply(ReplyKind.DONE, files=(file,)),)
        message = await web.gateway.post(GENERAL, "a", None, None, view("done", button(Verb.FULL_OUTPUT)))

        answer = await web.user("ana").post(f"/api/messages/{message}/buttons/full_output", {})
        [given] = answer.body["files"]

        assert answer.status == 202
        assert (await web.user("ana").get(given["url"])).body == b"all of it"
        assert (await web.user("bo").get(given["url"])).status == 404
        assert (await web.user("ana").get(given["url"].replace("/h", "/hx", 1))).status == 404
        forged = f"/api/files/{message}/{file.sha256}/{file.name}"
        assert (await web.user("ana").get(forged)).status == 404


async def test_a_file_that_is_no_longer_kept_says_so(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        ana = web.user("ana")
        file = await web.blobs.put(b"x", "a.txt")
        gone = file.model_copy(update={"sha256": "0" * 64})
        message = await web.gateway.post(GENERAL, "a", None, None, view("x", files=(file, gone)))

        assert (await ana.get(f"/api/files/{message}/{'0' * 64}/a.txt")).status == 410
        assert (await ana.get(f"/api/files/{message}/{file.sha256}/b.txt")).status == 404
        assert (await ana.get(f"/api/files/{message}/{file.sha256}/a.txt")).status == 200


async def test_pages_end_early_and_lose_nothing(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        ana = web.user("ana")
        for number in range(30):
            await web.gateway.post(GENERAL, str(number), None, None, view(str(number) + "x" * 100_000))
        seen, after, pages = [], "", 0
        while True:
            page = await ana.listing(after=after)
            seen += [message["text"].partition("x")[0] for message in page["messages"]]
            after, pages = page["cursor"], pages + 1
            if not page["more"]:
                break

        assert seen == [f"✅ {number}" for number in range(30)]
        assert pages > 1
        assert [len((await ana.listing(limit=limit))["messages"]) for limit in ("1", "3", "0")] == [1, 3, 1]
        for wrong in (
            {"limit": "x"},
            {"limit": "-1"},
            {"before": "x"},
            {"before": "-1"},
            {"after": "x"},
            {"after": "-1"},
            {"after": "1" * 30},
        ):
            assert (await ana.get("/api/channels/general/messages", params=wrong)).status == 400
        assert (await ana.listing(after="999999999"))["messages"] != []


async def test_a_channel_that_is_behind_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "CAUGHT_UP_S", 0.1)
    monkeypatch.setattr(lanes, "MOST_WAITING", 3)
    core = ScriptedCore(broken=StoreUnavailable("full"))
    async with site(tmp_path, core) as web:
        message = await web.gateway.post(GENERAL, "a", None, None, view("asks", button(Verb.APPROVE)))
        statuses = []
        for number in range(6):
            said = await web.user("ana").post("/api/channels/general/messages", {"text": str(number)})
            statuses.append(said.status)
            await until(lambda: core.tries > 0)
        clicked = await web.user("lee").post(f"/api/messages/{message}/buttons/approve", {})

        assert statuses == [201, 201, 201, 201, 503, 503]
        assert clicked.status == 503
        assert (await web.user("ana").post("/api/channels/ops/messages", {"text": "x"})).status == 201
        core.broken = None
        texts = [event.text for event in await core.has(5) if isinstance(event, MessagePosted)]
        assert [text for text in texts if text != "x"] == list("0123")


@pytest.mark.usefixtures("impatient")
async def test_our_own_trouble_is_a_sentence_with_a_reference(tmp_path: Path) -> None:
    core = ScriptedCore(broken=RuntimeError("a secret of ours"))
    async with site(tmp_path, core) as web:
        ana, lee = web.user("ana"), web.user("lee")
        message = await web.gateway.post(GENERAL, "a", None, None, view("asks", button(Verb.APPROVE)))

        for trouble, status in ((RuntimeError("a secret of ours"), 500), (StoreUnavailable("/secret/path"), 503)):
            core.broken = trouble
            answer = await lee.post(f"/api/messages/{message}/buttons/approve", {})
            assert answer.status == status
            assert "eference" in answer.body["text"]
            assert "secret" not in answer.body["text"]
        core.broken = RuntimeError("a secret of ours")
        said = await ana.post("/api/channels/general/messages", {"text": "/fencepost help"})
        assert said.status == 201
        assert "eference" in said.body["text"]


async def test_a_database_that_fails_is_a_503_and_comes_back(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        with sqlite3.connect(tmp_path / "web.sqlite3") as other:
            other.execute("ALTER TABLE messages RENAME TO away")
            other.commit()
            failed = await web.user("ana").post("/api/channels/general/messages", {"text": "x"})
            with pytest.raises(PlatformUnavailable):
                await web.gateway.post(GENERAL, "a", None, None, view("x"))
            other.execute("ALTER TABLE away RENAME TO messages")
            other.commit()
        other.close()
        assert failed.status == 503
        await web.user("ana").say("x")
        [event] = await web.core.has(1)
        assert isinstance(event, MessagePosted)


async def test_pages_from_the_end_backwards(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        ana = web.user("ana")
        said = [await ana.say(str(number)) for number in range(25)]
        await ana.say("elsewhere", "ops")
        await web.user("bo").say("/fencepost help")
        assert (await ana.call("DELETE", f"/api/messages/{said[3]}")).status == 200
        assert (await ana.call("PATCH", f"/api/messages/{said[20]}", {"text": "changed"})).status == 200
        seen: list[str] = []
        before, more = "", True
        while more:
            page = await ana.listing(before=before, limit="10")
            seen = [message["id"] for message in page["messages"]] + seen
            before, more = str(page["messages"][0]["number"]), page["more"]
        assert seen == said[:3] + said[4:], "by creation, without what was removed and what is not for her"
        newest = await ana.listing(before="", limit="1")
        last = await ana.say("26")
        since = await ana.listing(after=newest["cursor"])
        assert last in [message["id"] for message in since["messages"]], "the cursor goes on from there"


async def test_a_database_of_the_first_version_is_brought_up_to_date(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        message = await web.user("ana").say("old")
    with contextlib.closing(sqlite3.connect(tmp_path / "web.sqlite3")) as other:
        other.execute("DROP INDEX messages_by_creation")
        other.execute("PRAGMA user_version=1")
        other.commit()
    async with site(tmp_path) as web:
        assert [m["id"] for m in (await web.user("ana").listing(before=""))["messages"]] == [message]
    with contextlib.closing(sqlite3.connect(tmp_path / "web.sqlite3")) as other:
        assert other.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert other.execute("SELECT 1 FROM sqlite_master WHERE name = 'messages_by_creation'").fetchone() == (1,)


async def test_a_database_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "web.sqlite3")) as other:
        other.execute("PRAGMA user_version=99")
        other.commit()
    with pytest.raises(PlatformUnavailable, match="later version"):
        async with site(tmp_path):
            pass


async def test_a_deleted_message_takes_its_files_along(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        ana = web.user("ana")
        form = aiohttp.FormData()
        form.add_field("files", b"secret", filename="a.txt")
        said = await ana.call("POST", "/api/channels/general/messages", data=form)
        [message] = await ana.messages()

        assert (await ana.call("DELETE", f"/api/messages/{said.body['id']}")).status == 200
        assert (await ana.get(message["files"][0]["url"])).status == 410


async def test_a_post_is_made_once_and_found_after_a_restart(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        first = await web.gateway.post(GENERAL, "a-r1", None, None, view("one"))
        elsewhere = await web.gateway.post(OPS, "a-r1", None, None, view("of another channel"))
    async with site(tmp_path) as web:
        assert await web.gateway.find(GENERAL, "a-r1") == first
        assert await web.gateway.post(GENERAL, "a-r1", None, None, view("two")) == first
        assert await web.gateway.find(OPS, "a-r1") == elsewhere
        [message] = await web.user("ana").messages()
        assert message["text"].startswith("✅ two")

        await web.gateway.delete(GENERAL, first)
        assert await web.gateway.find(GENERAL, "a-r1") is None
        with pytest.raises(MessageGone):
            await web.gateway.edit(GENERAL, first, view("three"))
        assert await web.gateway.post(GENERAL, "a-r1", None, None, view("anew")) != first


async def test_the_gateway_touches_the_bots_own_messages_only(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        message = await web.user("ana").say("mine")
        posted = await web.gateway.post(GENERAL, "a", None, None, view("one"))
        for channel, target in ((GENERAL, message), (OPS, posted), (GENERAL, "nope")):
            with pytest.raises(MessageGone):
                await web.gateway.edit(channel, target, view("x"))
            with pytest.raises(MessageGone):
                await web.gateway.delete(channel, target)


@pytest.mark.parametrize("trouble", [StoreUnavailable("disk full"), RuntimeError("a bug")])
async def test_an_event_that_the_core_could_not_save_comes_again_after_a_restart(
    tmp_path: Path, trouble: Exception
) -> None:
    async with site(tmp_path, ScriptedCore(broken=trouble)) as web:
        message = await web.user("ana").say("owed")
        await web.user("ana").call("PATCH", f"/api/messages/{message}", {"text": "owed too"})
        assert web.core.events == []
    async with site(tmp_path) as web:
        posted, edited = await web.core.has(2)
        assert isinstance(posted, MessagePosted)
        assert isinstance(edited, MessageEdited)
        assert (posted.message, posted.text, edited.text) == (message, "owed", "owed too")
        await web.user("ana").say("new")
        await web.core.has(3)
        await web.settled()
    async with site(tmp_path) as web:
        await web.user("ana").say("later")
        [event] = await web.core.has(1)
        assert isinstance(event, MessagePosted)
        assert event.text == "later"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "PATIENCE_S", 0.1)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("raises", [True, False])
async def test_an_event_that_breaks_the_core_does_not_stop_the_channel(tmp_path: Path, *, raises: bool) -> None:
    def script(event: AnyEvent) -> tuple[Reply, ...]:
        if isinstance(event, MessagePosted) and event.text == "poison":
            core.events.remove(event)
            if raises:
                raise RuntimeError("a bug")
            return (Reply(ReplyKind.FAILED, "Something went wrong (reference 1). Nothing was done."),)
        return ()

    core = ScriptedCore(script)
    async with site(tmp_path, core) as web:
        message = await web.user("ana").say("poison")
        await web.user("ana").say("fine")

        [event] = await core.has(1)
        assert isinstance(event, MessagePosted)
        assert event.text == "fine"
        await web.settled()
        [said] = [shown for shown in await web.user("ana").messages() if shown["private"]]
        assert said["reply_to"] == message
        assert "othing was done" in said["text"]
        assert len(await web.user("bo").messages()) == 2


@pytest.mark.usefixtures("impatient")
async def test_an_edit_that_the_core_could_not_take_is_tried_again_once_it_works(tmp_path: Path) -> None:
    core = ScriptedCore()
    async with site(tmp_path, core) as web:
        ana = web.user("ana")
        message = await ana.say("one")
        await core.has(1)
        await web.settled()
        card = await web.gateway.post(GENERAL, "a", message, None, view("asks", button(Verb.APPROVE)))
        core.broken = StoreUnavailable("full")
        await ana.call("PATCH", f"/api/messages/{message}", {"text": "two"})
        await ana.call("PATCH", f"/api/messages/{message}", {"text": "three"})
        lost = await ana.post("/api/channels/general/messages", {"text": "/fencepost help"})
        clicked = await web.user("lee").post(f"/api/messages/{card}/buttons/approve", {})
        core.broken = None
        again = await web.user("lee").post(f"/api/messages/{card}/buttons/approve", {})
        events = await core.has(4)
        await web.settled()

        assert "othing was done" in lost.body["text"]
        assert [clicked.status, again.status] == [503, 202]
        assert [type(event) for event in events] == [MessagePosted, MessageEdited, MessageEdited, ButtonPressed]
        assert [event.text for event in events if isinstance(event, MessageEdited)] == ["two", "three"]


async def test_a_command_whose_answer_was_lost_says_so(tmp_path: Path) -> None:
    core = ScriptedCore(broken=StoreUnavailable("full"))
    async with site(tmp_path, core) as web:
        posting = asyncio.create_task(
            web.user("ana").post("/api/channels/general/messages", {"text": "/fencepost help"})
        )
        await until(lambda: core.tries > 0)
        posting.cancel()
    async with site(tmp_path, ScriptedCore()) as web:
        await web.core.has(1)
        await web.settled()
        [_, answer] = await web.user("ana").messages()
        assert "restarted" in answer["text"]


async def test_nothing_said_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    """A real process, ended by SIGKILL while the core has the event and has not answered."""
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.integration.webchild", str(tmp_path)), stdout=asyncio.subprocess.PIPE
    )
    assert child.stdout is not None
    try:
        async with asyncio.timeout(20):
            base = await line_of(child.stdout, "at ")
            async with aiohttp.ClientSession(base, headers={"X-Fencepost-User": "ana"}) as http:
                path = "/api/channels/general/messages"
                async with http.post(path, json={"text": "owed"}, headers={"Idempotency-Key": "k"}) as said:
                    message = (await said.json())["id"]
            await line_of(child.stdout, "reached")
    finally:
        child.send_signal(signal.SIGKILL)
        await child.wait()
    async with site(tmp_path) as web:
        [event] = await web.core.has(1)
        assert isinstance(event, MessagePosted)
        assert (event.message, event.text) == (message, "owed")
        again = await web.user("ana").post(path, {"text": "owed"}, headers={"Idempotency-Key": "k"})
        assert again.body["id"] == message
        assert [message["text"] for message in await web.user("ana").messages()] == ["owed"]


async def line_of(stream: asyncio.StreamReader, start: str) -> str:
    while line := (await stream.readline()).decode():
        if line.startswith(start):
            return line.removeprefix(start).strip()
    raise AssertionError(f"ended without {start!r}")
