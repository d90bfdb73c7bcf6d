"""Which names of attributes are harmless on any object at all."""

import ast

from bot.core.policy.python import data
from bot.core.policy.python.block import Block
from bot.core.policy.python.classes import METHODS

TEXTS = frozenset({"__name__", "__qualname__", "__doc__"})
_TUPLES = frozenset({"_asdict", "_fields", "_replace"})
"""What a named tuple offers under names that merely cannot be fields."""


def leads_away(name: str, block: Block) -> bool:
    """Whether the attribute leads from an object to the interpreter's insides."""
    return name in block.tables.introspection


def depends(name: str, block: Block) -> bool:
    """Whether the attribute does more than compute, for objects of what was imported."""
    if any(block.uses(family) and name in names for family, names in block.tables.methods.items()):
        return True
    return block.uses("data") and data.reaches(name)


def is_harmless(name: str, block: Block) -> bool:
    """Whether nothing is to be said about an attribute of this name, whatever is done with it."""
    return not (name.startswith("_") or name == "format" or leads_away(name, block) or depends(name, block))


def is_own(node: ast.Attribute, block: Block) -> bool:
    """Whether a name with an underscore in front is the block's own, or one of the few that lead nowhere."""
    name, parent = node.attr, block.parent(node)
    if name in TEXTS or name in _TUPLES:
        return isinstance(node.ctx, ast.Load)
    if name == "__class__":
        return isinstance(node.ctx, ast.Load) and isinstance(parent, ast.Attribute) and parent.attr == "__name__"
    if name.startswith("__"):
        around = block.class_around(node)
        hidden = around is not None and around.name.strip("_") != "" and not name.endswith("__")
        return (hidden and name in block.written) or _is_of_super(node, block)
    steers = name.endswith("_") and name.strip("_") != ""
    return not (steers or block.uses("data") or name in block.private) and name in block.written


def _is_of_super(node: ast.Attribute, block: Block) -> bool:
    """`super().__init__(…)`: a call of what the class before has, where Python itself would call it too."""
    value = node.value
    return (
        node.attr in METHODS
        and isinstance(value, ast.Call)
        and block.member(value.func) == "builtins.super"
        and block.call_of(node) is not None
    )
