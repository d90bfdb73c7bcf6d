"""Look through the lines outside fences for what was meant to be one.

A hint that is wrong is worse than none, so each of these needs evidence: the tag of a language that runs here, or text
that is plainly Python. People quote speech with ' and ", write inline code in threes, and quote mails with >>>.
"""

import re

from bot.core.codeblocks import hint, inference
from bot.core.codeblocks.dialect import opening_inside
from bot.core.codeblocks.hint import Hint
from bot.core.codeblocks.lines import Line
from bot.core.languages import Language, LanguageTable

_TICKS = "`'\"´‘’′“”″〃"
_TICKED = re.compile(rf" {{0,3}}([{_TICKS}]{{1,3}})([^{_TICKS}].*)?", re.DOTALL)
_ONE_LINE = re.compile(r" {0,3}(`{3,})([^`]+)(`{3,})\s*")
_INDENTED = re.compile(r"(?: {4}|\t)\s*(?:`{3,}|~{3,})([^`]*)", re.DOTALL)
_TRIES = 8
"""So many candidates are looked at, then no more: a bound for hostile text."""
_UNFENCED_LINES = 4


def glued_or_indented(prose: tuple[Line, ...], languages: LanguageTable) -> list[Hint]:
    """Fences of a language that runs which begin behind other words, or too far to the right."""
    hints: list[Hint] = []
    for line in prose:
        at = opening_inside(line.text, languages)
        if at is not None and (found := _tagged(line.text[at:].lstrip("`"), languages)):
            hints.append(hint.mid_line(line.number, found.name))
        elif (far := _INDENTED.fullmatch(line.text)) and (found := _tagged(far[1], languages)):
            hints.append(hint.indented(line.number, found.name))
    return hints


def misfenced(prose: tuple[Line, ...], languages: LanguageTable) -> Hint | None:
    """The first fence on one line, or one of the wrong ticks or too few."""
    tries = 0
    for index, line in enumerate(prose):
        if single := _ONE_LINE.fullmatch(line.text):
            tries += 1
            if language := _one_line_code(single[2], languages):
                return hint.one_line(line.number, language)
        elif opening := _TICKED.fullmatch(line.text):
            tries += 1
            if language := _ticked_code(opening[1], opening[2] or "", prose[index + 1 :], languages):
                return hint.wrong_ticks(line.number, opening[1], language)
        if tries == _TRIES:
            break
    return None


def unfenced(prose: tuple[Line, ...]) -> Hint | None:
    """Python, or an interactive session of it, with nothing around it but perhaps a sentence before or after."""
    if sum(1 for line in prose if line.text.strip()) < inference.PROMPTS:
        return None
    for start in _starts(prose):
        for stop in _stops(prose, start):
            part = [line.text for line in prose[start:stop]]
            text = "\n".join(part)
            filled = sum(1 for each in part if each.strip())
            if (filled >= _UNFENCED_LINES and inference.looks_like_python(text)) or inference.looks_like_session(text):
                return hint.unfenced(prose[start].number)
    return None


def _starts(prose: tuple[Line, ...]) -> list[int]:
    """The first line, the second, and the one behind the first paragraph."""
    filled = [index for index, line in enumerate(prose) if line.text.strip()]
    blank = next((index for index, line in enumerate(prose) if index > filled[0] and not line.text.strip()), None)
    behind = next((index for index in filled if blank is not None and index > blank), None)
    return sorted({filled[0], *filled[1:2], *([] if behind is None else [behind])})


def _stops(prose: tuple[Line, ...], start: int) -> list[int]:
    """The end, and the last blank line."""
    blank = next((i for i in range(len(prose) - 1, start, -1) if not prose[i].text.strip()), None)
    return [len(prose)] if blank is None else [len(prose), blank]


def _tagged(info: str, languages: LanguageTable) -> Language | None:
    words = info.split(maxsplit=1)
    return languages.find(words[0]) if words else None


def _one_line_code(inside: str, languages: LanguageTable) -> str | None:
    words = inside.split(maxsplit=1)
    if len(words) > 1 and (language := languages.find(words[0])):
        return language.name
    return "python" if inference.looks_like_python(inside.strip()) else None


def _ticked_code(ticks: str, rest: str, below: tuple[Line, ...], languages: LanguageTable) -> str | None:
    """The language of what stands between these ticks and the same number of them at the end of a later line."""
    end = next((i for i, line in enumerate(below) if _ends_with_ticks(line.text, ticks)), None)
    if end is None:
        return None
    language = languages.find(rest.strip()) if rest.strip() else None
    head = [] if language or not rest.strip() else [rest]
    last = below[end].text.rstrip()[: -len(ticks)]
    code = "\n".join([*head, *(line.text for line in below[:end]), last])
    sure = language is not None and (len(ticks) == 3 or set(ticks) == {"`"})
    if sure and code.strip():
        return language.name if language else None
    return (language.name if language else "python") if inference.looks_like_python(code) else None


def _ends_with_ticks(text: str, ticks: str) -> bool:
    tail = text.rstrip()[-len(ticks) :]
    backticks = "`" in ticks
    return len(tail) == len(ticks) and all(char in _TICKS and ("`" in tail) == backticks for char in tail)
