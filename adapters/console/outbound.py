"""Views become lines of text. Pure; what a program wrote can neither move the cursor nor pass for ours.

A terminal cannot take back what it printed, so an edit is told below: output as it grows, then the new first line.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bot.core.views.view import Button, CodeText, Headline, Note, OutputText, View

_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|[ -/]*[0-~]?)|\x9b[0-?]*[ -/]*[@-~]?"
)
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}

MARGIN = "   "


def neutral(text: str) -> str:
    """The text without escape sequences; every other character that a terminal would obey or hide is spelled out.

    Line feeds and tabs stay, CRLF is a line feed.
    """
    return _UNSEEN.sub(_spelled, _ESCAPES.sub("", text.replace("\r\n", "\n")))


def _spelled(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


@dataclass(frozen=True, slots=True)
class Ink:
    """How lines are coloured, if at all."""

    colour: bool = False

    def __call__(self, text: str, *names: str) -> str:
        if not self.colour or not text:
            return text
        return f"\x1b[{';'.join(_CODES[name] for name in names)}m{text}\x1b[0m"


@dataclass(frozen=True, slots=True)
class Shown:
    """What a terminal has shown of a message: `streamed` is the output while it runs, `parts` all else as it was."""

    status: str | None = None
    streamed: str = ""
    parts: str = ""


def told(view: View, number: str, ink: Ink, before: Shown | None = None) -> tuple[list[str], Shown]:
    """The lines that tell what is new in `view` beyond `before`, and what has been shown then. Nothing new, no lines.

    While it runs, only whole lines of output are shown, and a clock that moved is no news.
    """
    streamed = before.streamed if before is not None and before.status == "running" else ""
    if view.status == "running":
        news = "".join(_news(streamed, _whole_lines(text)) for text in _outputs(view))
        now = Shown("running", streamed + news, _parts(view, headline=False))
        if before is not None and before.status == "running":
            return [*_output(news, ink), *_late_buttons(view, before, now, ink)], now
        return _all(view, number, ink, [news]), now
    now = Shown(view.status, "", _parts(view))
    if before is not None and now == Shown(before.status, "", before.parts):
        return [], now
    return _all(view, number, ink, _unseen(_outputs(view), streamed)), now


def buttons(row: Iterable[Button], ink: Ink) -> str:
    """`[1 Approve] [2 Deny…]`: pressed by number or by id."""
    colours = {"primary": "green", "danger": "red", "default": "bold"}
    return " ".join(ink(f"[{n} {neutral(b.label)}]", colours[b.style]) for n, b in enumerate(row, 1))


def _all(view: View, number: str, ink: Ink, outputs: list[str]) -> list[str]:
    """Every part, with `outputs` in the place of the view's own."""
    left = iter(outputs)
    lines: list[str] = []
    for part in view.parts:
        match part:
            case Headline(glyph=glyph, text=text):
                lines.append(f"{glyph} {ink(neutral(text), 'bold', _colour(glyph))}")
            case CodeText():
                lines += _code(part, ink)
            case OutputText():
                lines += _output(next(left, ""), ink)
            case Note(text=text):
                lines += [MARGIN + ink(line, "dim") for line in neutral(text).split("\n")]
    lines += [f"{MARGIN}📎 {neutral(file.name)} ({file.bytes} bytes)" for file in view.files]
    if view.buttons:
        lines.append(MARGIN + buttons(view.buttons, ink))
    if view.mention:
        lines.append(MARGIN + ink(f"→ {', '.join(neutral(name) for name in view.mention)}", "bold"))
    mark = ink(f"#{number}", "cyan")
    return [f"{mark} {lines[0].lstrip()}", *lines[1:]] if lines else [mark]


def _late_buttons(view: View, before: Shown, now: Shown, ink: Ink) -> list[str]:
    return [MARGIN + buttons(view.buttons, ink)] if view.buttons and before.parts != now.parts else []


def _colour(glyph: str) -> str:
    return {"✅": "green", "⏳": "yellow", "🔒": "yellow"}.get(glyph, "red")


def _code(part: CodeText, ink: Ink) -> list[str]:
    """Numbered; a line says how many are left out behind these."""
    lines = neutral(part.text).removesuffix("\n").split("\n")
    width = len(str(part.first_line + len(lines) + part.left_out))
    bar = ink("│", "dim")
    numbered = [f"{MARGIN}{ink(str(n).rjust(width), 'dim')} {bar} {x}" for n, x in enumerate(lines, part.first_line)]
    if part.left_out:
        numbered.append(f"{MARGIN}{' ' * width} {bar} {ink(f'… {part.left_out} lines left out …', 'dim')}")
    return numbered


def _output(text: str, ink: Ink) -> list[str]:
    if not text:
        return []
    return [f"{MARGIN}{ink('│', 'dim')} {line}" for line in text.removesuffix("\n").split("\n")]


def _outputs(view: View) -> list[str]:
    return [neutral(part.text) for part in view.parts if isinstance(part, OutputText)]


def _whole_lines(text: str) -> str:
    return text[: text.rfind("\n") + 1]


def _news(shown: str, now: str) -> str:
    """What `now` has beyond `shown`. A live view keeps the last lines only, so its start may have moved on."""
    if now.startswith(shown):
        return now[len(shown) :]
    old, new = shown.splitlines(keepends=True), now.splitlines(keepends=True)
    for size in range(min(len(old), len(new)), 0, -1):
        if old[-size:] == new[:size]:
            return "".join(new[size:])
    return now


def _unseen(outputs: list[str], streamed: str) -> list[str]:
    """Of each output what was not streamed; outputs were streamed one after the other."""
    unseen: list[str] = []
    for text in outputs:
        if streamed.startswith(text):
            unseen.append("")
            streamed = streamed[len(text) :]
        else:
            unseen.append(_news(streamed, text))
            streamed = ""
    return unseen


def _parts(view: View, *, headline: bool = True) -> str:
    """All that is compared: texts (of a running message without its headline's clock), buttons, files."""
    texts = [p.text for p in view.parts if not isinstance(p, OutputText if headline else OutputText | Headline)]
    outputs = _outputs(view) if headline else []
    return "\0".join((*texts, *outputs, *(b.value for b in view.buttons), *(f.sha256 for f in view.files)))
