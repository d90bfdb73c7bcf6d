"""Variables of the process: one at a time, by a name that stands in the code."""

import ast

from bot.core.policy.python.block import Block
from bot.core.policy.python.literals import text
from bot.core.policy.python.said import Facts, fact


def read(node: ast.AST, block: Block) -> Facts | None:
    """`os.getenv(NAME)`."""
    return _named(block.call_of(node), node)


def environ(node: ast.AST, block: Block) -> Facts | None:
    """`os.environ[NAME]` where it is read, `os.environ.get(NAME)`, `NAME in os.environ`."""
    parent = block.parent(node)
    match parent:
        case ast.Subscript(value=value, slice=key, ctx=ast.Load()) if value is node:
            name = text(key)
        case ast.Attribute(attr="get"):
            return _named(block.call_of(parent), node)
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[of]) if of is node:
            name = text(left)
        case _:
            return None
    return None if name is None else (fact("env", name, node),)


def _named(call: ast.Call | None, node: ast.AST) -> Facts | None:
    if call is None or not 1 <= len(call.args) <= 2 or call.keywords:
        return None
    name = text(call.args[0])
    return None if name is None else (fact("env", name, node),)
