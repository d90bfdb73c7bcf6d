"""The forms of `$` that are understood. All others evaluate something: indirection, indices, prompts, arithmetic."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from bot.core.policy.shell.opaque import Opaque
from bot.core.policy.shell.words import text_of

_PLAIN = re.compile(r"\$([A-Za-z_]\w*|[0-9@*#?$!-])", re.ASCII)
_BRACED = re.compile(
    r"\$\{(?:#(?P<counted>[A-Za-z_]\w*|[@*])"
    r"|(?P<name>[A-Za-z_]\w*|[0-9@*?])(?:(?::?-|%%?|##?)[A-Za-z0-9_./:*-]*)?)\}",
    re.ASCII,
)
_ARITHMETIC = re.compile(r"\$\(\([0-9 \t+*/%()-]*\)\)")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def variables(node: Node) -> Iterator[str]:
    """The variables that an expansion reads; parameters such as `$1` are none. Raises Opaque for any other form."""
    match node.type:
        case "simple_expansion":
            plain = _PLAIN.fullmatch(text_of(node).lstrip(" \t\n"))
            if plain is None:  # `"$ $(id)"`: tree-sitter takes `$ $` for one
                raise Opaque("an expansion", node)
            name = plain[1]
        case "expansion":
            found = _BRACED.fullmatch(text_of(node).lstrip(" \t\n"))
            if found is None:
                raise Opaque("an expansion that does more than read a variable", node)
            name = found["counted"] or found["name"]
        case "arithmetic_expansion":
            if not _ARITHMETIC.fullmatch(text_of(node).lstrip(" \t\n")):
                raise Opaque("arithmetic on names", node)
            return
        case kind:
            raise Opaque(f"a {kind.replace('_', ' ')}", node)
    if _NAME.fullmatch(name):
        yield name


def inner_statements(node: Node) -> Iterator[Node]:
    """The statements of a `$( )`."""
    if not node.children or node.children[0].type != "$(" or node.children[-1].type != ")":
        raise Opaque("backquotes", node)
    for child in node.children:
        if child.is_named:
            yield child
        elif child.type not in {"$(", ")", ";", "\n"}:
            raise Opaque(f"{child.type} in a command substitution", child)
