"""`[ … ]`, `[[ … ]]` and `test`: only forms in which bash evaluates none of the operands.

`-v` and `-R` evaluate subscripts, `[[ x -eq y ]]` is arithmetic, and what an unquoted value becomes may be any of them:
with `x='-v a[$(id)]'` even `[ $x ]` runs a command. More than one comparison in one `[` is read by guesswork.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from tree_sitter import Node

from bot.core.policy.shell import gates, words
from bot.core.policy.shell.grammar import WORDS
from bot.core.policy.shell.opaque import Opaque
from bot.core.policy.shell.words import Expand, Word, text_of

_UNARY = frozenset("-b -c -d -e -f -g -h -k -n -p -r -s -u -w -x -z -G -L -N -O -S".split())
_COMPARES = frozenset({"=", "==", "!=", "-nt", "-ot", "-ef"})
_NUMERIC = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_NUMBER = re.compile(r'-?[0-9]+|"?\$(?:[#?$]|\{#[A-Za-z_]\w*\}|\(\([0-9 ]+\)\))"?', re.ASCII)
_PATTERN = re.compile(r"[\w.*?/:,%=\[\]-]*", re.ASCII)


def check_flat(given: Sequence[Word], where: Node | int) -> None:
    """The words between the brackets, or behind `test`. Raises Opaque."""
    if any(word.fold in {"many", "glob"} and not _is_number(word) for word in given):
        raise Opaque("a test of a value that is not quoted", where)
    rest = given[1:] if given and given[0] == Word("!") else given
    match [word.text if word.literal else None for word in rest]:
        case [] | [_]:
            return
        case [str(operator), _] if operator in _UNARY:
            return
        case [_, str(operator), _] if operator in _COMPARES:
            return
        case [_, str(operator), _] if operator in _NUMERIC and _is_number(rest[0]) and _is_number(rest[2]):
            return
    raise Opaque("a test that may evaluate its operands", where)


def check_command(command: Sequence[Word], where: Node | int) -> None:
    """`test` and `[` however their names are written: in quotes, tree-sitter takes `[` for any other command."""
    match command[0].text:
        case "test":
            check_flat(command[1:], where)
        case "[" if command[-1] == Word("]"):
            check_flat(command[1:-1], where)
        case "[":
            raise Opaque("a test without an end", where)
        case _:
            pass


def _is_number(word: Word) -> bool:
    return bool(_NUMBER.fullmatch(word.text))


def single(node: Node, source: bytes, expand: Expand) -> tuple[Word, ...]:
    """The words of `[ … ]`, brackets and all, as bash splits them. Raises Opaque."""
    flat = list(_flat(node))
    for before, after in pairwise(flat):
        gates.gap(before, after, source)
    found = tuple(_word(each, expand) for each in flat)
    if found[0] != Word("[") or found[-1] != Word("]"):
        raise Opaque("a test", node)
    check_flat(found[1:-1], node)
    return found


def _flat(node: Node) -> Iterator[Node]:
    for child in node.children:
        if child.type in {"unary_expression", "binary_expression"}:
            yield from _flat(child)
        else:
            yield child


def _word(node: Node, expand: Expand) -> Word:
    if node.type in WORDS:
        return words.read(node, expand)
    if node.type in {"test_operator", "=", "==", "!=", "!", "[", "]"}:
        return Word(text_of(node))
    raise Opaque(f"{text_of(node)} in a test", node)


def double(node: Node, expand: Expand) -> None:
    """The expression of `[[ … ]]`, in which nothing is split or taken for a file name. Raises Opaque."""
    if "\n" in text_of(node):
        raise Opaque("a test on several lines", node)
    inner = node.children[1:-1]
    if len(inner) != 1 or node.children[0].type != "[[" or node.children[-1].type != "]]":
        raise Opaque("a test", node)
    _expression(inner[0], expand)


def _expression(node: Node, expand: Expand) -> None:
    parts = node.children
    match node.type, [part.type for part in parts]:
        case "binary_expression", [_, "&&" | "||", _]:
            _expression(parts[0], expand)
            _expression(parts[2], expand)
        case "parenthesized_expression", ["(", _, ")"]:
            _expression(parts[1], expand)
        case "unary_expression", ["!", _]:
            _expression(parts[1], expand)
        case "unary_expression", ["test_operator", _] if text_of(parts[0]) in _UNARY:
            _operand(parts[1], expand)
        case "binary_expression", [_, "=" | "==" | "!=" | "test_operator", _]:
            operator, pair = text_of(parts[1]), [_operand(part, expand) for part in (parts[0], parts[2])]
            if operator not in _COMPARES and not (operator in _NUMERIC and all(map(_is_number, pair))):
                raise Opaque("a test that may evaluate its operands", node)
        case "unary_expression" | "binary_expression" | "parenthesized_expression", _:
            raise Opaque("a test that may evaluate its operands", node)
        case _:
            _operand(node, expand)


def _operand(node: Node, expand: Expand) -> Word:
    if node.type == "extglob_pattern" and _PATTERN.fullmatch(text_of(node)):
        return Word(text_of(node), "glob")
    return words.read(node, expand)


def pattern(node: Node, expand: Expand) -> None:
    """A pattern of a case item. Raises Opaque."""
    _operand(node, expand)
