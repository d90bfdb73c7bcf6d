"""What is said below the output: values, and what was missing."""

import pytest

from bot.core.reports import BlockReport, LimitReport
from bot.core.views.view import OutputText
from executor.types import MIB, Outcome
from tests.unit.core.talk import Talk, relaxed


def text(block: BlockReport) -> list[str]:
    talk = Talk(relaxed())
    request = talk.ask("6 * 7")
    talk.ready(request)
    talk.end(request, block)
    return talk.text(request).splitlines()


def fine(**fields: object) -> BlockReport:
    return BlockReport.model_validate({"outcome": Outcome.COMPLETED, "exit_code": 0, "duration_ms": 5.0, **fields})


def failed(**fields: object) -> BlockReport:
    return fine(outcome=Outcome.FAILED, exit_code=1, **fields)


@pytest.mark.parametrize(
    ("block", "lines"),
    [
        (fine(value="42"), ["✅ Python · exit 0 · 5 ms", "→ 42"]),
        (fine(value=""), ["✅ Python · exit 0 · 5 ms", "→ "]),
        (fine(value="   a\n0  1"), ["✅ Python · exit 0 · 5 ms", "→", "   a", "0  1"]),
        (fine(value="42", text="a warning\n"), ["✅ Python · exit 0 · 5 ms", "a warning", "→ 42"]),
        (fine(), ["✅ Python · exit 0 · 5 ms · no output"]),
        (
            failed(text="…", error_line="EOFError on line 1", out_of_input=True),
            [
                "❌ Python · exit 1 · 5 ms · EOFError on line 1",
                "…",
                "It asked for input and there was none left. Run with input… lets you type it.",
            ],
        ),
        (
            failed(text="…", limit=LimitReport(name="file_bytes", value=128.0 * MIB)),
            ["❌ Python · exit 1 · 5 ms", "…", "A file met the limit of 128 MB (this channel's limit)."],
        ),
        (failed(text="…"), ["❌ Python · exit 1 · 5 ms", "…"]),
    ],
)
def test_an_answer_says(block: BlockReport, lines: list[str]) -> None:
    assert text(block) == lines


def test_a_value_is_shown_as_output_is() -> None:
    talk = Talk(relaxed())
    request = talk.ask("6 * 7")
    talk.ready(request)
    talk.end(request, fine(value="<b>*x*</b>"))
    assert OutputText("→ <b>*x*</b>") in talk.view(request).parts
