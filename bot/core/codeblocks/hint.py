"""Hints: one sentence each for whoever wrote a fence that is not what they meant.

All of them are made here, so that the tone is one (UX: nothing to decode, no apology) and a test can read them all.
What they quote of a message is untrusted: clipped, on one line, and without a character that cannot be seen.
"""

from dataclasses import dataclass
from enum import StrEnum

from bot.core.languages import LanguageTable

_QUOTE_CHARS = 40


class HintKind(StrEnum):
    UNTAGGED = "untagged"
    UNKNOWN_TAG = "unknown_tag"
    NOT_RUN_HERE = "not_run_here"
    FORMAT = "format"
    UNCLOSED = "unclosed"
    GLUED_CLOSE = "glued_close"
    CODE_ON_FENCE_LINE = "code_on_fence_line"
    BAD_ATTRIBUTE = "bad_attribute"
    UNKNOWN_ATTRIBUTE = "unknown_attribute"
    BAD_FILENAME = "bad_filename"
    LONE_STDIN = "lone_stdin"
    QUOTED = "quoted"
    ONE_LINE = "one_line"
    MID_LINE = "mid_line"
    INDENTED = "indented"
    WRONG_TICKS = "wrong_ticks"
    UNFENCED = "unfenced"


@dataclass(frozen=True, slots=True)
class Hint:
    """`line` of the message, from 1, is where the reader should look; `text` is the whole sentence."""

    kind: HintKind
    line: int
    text: str


def quote(text: str) -> str:
    """A piece of the message as it can safely stand in a sentence."""
    clipped = text if len(text) <= _QUOTE_CHARS else text[: _QUOTE_CHARS - 1] + "…"
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in clipped)


def untagged(line: int, suggested: str | None, languages: LanguageTable) -> Hint:
    text = f"The fence on line {line} has no language, so it was not run. {_runs(languages)}"
    if suggested and (language := languages.find(suggested)):
        text = f"The fence on line {line} has no language. Write ```{language.name} to run it as {language.display}."
    return Hint(HintKind.UNTAGGED, line, text)


def unknown_tag(line: int, tag: str, languages: LanguageTable) -> Hint:
    near = languages.nearest(tag)
    advice = f"Did you mean {near.name}?" if near else _runs(languages)
    return Hint(HintKind.UNKNOWN_TAG, line, f"{quote(tag)} on line {line} is not a language known here. {advice}")


def not_run_here(line: int, tag: str, languages: LanguageTable) -> Hint:
    return Hint(HintKind.NOT_RUN_HERE, line, f"{quote(tag)} does not run here (line {line}). {_runs(languages)}")


def shown_format(line: int, tag: str) -> Hint:
    return Hint(HintKind.FORMAT, line, f"The {quote(tag)} block on line {line} is shown, not run.")


def unclosed(line: int, marker: str) -> Hint:
    return Hint(
        HintKind.UNCLOSED,
        line,
        f"The fence on line {line} is not closed, so it was not run. Put {quote(marker)} on a line of its own after"
        " the code.",
    )


def glued_close(line: int, marker: str) -> Hint:
    return Hint(
        HintKind.GLUED_CLOSE,
        line,
        f"The {quote(marker)} at the end of line {line} does not close the fence there. Move it to a line of its own.",
    )


def code_on_fence_line(line: int, marker: str, language: str | None) -> Hint:
    opening = quote(marker) + (language or "python")
    return Hint(
        HintKind.CODE_ON_FENCE_LINE,
        line,
        f"Line {line} has code on the fence line, so the block was not run. Leave {opening} alone there and start the"
        " code on the next line.",
    )


def bad_attribute(line: int, problem: str) -> Hint:
    return Hint(HintKind.BAD_ATTRIBUTE, line, f"The fence on line {line} cannot be read: {problem}.")


def unknown_attribute(line: int, word: str) -> Hint:
    return Hint(
        HintKind.UNKNOWN_ATTRIBUTE,
        line,
        f"{quote(word)} on line {line} is not a setting of a fence and was passed over. There are timeout=60 and"
        ' args="…".',
    )


def bad_filename(line: int, problem: str) -> Hint:
    return Hint(HintKind.BAD_FILENAME, line, f"The file name on line {line} {problem}, so the block was not run.")


def lone_stdin(line: int) -> Hint:
    return Hint(
        HintKind.LONE_STDIN, line, f"The stdin fence on line {line} has no block before it whose input it could be."
    )


def quoted(line: int) -> Hint:
    return Hint(HintKind.QUOTED, line, f"The fence on line {line} is in a quote, so it was not run.")


def one_line(line: int, language: str) -> Hint:
    return Hint(
        HintKind.ONE_LINE,
        line,
        f"To run what is on line {line}, give it lines of its own: ```{language}, the code below it, and ``` below"
        " that.",
    )


def mid_line(line: int, language: str) -> Hint:
    return Hint(
        HintKind.MID_LINE,
        line,
        f"The fence on line {line} starts in the middle of the line. Put ```{language} on a line of its own.",
    )


def indented(line: int, language: str) -> Hint:
    return Hint(
        HintKind.INDENTED,
        line,
        f"The fence on line {line} is indented too far to count as one. Put ```{language} at the start of the line.",
    )


def wrong_ticks(line: int, ticks: str, language: str) -> Hint:
    return Hint(
        HintKind.WRONG_TICKS,
        line,
        f"Line {line} has {ticks} where a fence has three backticks. Start a line with ```{language} before the code"
        " and ``` after it.",
    )


def unfenced(line: int) -> Hint:
    return Hint(
        HintKind.UNFENCED,
        line,
        "That looks like Python without a code fence. Start a line with ```python before it and ``` after it.",
    )


def _runs(languages: LanguageTable) -> str:
    names = languages.names
    if not names:
        return "This channel runs no language."
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    return f"This channel runs {listed}."
