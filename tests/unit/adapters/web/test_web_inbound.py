from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.web.answers import Refused
from adapters.web.inbound import Fields, Press, command_of, event_of, without_mention
from adapters.web.message import Owed, OwedBody, OwedKind
from bot.core.buttons import ButtonValue
from bot.core.events import CommandIssued, MessageDeleted, MessageEdited, MessagePosted, Verb
from bot.core.keys import Actor, ChannelKey
from bot.core.reports import FileRef

CHANNEL = ChannelKey("web", "local", "general")
ANA = Actor("web:ana", "ana")
FILE = FileRef(name="a.txt", sha256="0" * 64, bytes=1)


def owed(kind: OwedKind) -> Owed:
    return Owed(
        seq=1,
        id="web:m1:7",
        channel="general",
        message="m1",
        kind=kind,
        author="ana",
        at=5.0,
        body=OwedBody(text="hi", thread="m0", addressed=True, files=(FILE,)),
    )


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/fencepost", ""),
        ("/fencepost help", "help"),
        ("/fencepost\nexplain\n```\nx\n```", "explain\n```\nx\n```"),
        ("/fencepost   ", ""),
        ("/fenceposts", None),
        (" /fencepost help", None),
        ("say /fencepost", None),
        ("/Fencepost help", None),
        ("", None),
    ],
)
def test_a_command_begins_with_its_name(text: str, command: str | None) -> None:
    assert command_of(text) == command


@pytest.mark.parametrize(
    ("text", "plain", "addressed"),
    [
        ("@fencepost", "", True),
        ("@fencepost: go", "go", True),
        ("please, @FENCEPOST go", "please, go", True),
        ("@fencepost\n```\n@fencepost\n```", "\n```\n@fencepost\n```", True),
        ("~~~\n@fencepost\n~~~", "~~~\n@fencepost\n~~~", False),
        ("`@fencepost`", "`@fencepost`", False),
        ("@fenceposts and @fencepost-bot", "@fenceposts and @fencepost-bot", False),
        ("ana@fencepost", "ana@fencepost", False),
        ("", "", False),
    ],
)
def test_a_mention_is_taken_out_of_what_is_not_code(text: str, plain: str, *, addressed: bool) -> None:
    assert without_mention(text) == (plain, addressed)


@given(st.text())
def test_from_the_first_fence_on_nothing_is_touched(code: str) -> None:
    text = f"```\n{code}@fencepost {code}"

    assert without_mention(text) == (text, False)


def test_an_owed_event_becomes_the_core_s() -> None:
    posted = event_of(owed(OwedKind.POSTED), CHANNEL, ANA)
    edited = event_of(owed(OwedKind.EDITED), CHANNEL, ANA)

    for event, kind in ((posted, MessagePosted), (edited, MessageEdited)):
        assert event == kind(
            id="web:m1:7",
            channel=CHANNEL,
            at=5.0,
            message="m1",
            author=ANA,
            text="hi",
            thread="m0",
            addressed=True,
            files=(FILE,),
        )
    assert event_of(owed(OwedKind.DELETED), CHANNEL, ANA) == MessageDeleted(
        id="web:m1:7", channel=CHANNEL, at=5.0, message="m1"
    )
    assert event_of(owed(OwedKind.COMMAND), CHANNEL, ANA) == CommandIssued(
        id="web:m1:7", channel=CHANNEL, at=5.0, actor=ANA, text="hi"
    )


@pytest.mark.parametrize("value", [1, 1.5, True, [], {}, ["a"]])
def test_a_text_is_a_text(value: Any) -> None:
    with pytest.raises(Refused, match=r"^why: has to be a text"):
        Fields({"why": value}).text("why")


def test_limits_of_a_text() -> None:
    assert Fields({"a": "xx"}).text("a", 2) == "xx"
    with pytest.raises(Refused, match="longer than 2"):
        Fields({"a": "xxx"}).text("a", 2)
    with pytest.raises(Refused, match="surrogate"):
        Fields({"a": "x\udc00"}).text("a")


@pytest.mark.parametrize("value", [1, 0, "true", [], {}])
def test_a_flag_is_true_or_false(value: Any) -> None:
    with pytest.raises(Refused, match=r"^confirm: has to be true or false"):
        Fields({"confirm": value}).flag("confirm")


def test_what_is_missing_or_null_is_none() -> None:
    assert Press.of(Fields({"reason": None, "confirm": None, "unknown": 1})) == Press()


def test_a_press_becomes_the_core_s() -> None:
    press = Press(reason="r", choice="c", confirm=True, stdin="s", args="a")
    event = press.event("e1", CHANNEL, 3.0, ButtonValue("r1", Verb.DENY, "0123abcd"), ANA)

    assert (event.id, event.request, event.verb, event.binding) == ("e1", "r1", Verb.DENY, "0123abcd")
    assert (event.reason, event.choice, event.confirm, event.stdin, event.args) == ("r", "c", True, "s", "a")
