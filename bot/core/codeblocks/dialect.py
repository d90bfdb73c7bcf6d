"""How chat clients read fences where CommonMark does not.

Discord and Slack show a code block from any three ticks to the next three, so people write

    @fencepost run this ```python        and        ```python
    print(1)                                        print(1)```
    ```

and see a block. `settle` puts such fences on lines of their own, for CommonMark to find. A glued end counts only where
no fence line ends the block first: before the next fence with a tag, or the end of the message. So ticks inside code
that is fenced by the rules never cut it short; and where the ticks could end in two places, none is taken and the
author gets a hint.

Slack's composer turns the tag into the first line of the code: `tag_line` says that an untagged fence which begins
with a line that could be a fence line of a language we run is tagged by it.
"""

import re
from dataclasses import dataclass

from bot.core.codeblocks.lines import Line
from bot.core.languages import LanguageTable

_OPENING = re.compile(r" {0,3}(`{3,}|~{3,})(.*)", re.DOTALL)
_LIST_MARK = re.compile(r"[-+*]|[0-9]{1,9}[.)]")


@dataclass(frozen=True, slots=True)
class Dialect:
    glued: bool = False
    tag_line: bool = False


COMMONMARK = Dialect()
_DIALECTS = {"slack": Dialect(glued=True, tag_line=True), "discord": Dialect(glued=True)}


def dialect_of(platform: str) -> Dialect:
    return _DIALECTS.get(platform, COMMONMARK)


def settle(lines: list[Line], languages: LanguageTable) -> list[Line]:
    """The same lines with glued fences split off; a part keeps the number of the line it comes from."""
    settled: list[Line] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        marker = _marker_at_start(line.text)
        split = None if marker else opening_inside(line.text, languages)
        at += 1
        if split is not None:
            marker = "`" * _run(line.text, split)
            settled += [line._replace(text=line.text[:split].rstrip()), line._replace(text=line.text[split:])]
        else:
            settled.append(line)
        if marker:
            at = _settle_body(lines, at, marker, languages, settled)
        elif contained := _marker_in_container(line.text):
            at = _skip_contained(lines, at, contained, settled)
    return settled


def _settle_body(lines: list[Line], start: int, marker: str, languages: LanguageTable, settled: list[Line]) -> int:
    """Copy the code of a fence and its end, found or made; return the index of the first line behind it."""
    ends: list[tuple[int, int | None]] = []
    for at in range(start, len(lines)):
        text = lines[at].text
        if _closes(text, marker):
            settled += lines[start : at + 1]
            return at + 1
        if len(ends) == 1 and _opens(text, languages):
            break
        if marker in text:
            ends.append((at, _glued_end(text, marker, languages)))
    at, cut = ends[0] if len(ends) == 1 else (0, None)
    if cut is None:
        settled += lines[start:]
        return len(lines)
    line = lines[at]
    behind = cut + _run(line.text, cut)
    settled += lines[start:at]
    parts = (line.text[:cut], line.text[cut:behind], line.text[behind:])
    settled += [line._replace(text=part) for part in parts if part.strip(" \t")]
    return at + 1


def opening_inside(text: str, languages: LanguageTable) -> int | None:
    """Where, behind other words, a fence of a language that runs begins on this line."""
    at = text.find("`")
    if at < 1 or text[at - 1] == "\\" or _is_container(text[:at]) or _run(text, at) < 3:
        return None
    info = text[at:].lstrip("`")
    return at if "`" not in info and _first_tag(info, languages) else None


def _marker_at_start(text: str) -> str:
    found = _OPENING.match(text)
    return "" if not found or (found[1][0] == "`" and "`" in found[2]) else found[1]


def _marker_in_container(text: str) -> str:
    """The ticks of a fence that begins in a list or a quote; those are left to CommonMark."""
    at = text.find("```")
    inside = at > 0 and _is_container(text[:at]) and "`" not in text[at:].lstrip("`")
    return "`" * _run(text, at) if inside else ""


def _skip_contained(lines: list[Line], start: int, marker: str, settled: list[Line]) -> int:
    for at in range(start, len(lines)):
        if _closes(lines[at].text.lstrip(" \t>"), marker):
            settled += lines[start : at + 1]
            return at + 1
    settled += lines[start:]
    return len(lines)


def _is_container(prefix: str) -> bool:
    inner = prefix.strip(" \t>")
    return not inner or _LIST_MARK.fullmatch(inner) is not None


def _closes(text: str, marker: str) -> bool:
    bare = text.strip(" \t")
    indent = len(text) - len(text.lstrip(" "))
    return indent < 4 and len(bare) >= len(marker) and not bare.strip(marker[0])


def _opens(text: str, languages: LanguageTable) -> bool:
    if marker := _marker_at_start(text):
        return text.lstrip(" ")[len(marker) :][:1].isalnum()
    return opening_inside(text, languages) is not None


def _glued_end(text: str, marker: str, languages: LanguageTable) -> int | None:
    """Where on a line that holds the marker a chat client sees the end: behind code, or before more words."""
    if marker[0] != "`":
        return None
    trimmed = text.rstrip(" \t")
    cut = len(trimmed.rstrip("`"))
    if trimmed[:cut].strip() and len(trimmed) - cut >= len(marker):
        return None if trimmed[cut - 1] == "\\" else cut
    found = _OPENING.match(text)
    if not found or "`" in found[2] or not found[2][:1].isspace():
        return None
    return None if _first_tag(found[2], languages) else found.start(1)


def _first_tag(info: str, languages: LanguageTable) -> bool:
    words = info.split(maxsplit=1)
    return bool(words) and languages.find(words[0]) is not None


def _run(text: str, at: int) -> int:
    return len(text) - at - len(text[at:].lstrip("`"))
