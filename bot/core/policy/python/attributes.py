"""Attributes of whatever a value turns out to be: nobody knows its type, so the name alone has to be harmless."""

import ast
from string import Formatter

from bot.core.policy.python import data, files
from bot.core.policy.python.block import Block
from bot.core.policy.python.literals import text
from bot.core.policy.python.naming import depends, is_harmless, is_own, leads_away
from bot.core.policy.python.said import Facts, unknown
from bot.core.policy.python.uses import use

MOST_NESTED_FIELDS = 3


def attribute(node: ast.Attribute, block: Block) -> Facts:
    """One attribute in the code, read, written or deleted."""
    if not isinstance(node.ctx, ast.Load):
        return _written(node, block)
    if (module := block.module(node)) is not None:
        is_prefix = isinstance(block.parent(node), ast.Attribute)
        return () if is_prefix else (unknown(f"the module {module} as a value", node),)
    if (name := block.member(node)) is not None:
        return use(node, name, block)
    if node.attr.startswith("_"):
        return () if is_own(node, block) else (unknown(f"the attribute {node.attr}", node),)
    if node.attr == "format":
        return _format(node, block)
    if leads_away(node.attr, block):
        return (unknown(f"the attribute {node.attr}", node),)
    return _method(node, block) if depends(node.attr, block) else ()


def _method(node: ast.Attribute, block: Block) -> Facts:
    """A method that does more than compute, where it is understood."""
    facts = files.method(node, block) if block.uses("pathlib") else None
    if facts is None and block.uses("data"):
        facts = data.method(node, block)
    return (unknown(f"{node.attr} of a value that is computed", node),) if facts is None else facts


def _written(node: ast.Attribute, block: Block) -> Facts:
    owner = block.module(node.value) or block.member(node.value)
    if owner is not None:
        return (unknown(f"a change of {owner.removeprefix('builtins.')}.{node.attr}", node),)
    if node.attr.startswith("_") and not is_own(node, block):
        return (unknown(f"a change of the attribute {node.attr}", node),)
    return ()


def _format(node: ast.Attribute, block: Block) -> Facts:
    """`"{} {x.real}".format(…)`: the fields of a text that stands in the code; a computed one may read anything."""
    template = text(node.value)
    if template is None:
        return (unknown("a format that is computed", node),)
    field = _reaching_field(template, block, MOST_NESTED_FIELDS)
    return (unknown(f"the format field {field}", node),) if field else ()


def _reaching_field(template: str, block: Block, depth: int) -> str:
    """The first field that reads an attribute that the code could not read."""
    try:
        parsed = [(name or "", specification or "") for _, name, specification, _ in Formatter().parse(template)]
    except ValueError:
        return ""  # it fails when run, before it reads anything
    for name, specification in parsed:
        if any(not is_harmless(each.partition("[")[0], block) for each in name.split(".")[1:]):
            return name
        if specification and depth and (found := _reaching_field(specification, block, depth - 1)):
            return found
    return ""
