r"""What has to hold for the text between and inside the nodes, so that bash splits it where the tree does.

tree-sitter reads past line ends and joins or parts words where bash does not: `cat <$ \n./run.sh` loses its second
command, `"a"\;b` is split in two. Each gate here refuses a way in which the two were seen to differ.
"""

import re

from tree_sitter import Node

from bot.core.policy.shell.grammar import REDIRECTS
from bot.core.policy.shell.opaque import Opaque, line_of

_BLANKS = re.compile(rb"(?:[ \t]|(?<=[ \t])\\\n)*")
_SPACE = re.compile(rb"(?:[ \t\n]|(?<=[ \t])\\\n)*")
_CONTINUATION = re.compile(rb"\\\n")
_ESCAPED_BLANK = re.compile(rb"(?:^|[^\\])(?:\\\\)*\\[ \t]$")

_ON_ONE_LINE = frozenset(
    {"command", "redirected_statement", "variable_assignment", "variable_assignments", "concatenation"}
    | {"negated_command", "unary_expression", "file_redirect", "herestring_redirect"}
)
"""Nodes whose parts are separated by blanks only."""

_WHOLE = frozenset({"string", "raw_string", "heredoc_body", "comment", "arithmetic_expansion", "expansion"})
"""Nodes that own every byte between their ends; what is in them is read by its own rules."""

_SET_OFF = frozenset({"!", "{", "[", "[["})
"""Reserved words and commands that are what they are only with a blank behind them."""

_MAY_SWALLOW = frozenset({"string", "heredoc_body"})
"""Where tree-sitter counts blanks in front of `$` as part of that token."""

_KEYWORDS = frozenset("if then elif else fi for in do done while until case esac select function".split())
_BEFORE_KEYWORD = b" \t\n;("
_BEHIND_KEYWORD = b" \t\n;)|&"
_BEFORE_COMMENT = b" \t\n;"
_BEFORE_REDIRECT = b" \t\n"  # no brace: `{PATH}>x` sets a variable


def check(root: Node, source: bytes) -> None:
    """Raises Opaque where the tree need not be what bash reads."""
    _check_continuations(source)
    owned = bytearray(len(source))
    stack = [root]
    while stack:
        node = stack.pop()
        _check_node(node, source)
        children = node.children
        if not children or node.type in _WHOLE:
            owned[node.start_byte : node.end_byte] = b"\1" * (node.end_byte - node.start_byte)
        stack.extend(children)
    _check_owned(owned, source)


def _check_continuations(source: bytes) -> None:
    """A line end behind a backslash joins lines only where a blank, itself not escaped, stands in front."""
    for match in _CONTINUATION.finditer(source):
        before = source[max(0, match.start() - 1) : match.start()]
        if before not in {b" ", b"\t"} or _ESCAPED_BLANK.search(source[: match.start()][-64:]):
            raise Opaque("a line that is continued inside a word", source.count(b"\n", 0, match.start()) + 1)
        if match.end() == len(source):
            raise Opaque("a backslash at the end", source.count(b"\n") + 1)


def _check_node(node: Node, source: bytes) -> None:
    kind, before = node.type, source[max(0, node.start_byte - 1) : node.start_byte]
    if not node.is_named:
        _check_token(node, source)
    if kind in _ON_ONE_LINE:
        end = None
        for child in node.children:
            if end is not None and not _BLANKS.fullmatch(source, end, child.start_byte):
                raise Opaque("a line end inside a command", child)
            end = child.end_byte
    if kind == "comment" and before and before not in _BEFORE_COMMENT:
        raise Opaque("a # that may be no comment", node)
    if kind == "comment" and source[node.start_byte : node.end_byte].endswith(b"\\"):
        raise Opaque("a comment that ends in a backslash", node)
    if kind in REDIRECTS and before and before not in _BEFORE_REDIRECT:
        raise Opaque("a redirect that touches a word", node)
    if kind == "file_descriptor" and not source[node.start_byte : node.end_byte].isdigit():
        raise Opaque("a redirect to a computed descriptor", node)


def _check_token(node: Node, source: bytes) -> None:
    text = source[node.start_byte : node.end_byte]
    parent = node.parent.type if node.parent else ""
    if parent in _MAY_SWALLOW:
        text = text.lstrip(b" \t\n")
    if node.type.strip() and text != node.type.encode():
        raise Opaque(f"a {node.type} that is written otherwise", node)
    if node.type in _KEYWORDS and not (
        source[max(0, node.start_byte - 1) : node.start_byte] in _BEFORE_KEYWORD
        and source[node.end_byte : node.end_byte + 1] in _BEHIND_KEYWORD
    ):
        raise Opaque(f"a {node.type} that is not set off by a blank", node)
    if node.type in _SET_OFF and parent != "expansion" and source[node.end_byte : node.end_byte + 1] not in b" \t\n":
        raise Opaque(f"a {node.type} that is not set off by a blank", node)


def _check_owned(owned: bytearray, source: bytes) -> None:
    start = owned.find(0)
    while start >= 0:
        end = owned.find(1, start)
        end = len(source) if end < 0 else end
        if not _SPACE.fullmatch(source, start, end):
            raise Opaque("text that belongs to nothing", source.count(b"\n", 0, start) + 1)
        start = owned.find(0, end)


def gap(before: Node, after: Node, source: bytes) -> None:
    """Two words stand apart, on one line."""
    if before.end_byte == after.start_byte or not _BLANKS.fullmatch(source, before.end_byte, after.start_byte):
        raise Opaque("words that touch", line_of(after))
