"""Every node of the tree: its kind has to be one that is known, and what it says becomes facts."""

import ast

from bot.core.policy.python import data
from bot.core.policy.python.attributes import attribute
from bot.core.policy.python.block import Block
from bot.core.policy.python.classes import attribute_of_class, defined, pattern
from bot.core.policy.python.naming import is_harmless
from bot.core.policy.python.said import Facts, fact, unknown
from bot.core.policy.python.scopes import bound_by
from bot.core.policy.python.uses import UNDERSTOOD, use

KNOWN = frozenset(
    (
        "Module Expr Assign AugAssign AnnAssign For AsyncFor While If With AsyncWith withitem Raise Try"
        " ExceptHandler Assert Delete Pass Break Continue Return Global Nonlocal Import ImportFrom alias"
        " FunctionDef AsyncFunctionDef ClassDef arguments arg Lambda IfExp Dict Set ListComp SetComp DictComp"
        " GeneratorExp comprehension Await Yield YieldFrom Compare Call keyword JoinedStr FormattedValue Constant"
        " Attribute Subscript Starred Name List Tuple Slice BinOp BoolOp UnaryOp NamedExpr Match match_case"
        " MatchValue MatchSingleton MatchSequence MatchMapping MatchClass MatchStar MatchAs MatchOr Load Store Del"
        " And Or Add Sub Mult MatMult Div Mod Pow LShift RShift BitOr BitXor BitAnd FloorDiv Invert Not UAdd USub"
        " Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn"
    ).split()
)
"""By name, so that a kind that a later Python adds is not taken for one of these."""


def node_facts(node: ast.AST, block: Block) -> Facts:
    """What this one node says."""
    if type(node).__name__ not in KNOWN:
        return (unknown(f"the construct {type(node).__name__}", node),)
    bound = bound_by(node)
    found = tuple(unknown(f"a change of the name {name}", node) for name in bound if _is_special(name, node, block))
    if bound and block.scopes.of[node].kind == "class":
        found += tuple(each for name in bound for each in attribute_of_class(name, node, block))
    match node:
        case ast.Name(ctx=ast.Load()):
            found += _name(node, block)
        case ast.Attribute():
            found += attribute(node, block)
        case ast.Call() if block.uses("data"):
            found += data.call_facts(node, block)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            found += defined(node, block)
        case ast.MatchClass(kwd_attrs=names):
            found += pattern(node, block)
            found += tuple(unknown(f"the attribute {name}", node) for name in names if not is_harmless(name, block))
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            found += tuple(unknown(f"a change of the name {name}", node) for name in names if name.startswith("__"))
        case _:
            pass
    return found


def import_facts(block: Block) -> Facts:
    """What is imported, and names that do not only mean what was imported under them."""
    found = [
        unknown(each.value, each.node) if each.kind == "unknown" else fact(each.kind, each.value, each.node)
        for each in block.imports.found
        if each.kind != "member"
    ]
    for each in block.imports.found:
        if each.kind == "member" and each.value not in UNDERSTOOD:  # those are judged where they are used
            found.extend(use(each.node, each.value, block))
    names = [*block.imports.modules, *block.imports.members]
    found.extend(
        unknown(f"another meaning of the imported name {name}", block.tree.body[0])
        for name in names
        if block.scopes.bindings.get(name, 0) > block.imports.times[name]
    )
    return tuple(found)


def _name(node: ast.Name, block: Block) -> Facts:
    meaning = block.meaning(node)
    match meaning.kind:
        case "module":
            is_prefix = isinstance(block.parent(node), ast.Attribute)
            return () if is_prefix else (unknown(f"the module {meaning.name} as a value", node),)
        case "member":
            return use(node, meaning.name, block) if meaning.name in UNDERSTOOD else ()
        case "builtin" if meaning.name != "__name__":
            return use(node, f"builtins.{meaning.name}", block)
        case "unbound" if meaning.name != "__name__":
            hidden = meaning.name.startswith("__")
            return (unknown(f"the name {node.id}", node) if hidden else fact("name", node.id, node),)
        case _:
            pass
    return ()


def _is_special(name: str, node: ast.AST, block: Block) -> bool:
    """Names that Python itself looks at; slots and methods are looked at with their class."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return False
    if name == "__slots__" and isinstance(owner := block.parent(node), ast.Assign):
        return not isinstance(block.parent(owner), ast.ClassDef)
    return name.startswith("__")
