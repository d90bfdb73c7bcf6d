"""One word of a command: its text after bash has unquoted it, or how many words it may become at run time."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from tree_sitter import Node

from bot.core.policy.shell.grammar import EXPANSIONS
from bot.core.policy.shell.opaque import Opaque

Fold = Literal["literal", "glob", "one", "many"]
"""`literal`: exactly this text · `glob`: names of files, or the pattern itself · `one`: one word of unknown text ·
`many`: any number of words of unknown text.
"""

_ORDER: tuple[Fold, ...] = ("literal", "one", "glob", "many")
_ESCAPE_IN_QUOTES = re.compile(r'\\([$`"\\])')
_PAIR = re.compile(r"\\.", re.DOTALL)
_EXPANDS = re.compile(r"\$(?![\s.,;:%/)\"])|`")
_ALL_PARAMETERS = re.compile(r"\$\{?@")

Expand = Callable[[Node], None]
"""Called with every expansion in a word; it walks or notes what is in it, and raises Opaque."""


@dataclass(frozen=True, slots=True)
class Word:
    """`text` is what the program gets, or as it is written where that is computed."""

    text: str
    fold: Fold = "literal"

    @property
    def literal(self) -> bool:
        return self.fold == "literal"


def text_of(node: Node) -> str:
    return (node.text or b"").decode()


def read(node: Node, expand: Expand) -> Word:
    """Raises Opaque."""
    match node.type:
        case "word" | "number":
            if node.named_children:
                raise Opaque("a computed number", node)
            return _unquoted(text_of(node), node)
        case "raw_string":
            raw = text_of(node)
            if len(raw) < 2 or raw[0] != "'" or raw.find("'", 1) != len(raw) - 1:
                raise Opaque("a string in single quotes", node)
            return Word(raw[1:-1])
        case "string":
            return _quoted(node, expand)
        case "concatenation":
            return _joined(node, expand)
        case kind if kind in EXPANSIONS:
            expand(node)
            return Word(text_of(node), "many")
        case kind:
            raise Opaque(f"a {kind.replace('_', ' ')} as a word", node)


def _unquoted(raw: str, node: Node) -> Word:
    """A bare word: escapes, file name patterns, braces, tilde. Anything that would end a word in bash is a surprise."""
    out: list[str] = []
    fold: Fold = "literal"
    index = 0
    while index < len(raw):
        char = raw[index]
        if char == "\\":
            if raw[index + 1 : index + 2] in {"", "\n"}:
                raise Opaque("a backslash at the end of a word", node)
            out.append(raw[index + 1])
            index += 2
            continue
        if char in "\"'`$;&|<>()\n\t " or (char == "#" and index == 0):
            raise Opaque(f"{char!r} in a word", node)
        if char in "*?[]":
            fold = _wider(fold, "glob")
        elif (char in "{}" and raw != "{}") or (char == "~" and raw[max(0, index - 1) : index] in {"", "=", ":"}):
            fold = "many"
        out.append(char)
        index += 1
    return Word("".join(out) if fold in {"literal", "glob"} else raw, fold)


def _quoted(node: Node, expand: Expand) -> Word:
    """A string in double quotes: one word, unless it has `$@`, which is as many words as there are parameters."""
    raw = text_of(node)
    if len(raw) < 2 or raw[0] != '"' or raw[-1] != '"' or "\\\n" in raw:
        raise Opaque("a string", node)
    computed = [child for child in node.children if child.type in EXPANSIONS]
    if any(child.type not in {*EXPANSIONS, "string_content", '"', "$"} for child in node.children):
        raise Opaque("a string", node)
    if any(_EXPANDS.search(_PAIR.sub("", text)) for text in texts_between(node, computed)):
        raise Opaque("a $ in a string", node)
    for child in computed:
        expand(child)
    if computed:
        return Word(raw, "many" if _ALL_PARAMETERS.search(raw) else "one")
    return Word(_ESCAPE_IN_QUOTES.sub(r"\1", raw[1:-1]))


def texts_between(node: Node, parts: Iterable[Node]) -> Iterator[str]:
    """What stands in front of, between and behind these parts, whether or not the tree has a node for it."""
    whole, at = node.text or b"", 0
    for part in parts:
        yield whole[at : part.start_byte - node.start_byte].decode()
        at = part.end_byte - node.start_byte
    yield whole[at:].decode()


def _joined(node: Node, expand: Expand) -> Word:
    """Parts that touch. Braces expand across all of them, so one that is not quoted makes the whole computed."""
    parts: list[Word] = []
    end = node.start_byte
    for child in node.children:
        if child.start_byte != end:
            raise Opaque("a gap inside a word", child)
        end = child.end_byte
        parts.append(Word(text_of(child), "many") if child.type == "brace_expression" else read(child, expand))
    fold = widest(part.fold for part in parts)
    if any(child.type == "word" and re.search(r"(?<!\\)[{}]", text_of(child)) for child in node.children):
        fold = "many"
    return Word("".join(part.text for part in parts) if fold in {"literal", "glob"} else text_of(node), fold)


def widest(folds: Iterable[Fold]) -> Fold:
    found: Fold = "literal"
    for fold in folds:
        found = _wider(found, fold)
    return found


def _wider(one: Fold, other: Fold) -> Fold:
    if {one, other} == {"glob", "one"}:
        return "many"
    return max(one, other, key=_ORDER.index)
