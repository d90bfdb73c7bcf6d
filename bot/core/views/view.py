"""The view model: a message as parts, buttons and files, which every platform can draw.

All text in it is plain and untrusted: an adapter escapes it for its platform. People and groups are names, but for
`mention`, which lists whoever must act and is the only thing that may ping.
"""

from dataclasses import dataclass
from typing import Literal

from bot.core.reports import FileRef

ButtonStyle = Literal["primary", "danger", "default"]


@dataclass(frozen=True, slots=True)
class Headline:
    """The first line: one glyph, then what happened and what it cost."""

    glyph: str
    text: str
    kind: Literal["headline"] = "headline"


@dataclass(frozen=True, slots=True)
class CodeText:
    """Code, shown with line numbers from `first_line`; `left_out` lines of it are missing where the marker line
    stands.
    """

    language: str
    text: str
    first_line: int = 1
    left_out: int = 0
    kind: Literal["code"] = "code"


@dataclass(frozen=True, slots=True)
class OutputText:
    """What a program wrote, or the part of it that fits."""

    text: str
    kind: Literal["output"] = "output"


@dataclass(frozen=True, slots=True)
class Note:
    """A line of small print: limits, who decided, what to do."""

    text: str
    kind: Literal["note"] = "note"


Part = Headline | CodeText | OutputText | Note


@dataclass(frozen=True, slots=True)
class Button:
    """`value` comes back with the click; `opens` says that the platform should ask for more first (an ellipsis in the
    label).
    """

    id: str
    label: str
    value: str
    style: ButtonStyle = "default"
    opens: Literal["", "reason", "choice", "input"] = ""


@dataclass(frozen=True, slots=True)
class View:
    """One message of the bot. `status` is queued, waiting, running, expired, superseded, revoked or an outcome."""

    parts: tuple[Part, ...]
    status: str | None = None
    buttons: tuple[Button, ...] = ()
    files: tuple[FileRef, ...] = ()
    mention: tuple[str, ...] = ()


def plain(view: View) -> str:
    """Everything that a reader sees, as plain text: parts one below the other, then the files."""
    lines: list[str] = []
    for part in view.parts:
        match part:
            case Headline(glyph=glyph, text=text):
                lines.append(f"{glyph} {text}")
            case CodeText(text=text) | OutputText(text=text):
                lines.append(text.removesuffix("\n"))
            case Note(text=text):
                lines.append(text)
    lines.extend(f"{file.name} ({file.bytes} bytes)" for file in view.files)
    return "\n".join(lines)
