import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.console.outbound import Ink, Shown, neutral, told
from bot.core.reports import FileRef
from bot.core.views.view import Button, CodeText, Headline, Note, OutputText, View

PLAIN = Ink()


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[2J\x1b[1;1Hgone", "gone"),
        ("\x1b]0;title\x07x", "x"),
        ("\x1b]8;;http://e\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b31mred", "red"),
        ("a\rb", "a\\x0db"),
        ("a\r\nb", "a\nb"),
        ("\x07\x00", "\\x07\\x00"),
        ("\u202eabc", "\\u202eabc"),
        ("a\u200bb", "a\\u200bb"),
        ("\udc80", "\\udc80"),
        ("\U000e0041", "\\U000e0041"),
        ("é ✅ 漢字 😀", "é ✅ 漢字 😀"),
    ],
)
def test_what_a_terminal_would_obey_is_spelled_out(text: str, safe: str) -> None:
    assert neutral(text) == safe


@given(st.text())
def test_nothing_is_left_for_a_terminal_to_obey(text: str) -> None:
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", neutral(text))


def running(output: str, clock: str = "1 s") -> View:
    parts = (Headline("⏳", f"Python · running · {clock}"), OutputText(output))
    return View(parts, status="running", buttons=(Button("stop", "Stop", "v1:r:stop:00000000", "danger"),))


def ended(output: str) -> View:
    return View((Headline("✅", "Python · exit 0"), OutputText(output)), status="completed")


def test_a_message_is_drawn_from_top_to_bottom() -> None:
    view = View(
        (Headline("🔒", "ana wants"), CodeText("python", "a\nb\n", left_out=3), Note("why")),
        status="waiting",
        buttons=(Button("approve", "Approve", "x", "primary"), Button("deny", "Deny…", "y", "danger")),
        files=(FileRef(name="a\x1b[2J.png", sha256="0" * 64, bytes=3),),
        mention=("@leads",),
    )
    lines, _ = told(view, "4", PLAIN)
    assert lines == [
        "#4 🔒 ana wants",
        "   1 │ a",
        "   2 │ b",
        "     │ … 3 lines left out …",
        "   why",
        "   📎 a.png (3 bytes)",
        "   [1 Approve] [2 Deny…]",
        "   → @leads",
    ]


def test_output_is_appended_as_it_grows_and_only_in_whole_lines() -> None:
    told_lines, shown = [], None
    for view in (running("a\nb"), running("a\nb\nc", "2 s"), running("a\nb\nc", "3 s"), ended("a\nb\nc\nd\n")):
        lines, shown = told(view, "1", PLAIN, shown)
        told_lines.append(lines)
    assert told_lines == [
        ["#1 ⏳ Python · running · 1 s", "   │ a", "   [1 Stop]"],
        ["   │ b"],
        [],
        ["#1 ✅ Python · exit 0", "   │ c", "   │ d"],
    ]


def test_a_window_that_moved_on_is_not_printed_again() -> None:
    _, shown = told(running("a\nb\nc\n"), "1", PLAIN)
    lines, shown = told(running("c\nd\n"), "1", PLAIN, shown)
    assert lines == ["   │ d"]
    lines, _ = told(ended("a\nb\nc\nd\n"), "1", PLAIN, shown)
    assert lines == ["#1 ✅ Python · exit 0"]


def test_output_of_several_blocks_is_told_once() -> None:
    _, shown = told(running("one\n"), "1", PLAIN)
    lines, shown = told(running("two\n"), "1", PLAIN, shown)
    assert lines == ["   │ two"]
    two = View(
        (Headline("✅", "1/2"), OutputText("one\n"), Headline("❌", "2/2"), OutputText("two\nlast\n")), status="failed"
    )
    lines, _ = told(two, "1", PLAIN, shown)
    assert lines == ["#1 ✅ 1/2", "❌ 2/2", "   │ last"]


def test_the_same_output_of_two_blocks_is_told_twice() -> None:
    _, shown = told(running("x\n"), "1", PLAIN)
    two = View((Headline("✅", "1/2"), OutputText("x\n"), Headline("✅", "2/2"), OutputText("x\n")), status="completed")
    assert told(two, "1", PLAIN, shown)[0] == ["#1 ✅ 1/2", "✅ 2/2", "   │ x"]


def test_the_same_view_again_says_nothing() -> None:
    _, shown = told(ended("x\n"), "1", PLAIN)
    assert told(ended("x\n"), "1", PLAIN, shown) == ([], shown)
    assert told(ended("y\n"), "1", PLAIN, shown)[0] != []


def test_a_run_in_the_same_answer_starts_over() -> None:
    _, shown = told(ended("x\n"), "1", PLAIN)
    lines, shown = told(running("x\n"), "1", PLAIN, shown)
    assert lines[1] == "   │ x"
    assert isinstance(shown, Shown)


def test_colour_is_used_only_when_asked_for() -> None:
    assert "\x1b" not in "".join(told(running("a\n"), "1", PLAIN)[0])
    assert "\x1b" in "".join(told(running("a\n"), "1", Ink(colour=True))[0])
