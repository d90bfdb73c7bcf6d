"""Methods of arrays, frames and figures that reach further than a value: by a path, or by the name of another method.

Where numpy, pandas or matplotlib were imported, any attribute of these names counts, whatever it is an attribute of.
"""

import ast

from bot.core.policy.python.arguments import Arguments
from bot.core.policy.python.block import Block
from bot.core.policy.python.literals import is_plain, path, text
from bot.core.policy.python.memory import is_buffer
from bot.core.policy.python.said import Facts, fact, unknown

_TARGETS = frozenset({"path_or_buf", "path", "buf", "excel_writer", "fid", "file", "fname", "path_or_buffer"})
_TEXT = frozenset({"to_csv", "to_html", "to_json", "to_latex", "to_markdown", "to_string", "to_xml"})
"""These return a text where no path is given."""

_WRITES = _TEXT | {"to_excel", "to_feather", "to_orc", "to_parquet", "to_pickle", "to_stata", "tofile", "dump"}
_PURE = frozenset(
    f"to_{name}"
    for name in (
        "datetime64 dict flat_index frame julian_date list numpy offset period pydatetime pytimedelta records series"
        " timestamp timedelta64 bytes dense coo rgba hex"
    ).split()
)
_BY_NAME = frozenset({"agg", "aggregate", "apply", "transform"})
_TABLES = frozenset({"pivot_table"})
FIGURES = frozenset({".png", ".jpg", ".jpeg", ".svg", ".pdf", ".webp", ".tif", ".tiff"})
"""Formats that matplotlib writes by itself; for others it starts programs."""

_SAVING = frozenset("bbox_inches dpi edgecolor facecolor format metadata orientation pad_inches transparent".split())
_REFUSED = frozenset("allow_pickle backend buffer filesystem opener refcheck storage_options stylesheet usetex".split())
"""Keywords by which a call that looks harmless imports modules, starts programs, reaches hosts, runs code
of files or takes memory as it is.
"""

MOST_POSITIONAL = 8


def reaches(name: str) -> bool:
    by_prefix = name.startswith(("to_", "read_")) and name not in _PURE
    return by_prefix or name in _WRITES | _BY_NAME | _TABLES | {"savefig"}


def method(node: ast.Attribute, block: Block) -> Facts | None:
    """None for what is not understood."""
    call = block.call_of(node)
    if call is None:
        return None
    if node.attr == "savefig":
        return saved(call, block)
    if node.attr in _BY_NAME:
        return _by_name(call, block)
    if node.attr in _TABLES:
        return () if len(call.args) <= 3 and not any(isinstance(each, ast.Starred) for each in call.args) else None
    return _written(node.attr, call, block) if node.attr in _WRITES else None


def _written(name: str, call: ast.Call, block: Block) -> Facts | None:
    arguments = Arguments.of(call, "path_or_buf")
    if arguments is None:
        return None
    given = [arguments.named[each] for each in sorted(_TARGETS & arguments.named.keys())]
    if len(given) > 1:
        return None
    if not given or (isinstance(given[0], ast.Constant) and given[0].value is None):
        return () if name in _TEXT else None
    return into(given[0], call, block)


def into(target: ast.expr, call: ast.Call, block: Block) -> Facts | None:
    """A write to a path, or into memory."""
    if is_buffer(target, block):
        return ()
    where = path(target, block)
    return None if where is None else (fact("write", where, call),)


def saved(call: ast.Call, block: Block) -> Facts | None:
    """`savefig(PATH)` in a format that needs nobody's help."""
    arguments = Arguments.of(call, "fname")
    target = None if arguments is None else arguments.get("fname")
    if arguments is None or target is None or not arguments.has_only({"fname", *_SAVING}):
        return None
    if any(not is_plain(value) for name, value in arguments.named.items() if name != "fname"):
        return None
    named = arguments.get("format")
    if named is not None and f".{(text(named) or '').lower()}" not in FIGURES:
        return None
    found = into(target, call, block)
    if not found:
        return found
    where = found[0].value
    dot = where.rpartition("/")[2].rfind(".")
    if dot <= 0:
        return (fact("write", f"{where}.{text(named) or 'png'}", call),) if named is None else found
    return found if named is not None or where[where.rfind(".") :].lower() in FIGURES else None


def _by_name(call: ast.Call, block: Block) -> Facts | None:
    """`agg("sum")` calls the method of that name, so that texts have to be harmless names, and the rest no texts."""
    values = [*call.args, *(each.value for each in call.keywords)]
    if any(each.arg is None for each in call.keywords):
        return None
    return () if all(_is_harmless(each, block) for each in values) else None


def _is_harmless(node: ast.expr, block: Block) -> bool:
    """A function, or names of methods that only compute."""
    match node:
        case ast.Constant(value=str(name)):
            reached = reaches(name) or name in block.tables.methods["data"] or name in block.tables.introspection
            return not name.startswith("_") and not reached
        case ast.Constant() | ast.Lambda():
            return True
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return all(_is_harmless(each, block) for each in parts)
        case ast.Dict(keys=keys, values=values):
            return None not in keys and all(_is_harmless(each, block) for each in values)
        case ast.Name() | ast.Attribute():
            return _is_function(node, block)
        case _:
            pass
    return False


def _is_function(node: ast.Name | ast.Attribute, block: Block) -> bool:
    """A builtin, a member of a module, or a function of the block that nothing else is called like."""
    name = block.member(node)
    if name is not None:
        module, _, last = name.rpartition(".")
        return last in block.tables.pure if module == "builtins" else block.tables.is_member(module, last)
    return isinstance(node, ast.Name) and node.id in block.functions and node.id not in block.tables.builtins


def call_facts(call: ast.Call, block: Block) -> Facts:
    """What any call may not be given where these libraries are about."""
    for keyword in call.keywords:
        is_off = isinstance(keyword.value, ast.Constant) and keyword.value.value in (False, None)
        if keyword.arg in _REFUSED and (keyword.arg == "refcheck" or not is_off):
            return (unknown(f"the argument {keyword.arg}", call),)
        if keyword.arg == "aggfunc" and not _is_harmless(keyword.value, block):
            return (unknown("a function that is named by a text", call),)
        if keyword.arg is None and (block.member(call.func) or "") != "builtins.dict":
            return (unknown("arguments whose names are computed", call),)
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if name in {"hist", "boxplot", "plot", "crosstab", "pivot_table"} and len(call.args) > MOST_POSITIONAL:
        return (unknown("more arguments than can be told apart", call),)
    return ()
