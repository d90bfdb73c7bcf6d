"""Classes: what a definition may hold, and which classes are no more than they look.

Methods whose names Python gives a meaning are on a list. Anything else between double underscores changes how a class
is made, found, copied or matched, and would give a text the power to name attributes (`__match_args__`).
"""

import ast

from bot.core.policy.python.block import Block
from bot.core.policy.python.literals import texts
from bot.core.policy.python.said import Facts, unknown

METHODS = frozenset(
    f"__{name}__"
    for name in (
        "abs add aenter aexit aiter and anext bool bytes call ceil complex contains delitem divmod enter eq exit"
        " float floor floordiv format ge getitem gt hash iadd iand ifloordiv ilshift imatmul imod imul index init"
        " int invert ior ipow irshift isub iter itruediv ixor le len length_hint lshift lt matmul missing mod mul"
        " ne neg next or pos post_init pow radd rand rdivmod repr reversed rfloordiv rlshift rmatmul rmod rmul ror"
        " round rpow rrshift rshift rsub rtruediv rxor setitem str sub truediv trunc xor"
    ).split()
)
_SELF_MATCHING = frozenset("bool bytearray bytes dict float frozenset int list set str tuple".split())
_WITHOUT_REGISTER = frozenset({"builtins.object", "builtins.Exception", "builtins.ValueError", "typing.Generic"})
_PLAIN_BASES = _WITHOUT_REGISTER | {"abc.ABC"}
"""An `ABC` can be told that any other class is one of its kind, which a pattern then believes."""

MOST_CLASSES = 20
"""Bases of bases that are looked at."""


def defined(node: ast.AST, block: Block) -> Facts:
    """What a definition of a function or class holds that is not understood."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            in_class = isinstance(block.parent(node), ast.ClassDef)
            if _is_special(name) and not (in_class and name in METHODS):
                return (unknown(f"a definition of {name}", node),)
            return ()
        case ast.ClassDef(name=name, keywords=keywords):
            found = [unknown(f"a class with the argument {keywords[0].arg or '**'}", node)] if keywords else []
            if _is_special(name):
                found.append(unknown(f"a definition of {name}", node))
            return tuple(found)
        case _:
            return ()


def attribute_of_class(name: str, node: ast.AST, block: Block) -> Facts:
    """A name that a class body binds, in whatever way. `_name_` steers enumerations, and what a library's class keeps
    for itself steers that.
    """
    if name == "__slots__" and not _are_slots(block.parent(node)):
        return (unknown("slots that are computed", node),)
    steers = name.startswith("_") and not name.startswith("__") and name.strip("_") and name.endswith("_")
    return (unknown(f"a class with {name}", node),) if steers or name in block.private else ()


def _are_slots(statement: ast.AST | None) -> bool:
    names = texts(statement.value) if isinstance(statement, ast.Assign) else None
    return names is not None and not any(_is_special(name) for name in names)


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def pattern(node: ast.MatchClass, block: Block) -> Facts:
    """`case Point(0, y)` reads attributes that the class names, which some classes can be made to name freely."""
    if not node.patterns:
        return ()
    member = block.member(node.cls) or ""
    if member.removeprefix("builtins.") in _SELF_MATCHING and len(node.patterns) == 1:
        return ()
    owner = block.classes.get(node.cls.id) if isinstance(node.cls, ast.Name) else None
    if owner is not None and is_plain_class(owner, block, _WITHOUT_REGISTER):
        return ()
    return (unknown("a pattern that takes attributes by their order", node),)


def is_plain_class(owner: ast.ClassDef, block: Block, bases: frozenset[str] = _PLAIN_BASES) -> bool:
    """Whether the class gets its fields from its own body, and from bodies of classes like it."""
    todo, seen = [owner], {owner}
    while todo:
        each = todo.pop()
        if each.keywords or not all(_is_known_decorator(decorator, block) for decorator in each.decorator_list):
            return False
        for base in each.bases:
            named = base.value if isinstance(base, ast.Subscript) else base
            if (block.member(named) or "") in bases:
                continue
            found = block.classes.get(named.id) if isinstance(named, ast.Name) else None
            if found is None or len(seen) > MOST_CLASSES:
                return False
            if found not in seen:
                seen.add(found)
                todo.append(found)
    return True


def _is_known_decorator(node: ast.expr, block: Block) -> bool:
    named = node.func if isinstance(node, ast.Call) else node
    return block.member(named) in {"dataclasses.dataclass", "functools.total_ordering", "typing.final"}
