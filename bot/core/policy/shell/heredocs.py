"""Here-documents: where the body ends is recomputed by bash's own rule, and the tree has to agree."""

import re

from tree_sitter import Node

from bot.core.policy.shell.opaque import Opaque
from bot.core.policy.shell.words import text_of, texts_between

_DELIMITER = re.compile(r"'([A-Za-z_]+)'|\"([A-Za-z_]+)\"|([A-Za-z_]+)")
_EXPANDS = re.compile(r"\$(?![\s.,;:%/)\"'])|[\\`]")
_BESIDE = frozenset({"file_redirect", "pipeline"})
"""What may follow on the line of the `<<`."""


def parts(node: Node, source: bytes) -> tuple[list[Node], list[Node]]:
    """Redirects and pipelines beside it, and expansions in the body. Raises Opaque."""
    children = {child.type: child for child in node.children}
    start, body, end = (children.get(f"heredoc_{part}") for part in ("start", "body", "end"))
    stripped = "<<-" in children
    own = [child for child in node.children if child.type not in _BESIDE]
    surplus = len(own) != len({child.type for child in own}) or children.keys() - {
        "<<",
        "<<-",
        "heredoc_start",
        "heredoc_body",
        "heredoc_end",
        *_BESIDE,
    }
    if start is None or end is None or surplus:
        raise Opaque("more than redirects behind a here-document" if surplus else "a here-document", node)
    delimiter = _DELIMITER.fullmatch(text_of(start))
    if delimiter is None:
        raise Opaque("the delimiter of a here-document", start)
    beside = [child for child in node.children if child.type in _BESIDE]
    first = _line_end(start, beside, source)
    tag = next(group for group in delimiter.groups() if group)
    _check_extent(first + 1, tag, end, source, stripped=stripped)
    return beside, _expansions(body, quoted=delimiter[3] is None) if body is not None else []


def _expansions(body: Node, *, quoted: bool) -> list[Node]:
    found = [child for child in body.children if child.type != "heredoc_content"]
    if quoted and found:
        raise Opaque("a here-document", body)
    if not quoted and any(_EXPANDS.search(text) for text in texts_between(body, found)):
        raise Opaque("a $ or backslash in a here-document", body)
    return found


def _line_end(start: Node, beside: list[Node], source: bytes) -> int:
    """Where the line of the `<<` ends: right behind the last part beside it, and it is the only one on the line."""
    last = beside[-1].end_byte if beside else start.end_byte
    newline = source.find(b"\n", start.end_byte)
    line = source[source.rfind(b"\n", 0, start.start_byte) + 1 : max(newline, 0)]
    if newline < 0 or last > newline or source[last:newline].strip(b" \t") or line.count(b"<<") != 1:
        raise Opaque("more behind a here-document on its line", start)
    if b"#" in line or b"\\" in line:
        raise Opaque("a # or backslash on the line of a here-document", start)
    return newline


def _check_extent(first: int, tag: str, end: Node, source: bytes, *, stripped: bool) -> None:
    """The body goes on to the first line that is the delimiter and nothing else."""
    wanted = tag.encode()
    at = first
    for line in source[first:].split(b"\n"):
        if (line.lstrip(b"\t") if stripped else line) == wanted:
            break
        at += len(line) + 1
    else:
        raise Opaque("a here-document without an end", end)
    line_end = at + len(line)
    text = source[end.start_byte : end.end_byte]
    if end.end_byte != line_end or text.lstrip(b"\t" if stripped else b"") != wanted or end.start_byte < at:
        raise Opaque("the end of a here-document", end)
