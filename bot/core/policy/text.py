"""The text gate: what a reader cannot see is never allowed by itself, not by its hash and not by a whole language.

A text is normalised once (`normalise`), where it enters; from then on that very text is hashed, shown and run, so
nothing here changes it again. A carriage return that is left is therefore a finding, not a line end.
"""

import io
import re
import tokenize
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from bot.core.canonical import sha256_of_text
from bot.core.limits import BLOCK_BYTES

_BLANK_LOOKING = frozenset("\u115f\u1160\u2800\u3164\uffa0\U0001d159")
"""Letters and symbols that are drawn as nothing, though their category says otherwise; some may stand in a name."""

_JOINER = "\u034f"
_SELECTORS = frozenset("\ufe0e\ufe0f")
"""Text or picture style of the symbol before it: harmless behind a symbol, invisible behind a letter."""

_OTHER_SELECTORS = re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0d\U000e0100-\U000e01ef]")
_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")  # PEP 263
_PLAIN_CODINGS = frozenset({"utf-8", "utf8", "ascii", "us-ascii"})
_OPENERS = frozenset("'\"\\")
_PLAIN = re.compile(r"[\t\n\x20-\x7e]*")
_LITERALS = frozenset(
    {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}  # Python 3.12 splits them
)

Severity = Literal["unseen", "refused"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that bars code from running by itself. `unseen` a person may still decide about once it is shown
    escaped; `refused` nobody may. `line` counts from 1, 0 is the whole block.
    """

    sentence: str
    line: int
    severity: Severity = "unseen"


def normalise(text: str) -> str:
    """Line ends of the other world become ours. Called once, before anything is hashed, shown or run."""
    return text.replace("\r\n", "\n")


def code_sha256(text: str) -> str:
    """The name of a normalised text: 64 hex."""
    return sha256_of_text(text)


def visible(text: str) -> str:
    r"""The text with everything that is not seen written as an escape such as `\u202e`."""
    if _PLAIN.fullmatch(text):
        return text
    return "".join(_escaped(c) if c not in "\t\n" and _kind(c) else c for c in text)


def gate(language: str, text: str) -> tuple[Finding, ...]:
    """Findings in the order of their lines, one for each line and character."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > BLOCK_BYTES:
        sentence = f"{size} bytes of code are more than the {BLOCK_BYTES} that a block may have"
        return (Finding(sentence, 0, "refused"),)
    findings = [*_unseen(language, text)]
    if language == "python":
        findings.extend(_cookies(text))
    return tuple(sorted(dict.fromkeys(findings), key=lambda finding: finding.line))


def _unseen(language: str, text: str) -> Iterator[Finding]:
    if _PLAIN.fullmatch(text):
        return
    literals: frozenset[tuple[int, int]] | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        for column, char in enumerate(line):
            kind = _kind(char)
            if not kind or (char in _SELECTORS and _behind_symbol(line, column)):
                continue
            if kind == "blank" and language == "python":
                literals = _literals(text) if literals is None else literals
                if (number, column) in literals:
                    continue
            yield Finding(f"{_named(char)}, {_WORDS[kind]}, shown as {_escaped(char)}", number)


_WORDS = {
    "control": "a control character",
    "bidi": "which changes the direction of the text around it",
    "invisible": "which cannot be seen",
    "separator": "a line separator that is no line end in code",
    "blank": "a blank that is no blank in code",
    "private": "a private use character",
    "unassigned": "an unassigned character",
    "surrogate": "half a character",
}
_BY_CATEGORY = {
    "Cc": "control",
    "Cf": "invisible",
    "Zl": "separator",
    "Zp": "separator",
    "Zs": "blank",
    "Co": "private",
    "Cn": "unassigned",
    "Cs": "surrogate",
}


@lru_cache(maxsize=4096)
def _kind(char: str) -> str:
    """What about this character is not seen; empty where it is."""
    if char in " \t":
        return ""
    if unicodedata.bidirectional(char) in {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}:
        return "bidi"
    if char in "\u200e\u200f\u061c":
        return "bidi"
    if char in _BLANK_LOOKING or char == _JOINER or char in _SELECTORS or _OTHER_SELECTORS.match(char):
        return "invisible"
    return _BY_CATEGORY.get(unicodedata.category(char), "")


def _behind_symbol(line: str, column: int) -> bool:
    return column > 0 and line[column - 1] > "\x7f" and unicodedata.category(line[column - 1])[0] in "SP"


def _named(char: str) -> str:
    name = unicodedata.name(char, "")
    return f"U+{ord(char):04X} {name}".rstrip()


def _escaped(char: str) -> str:
    if char == "\r":
        return "\\r"
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _literals(text: str) -> frozenset[tuple[int, int]]:
    """Places inside string literals and comments, as far as Python's tokenizer gets; beyond that everything is code."""
    places: set[tuple[int, int]] = set()
    lines = text.split("\n")
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline="\n").readline):
            if token.type == tokenize.ERRORTOKEN and token.string in _OPENERS:
                break  # what follows is unsure, and looking for the end again and again is slow
            if token.type not in _LITERALS:
                continue
            (first, start), (last, end) = token.start, token.end
            for number in range(first, last + 1):
                begin = start if number == first else 0
                stop = end if number == last else len(lines[number - 1])
                places.update((number, column) for column in range(begin, stop))
    except (tokenize.TokenError, SyntaxError):
        pass
    return frozenset(places)


def _cookies(text: str) -> Iterator[Finding]:
    """Both first lines, whether or not Python would look at the second: this only ever asks for more."""
    for number, line in enumerate(text.split("\n", 2)[:2], start=1):
        cookie = _COOKIE.match(line)
        if cookie and cookie[1].lower().replace("_", "-") not in _PLAIN_CODINGS:
            yield Finding(
                f"the line declares the encoding {visible(cookie[1])}, so Python would read other text", number
            )
