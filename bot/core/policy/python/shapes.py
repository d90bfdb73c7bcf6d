"""Things that are harmless in one shape only: each function says whether a use has that shape.

Measured on CPython 3.11 and closed here: `type(int)("X", (), {…})` makes a class of any namespace; `dataclass` writes
the names of fields into code that it executes, so a `TypedDict("T", {"x=…": int})` or a field that was renamed runs
text; `wraps(f, assigned=…)` copies attributes that are named by texts.
"""

import ast

from bot.core.policy.python.block import Block
from bot.core.policy.python.classes import is_plain_class
from bot.core.policy.python.literals import text
from bot.core.policy.python.naming import is_harmless
from bot.core.policy.python.said import Facts

_TAKES_TYPES = frozenset({"print", "str", "repr", "isinstance", "issubclass", "hash", "id"})


def type_of(node: ast.AST, block: Block) -> Facts | None:
    """`type(x)` where the class that comes out is only looked at, or called with what cannot make a class."""
    call = block.call_of(node)
    if call is None or call.keywords or len(call.args) != 1 or isinstance(call.args[0], ast.Starred):
        return None
    match block.parent(call):
        case ast.Attribute(attr="__name__" | "__qualname__", ctx=ast.Load()) | ast.FormattedValue():
            return ()
        case ast.Compare(left=left, ops=ops, comparators=others):
            by_identity = all(isinstance(each, ast.Is | ast.IsNot) for each in ops)
            return () if by_identity or all(_is_class(each, block) for each in (left, *others)) else None
        case ast.Call(func=func, args=args, keywords=keywords) if func is call:
            unpacked = any(isinstance(each, ast.Starred) for each in args) or any(each.arg is None for each in keywords)
            return () if _makes_values_only(block) and not unpacked and len(args) <= 2 else None
        case ast.Call(func=ast.Name() as func) if (block.member(func) or "").removeprefix("builtins.") in _TAKES_TYPES:
            return ()
        case ast.Expr():
            return ()
        case _:
            pass
    return None


def _is_class(node: ast.expr, block: Block) -> bool:
    """Classes compare by identity; anything else could have an `__eq__` that keeps what it is given."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return all(_is_class(each, block) for each in node.elts)
    if isinstance(node, ast.Call):
        return block.member(node.func) == "builtins.type"
    name = block.member(node) or ""
    is_known = name.removeprefix("builtins.") in block.tables.pure and name.startswith("builtins.")
    return is_known or (isinstance(node, ast.Name) and node.id in block.classes)


def _makes_values_only(block: Block) -> bool:
    """Whether no object of this block has a class that opens files: `type(sys.stdout.buffer.raw)("/etc/passwd")`."""
    opens = any(isinstance(node, ast.Name) and node.id in {"open", "input"} for node in block.nodes())
    return not opens and block.imports.paths - {"urllib"} <= block.tables.standard


def attribute_by_name(node: ast.AST, block: Block) -> Facts | None:
    """`getattr(x, "name")` and `hasattr(x, "name")`: an attribute like any other, but for those that have a meaning."""
    call = block.call_of(node)
    if call is None or call.keywords or not 2 <= len(call.args) <= 3:
        return None
    name = text(call.args[1])
    if name is None or block.module(call.args[0]) is not None:
        return None
    return () if is_harmless(name, block) else None


def dataclass(node: ast.AST, block: Block) -> Facts | None:
    """A decorator that is applied first, to a class of which every field is a name in its body."""
    decorator = block.call_of(node) or node
    owner = block.parent(decorator)
    if not isinstance(owner, ast.ClassDef) or not owner.decorator_list or owner.decorator_list[-1] is not decorator:
        return None
    if isinstance(decorator, ast.Call) and (decorator.args or any(each.arg is None for each in decorator.keywords)):
        return None
    return () if is_plain_class(owner, block) else None


def fields(node: ast.AST, block: Block) -> Facts | None:
    """Fields may be had where nothing renames one."""
    del node
    return None if block.renamed else ()


def wraps(node: ast.AST, block: Block) -> Facts | None:
    """`@wraps(f)`, with the attributes that it copies by itself."""
    call = block.call_of(node)
    if call is None or call.keywords or len(call.args) != 1 or isinstance(call.args[0], ast.Starred):
        return None
    return ()


def update_wrapper(node: ast.AST, block: Block) -> Facts | None:
    call = block.call_of(node)
    if call is None or call.keywords or len(call.args) != 2:
        return None
    return None if any(isinstance(each, ast.Starred) for each in call.args) else ()


def backend(node: ast.AST, block: Block) -> Facts | None:
    """`matplotlib.use("Agg")`: what is in use anyway."""
    call = block.call_of(node)
    return (
        ()
        if call is not None and not call.keywords and [text(each) for each in call.args] in (["Agg"], ["agg"])
        else None
    )


def array_class(node: ast.AST, block: Block) -> Facts | None:
    """`np.ndarray` as a type, not as a call: on given memory it would take any number for an object."""
    child, parent = node, block.parent(node)
    while isinstance(parent, ast.Subscript | ast.BinOp | ast.Tuple):
        child, parent = parent, block.parent(parent)
    match parent:
        case ast.arg() | ast.AnnAssign(annotation=_) if getattr(parent, "annotation", None) is child:
            return ()
        case ast.FunctionDef(returns=returns) | ast.AsyncFunctionDef(returns=returns) if returns is child:
            return ()
        case ast.Call(func=func) if func is not child and block.member(func) == "builtins.isinstance":
            return ()
        case _:
            return None


def without_arrays(node: ast.AST, block: Block) -> Facts | None:
    """`struct.pack_into` writes into whatever is memory; an array of objects is, and would then hold any address."""
    del node
    return None if block.uses("data") else ()


def enumeration(node: ast.AST, block: Block) -> Facts | None:
    """A base of a class that has members, so that nobody can call it to make another one.

    `Enum("X", {"__reduce_ex__": f})` makes a class with methods of any name: `copy` then sets attributes that are named
    by texts, and numpy takes `__array_interface__` for memory.
    """
    parent = block.parent(node)
    if isinstance(parent, ast.ClassDef) and node in parent.bases:
        return () if any(_is_enumerated(each, block) for each in parent.body) else None
    if isinstance(parent, ast.Call) and parent.func is not node:
        return () if block.member(parent.func) in {"builtins.isinstance", "builtins.issubclass"} else None
    return None


def _is_enumerated(statement: ast.stmt, block: Block) -> bool:
    """`RED = 1`, `RED = auto()`."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            plain = isinstance(value, ast.Constant | ast.Tuple | ast.List | ast.Dict)
            made = isinstance(value, ast.Call) and block.member(value.func) == "enum.auto"
            return not name.startswith("_") and (plain or made)
        case _:
            return False
