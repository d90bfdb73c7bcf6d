"""What people read, in every state: the first line answers, buttons are few, nothing untrusted hides."""

from typing import Any

import pytest

from bot.core.buttons import parse_button_value
from bot.core.config import ChannelLimits
from bot.core.events import ExecutionHeld, Verb
from bot.core.reports import BlockReport, FileRef, LimitReport
from bot.core.state import Status
from bot.core.views.answer import Live, answer_view
from bot.core.views.excerpt import excerpt
from bot.core.views.view import CodeText, OutputText, plain
from executor.types import MIB, Outcome
from tests.unit.core.talk import LEE, START, Talk, fence, relaxed, report

FILE = FileRef(name="plot.png", sha256="0" * 64, bytes=512, media_type="image/png")


def ended(*reports: BlockReport, code: str = "print(42)", **more: Any) -> str:
    talk = Talk(relaxed())
    request = talk.ask(code)
    talk.ready(request)
    talk.end(request, *reports, **more)
    return talk.text(request)


def one(outcome: Outcome, **fields: Any) -> BlockReport:
    fields = {"exit_code": 1, "duration_ms": 2500.0, "peak_memory_bytes": 41 * MIB, **fields}
    return BlockReport(outcome=outcome, **fields)


@pytest.mark.parametrize(
    ("result", "first_line"),
    [
        (report(), "✅ Python · exit 0 · 12 ms"),
        (report(""), "✅ Python · exit 0 · 12 ms · no output"),
        (
            one(Outcome.FAILED, duration_ms=8.0, error_line="ZeroDivisionError on line 3", text="…"),
            "❌ Python · exit 1 · 8 ms · ZeroDivisionError on line 3",
        ),
        (one(Outcome.FAILED, exit_code=139, signal=11, text="x"), "❌ Python · ended by SIGSEGV · 2.5 s"),
        (one(Outcome.FAILED, exit_code=163, signal=35, text="x"), "❌ Python · ended by signal 35 · 2.5 s"),
        (
            one(Outcome.TIMED_OUT, limit=LimitReport(name="timeout_s", value=10.0)),
            "⏱ Python · stopped after 10 s (this channel's limit) · peak 41 MB",
        ),
        (
            one(Outcome.OUT_OF_MEMORY, limit=LimitReport(name="memory_mb", value=512.0)),
            "🧠 Python · out of memory at 512 MB (this channel's limit) · 2.5 s",
        ),
        (
            one(Outcome.OUTPUT_EXCEEDED, limit=LimitReport(name="output_bytes", value=10.0 * MIB)),
            "✂️ Python · stopped after 10 MB of output (this channel's limit) · 2.5 s",
        ),
        (
            one(Outcome.TOO_MANY_PROCESSES, limit=LimitReport(name="processes", value=64.0)),
            "❌ Python · more than 64 processes (this channel's limit) · 2.5 s",
        ),
        (one(Outcome.CANCELLED), "✋ Python · stopped · 2.5 s"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_first_line_answers_the_question(result: BlockReport, first_line: str) -> None:
    assert ended(result).splitlines()[0] == first_line


def test_several_blocks_have_a_section_each_and_the_rest_is_said_not_to_have_run() -> None:
    talk = Talk(relaxed())
    request = talk.post("\n".join(fence(code) for code in ("print(1)", "1/0", "print(3)")))
    assert request is not None
    talk.ready(request)
    talk.end(request, report("1\n"), one(Outcome.FAILED, text="ZeroDivisionError\n"))
    lines = talk.text(request).splitlines()
    assert lines[0].startswith("✅ Python 1/3 · exit 0")
    assert lines[2].startswith("❌ Python 2/3 · exit 1")
    assert lines[4] == "Block 3 was not run."
    assert talk.view(request).status == "failed"


def test_files_come_with_their_size_and_what_stayed_is_counted() -> None:
    text = ended(report(), files=(FILE,), files_left=4)
    assert "plot.png (512 bytes)" in text
    assert "4 more files stayed in the workspace." in text


def test_full_output_is_offered_where_something_was_cut() -> None:
    talk = Talk(relaxed())
    request = talk.ask()
    talk.ready(request)
    full = FILE.model_copy(update={"name": "output.txt"})
    talk.end(request, report().model_copy(update={"cut": True, "full": full}))
    assert talk.buttons(request) == ["Run again", "Run with input…", "Full output"]
    assert talk.view(request).files == (full,)
    assert talk.press(request, Verb.FULL_OUTPUT, LEE).files == (full,)


def test_the_card_says_what_it_would_run_and_get_and_who_decides() -> None:
    talk = Talk()
    request = talk.ask("import math\nprint(math.pi)")
    view = talk.view(request)
    text = plain(view)
    hexes = request.binding
    assert text.splitlines()[0] == f"🔒 ana wants to run Python (2 lines) in #data · {hexes[:4]} {hexes[4:8]}"
    assert "Would get: no network · 10 s · 512 MB · workspace" in text
    assert "Needs 1 of @leads (not ana) · until 23:13 UTC" in text
    assert "import math\nprint(math.pi)" in text
    assert [b.label for b in view.buttons] == ["Approve", "Approve and remember…", "Deny…", "Cancel"]
    assert view.mention == ("leads",)
    assert view.status == "waiting"


def test_every_button_names_request_verb_and_bytes() -> None:
    talk = Talk()
    request = talk.ask()
    for button in talk.view(request).buttons:
        value = parse_button_value(button.value)
        assert value is not None
        assert (value.request, value.verb, value.binding) == (request.id, Verb(button.id), request.binding[:8])


def test_nobody_to_ask_is_said_on_the_card() -> None:
    talk = Talk()
    talk.under(talk.policy.model_copy(update={"approvers": {"leads": talk.policy.approvers["leads"].__class__()}}))
    assert "Nobody here may approve yet" in talk.text(talk.ask())


def test_what_cannot_be_seen_is_shown_escaped() -> None:
    talk = Talk()
    request = talk.ask("x = 1 # \u202e evil")
    assert "\u202e" not in talk.text(request)
    assert "\\u202e" in talk.text(request)
    assert "Approve and remember…" not in talk.buttons(request)


def test_long_code_shows_head_and_tail_with_true_line_numbers() -> None:
    talk = Talk()
    request = talk.ask("\n".join(f"line_{n}" for n in range(1, 213)))
    head, tail = (part for part in talk.view(request).parts if isinstance(part, CodeText))
    assert head.text.startswith("line_1\n")
    assert tail.text.endswith("line_212\n")
    assert tail.text.startswith(f"line_{tail.first_line}\n")
    assert head.left_out == 212 - head.text.count("\n") - tail.text.count("\n")
    assert "Show all 212 lines" in talk.buttons(request)


def test_one_enormous_line_is_cut_too() -> None:
    talk = Talk()
    request = talk.ask("x = '" + "a" * 9000 + "'")
    assert len(talk.text(request)) < 5000
    assert "Show all 1 line" in talk.buttons(request)


def test_running_shows_the_tail_and_a_clock() -> None:
    talk = Talk(relaxed())
    request = talk.ask()
    request = talk.ready(request)
    view = answer_view(request, talk.state, talk.site, Live(0, "tick\ntock\n", 3.2))
    assert plain(view).splitlines()[0] == "⏳ Python · running · 3.2 s"
    assert OutputText("tick\ntock\n") in view.parts
    assert view.status == "running"


def test_held_by_our_own_failure() -> None:
    talk = Talk(relaxed())
    request = talk.ask()
    talk.step(ExecutionHeld(**talk.base(), request=request.id, text="Docker does not answer.", reference="ab12"))
    assert "Docker does not answer." in talk.text(request)
    assert "reference ab12" in talk.text(request)
    assert talk.buttons(request) == ["Cancel"]
    assert talk.view(request).status == "queued"


@pytest.mark.parametrize("status", list(Status))
def test_every_state_has_one_glyph_one_line_and_few_buttons(status: Status) -> None:
    talk = Talk(limits=ChannelLimits())
    request = talk.in_status(status)
    view = talk.view(request)
    first = plain(view).splitlines()[0]
    assert first[0] in "⏳🔒✅❌⏱🧠✂✋⛔♻"
    assert "!" not in first
    assert len(view.buttons) <= 4
    words = {Status.APPROVED: "queued", Status.ENDED: "completed"}
    assert view.status == words.get(status, status.value)


@pytest.mark.parametrize(
    ("text", "most", "cut"),
    [("a" * 10, 10, False), ("a" * 11, 10, True), ("", 10, False), ("one\ntwo\nthree\nfour\nfive\n", 16, True)],
)
def test_excerpts_keep_head_and_tail(text: str, most: int, cut: bool) -> None:
    kept, was_cut = excerpt(text, most)
    assert was_cut == cut
    assert (kept == text) == (not cut)
    if cut:
        assert "left out" in kept
        assert kept[0] == text[0]
        assert kept[-1] == text[-1]


def test_the_marker_counts_the_missing_lines() -> None:
    text = "".join(f"{n}\n" for n in range(2000))
    kept, _ = excerpt(text, 100)
    head, _, tail = kept.partition("… ")
    left_out = int(tail.split(" lines")[0].replace(" ", ""))
    assert head.count("\n") + left_out + kept.rpartition(" …\n")[2].count("\n") == 2000


def test_times_are_those_of_the_state() -> None:
    talk = Talk()
    request = talk.ask()
    talk.press(request, Verb.APPROVE, LEE)
    assert talk.now(request).decided_at == START
    assert "Approved by lee 22:13 UTC" in talk.text(request)


def test_input_and_arguments_are_part_of_what_is_shown_and_hide_nothing() -> None:
    talk = Talk()
    request = talk.in_status(Status.ENDED)
    talk.press(request, Verb.RUN_INPUT, LEE, stdin="a\u202eb\n", args="'x y' \u200b")
    text = talk.text(talk.state.requests[-1])
    assert "Arguments: 'x y'" in text
    assert "a\\u202eb" in text
    assert "\u202e" not in text
    assert "\u200b" not in text


@pytest.mark.parametrize(
    ("asked", "limit_s", "whose", "advice"),
    [
        ("", 10.0, "10 s (this channel's limit)", '"timeout=60"'),
        (" timeout=5", 5.0, "5 s (as its fence line says)", '"timeout=60"'),
        (" timeout=60", 60.0, "60 s (as its fence line says)", '"timeout=120"'),
        (" timeout=400", 400.0, "7 min (as its fence line says)", '"timeout=600"'),
        (" timeout=600", 600.0, "10 min (as its fence line says)", None),
        (" timeout=60", 20.0, "20 s (this channel's limit)", '"timeout=60"'),
    ],
)
def test_a_time_out_says_whose_limit_it_was_and_a_larger_one(
    asked: str, limit_s: float, whose: str, advice: str | None
) -> None:
    talk = Talk()
    request = talk.post(fence("1", f"python{asked}"))
    assert request is not None
    talk.press(request, Verb.APPROVE, LEE)
    talk.ready(request, LEE)
    talk.end(request, one(Outcome.TIMED_OUT, limit=LimitReport(name="timeout_s", value=limit_s)))
    text = talk.text(request)
    assert f"stopped after {whose}" in text
    assert ("Raise it" in text) == (advice is not None)
    assert advice is None or f"Raise it with a {advice}" in text
