import json
from http import HTTPStatus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.web.answers import compact
from adapters.web.message import Message
from adapters.web.outbound import body_of, body_of_text, cursor_text, file_json, message_json, refusal, told, whole
from bot.core.replies import Choice, Reply, ReplyKind
from bot.core.reports import FileRef
from bot.core.views.view import Button, CodeText, Headline, Note, OutputText, View

FILE = FileRef(name="a/b ü?.png", sha256="f" * 64, bytes=3, media_type="image/png")


def test_every_part_keeps_its_fields() -> None:
    body = body_of(
        View(
            (Headline("✅", "done"), CodeText("python", "x\n", 7, 2), OutputText("1\n"), Note("small")),
            status="completed",
            buttons=(Button("deny", "Deny…", "v1:r1:deny:0123abcd", "danger", "reason"),),
            files=(FILE,),
            mention=("leads",),
        )
    )

    assert body.blocks == (
        {"kind": "headline", "glyph": "✅", "text": "done"},
        {"kind": "code", "language": "python", "text": "x\n", "first_line": 7, "left_out": 2},
        {"kind": "output", "text": "1\n"},
        {"kind": "note", "text": "small"},
    )
    assert body.buttons == (
        {"id": "deny", "label": "Deny…", "style": "danger", "value": "v1:r1:deny:0123abcd", "opens": "reason"},
    )
    assert body.text == "✅ done\nx\n1\nsmall\na/b ü?.png (3 bytes)"
    assert (body.status, body.mention) == ("completed", ("leads",))


@given(st.text(alphabet=st.characters(codec=None, exclude_categories=())))
def test_any_text_can_be_kept_and_sent(text: str) -> None:
    body = body_of(View((OutputText(text), Headline("✅", text)), buttons=(Button("a", text, "v"),)))

    assert type(body).model_validate_json(body.model_dump_json()) == body
    assert isinstance(body.blocks[0]["text"].encode(), bytes)
    assert compact(body.blocks[0]).isascii()


@given(st.text())
def test_text_that_is_whole_stays_as_it_is(text: str) -> None:
    assert whole(text) == text


def test_half_a_pair_is_replaced() -> None:
    assert whole("a\ud800b\udc00") == "a\ufffdb\ufffd"


def test_a_message_has_all_the_keys_of_the_contract() -> None:
    shown = message_json(
        Message(
            id="m1",
            channel="general",
            thread=None,
            author="ana",
            reply_to=None,
            only_for="ana",
            body=body_of_text("hi", (FILE,)),
            created_at=1.0,
            created=1,
            changed=2,
            edited=True,
            deleted=False,
        )
    )

    contract = {"id", "thread", "author", "reply_to", "text", "blocks", "buttons", "files", "status", "edited"}
    assert contract <= set(shown)
    assert (shown["private"], shown["edited"], shown["cursor"]) == (True, True, "000000000002")
    assert set(shown["files"][0]) == {"name", "url", "media_type", "bytes"}
    json.dumps(shown)


def test_a_file_s_name_is_no_path_in_its_address() -> None:
    assert file_json("m1", FILE)["url"] == f"/api/files/m1/{'f' * 64}/a%2Fb%20%C3%BC%3F.png"


@given(st.integers(0, 10**11), st.integers(0, 10**11))
def test_cursors_are_ordered_as_text(one: int, other: int) -> None:
    assert (cursor_text(one) < cursor_text(other)) == (one < other)


@pytest.mark.parametrize("kind", list(ReplyKind))
def test_every_kind_of_reply_has_a_status(kind: ReplyKind) -> None:
    refused = refusal((Reply(ReplyKind.DONE, "x"), Reply(kind, "why", choices=(Choice("c", "t"),))))

    if kind is ReplyKind.DONE:
        assert refused is None
    else:
        assert refused is not None
        status, body = refused
        assert status >= HTTPStatus.BAD_REQUEST
        assert body


def test_several_replies_are_one_message() -> None:
    body = told((Reply(ReplyKind.DONE, "one"), Reply(ReplyKind.CHOOSE, "two", choices=(Choice("c", "t"),))))

    assert body is not None
    assert body.text == "one\ntwo\nc: t"
    assert told((Reply(ReplyKind.DONE),)) is None
    assert told(()) is None
