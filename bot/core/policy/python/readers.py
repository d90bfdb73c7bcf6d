"""Functions of numpy, pandas and matplotlib that read or write files, and settings that are no more than settings."""

import ast
import re

from bot.core.policy.python.arguments import Arguments
from bot.core.policy.python.block import Block
from bot.core.policy.python.data import into, saved
from bot.core.policy.python.literals import path, text
from bot.core.policy.python.memory import is_buffer
from bot.core.policy.python.network import reached
from bot.core.policy.python.said import Facts, fact

_READING = frozenset(
    (
        "cache_dates chunksize colspecs columns comment comments compression converters date_format date_parser"
        " dayfirst decimal delim_whitespace delimiter dtype encoding encoding_errors engine escapechar false_values"
        " filling_values header index_col infer_datetime_format keep_default_na lineterminator lines low_memory"
        " max_rows missing_values na_filter na_values names ndmin nrows on_bad_lines orient parse_dates quotechar"
        " quoting sep sheet_name skip_blank_lines skip_footer skip_header skipfooter skipinitialspace skiprows"
        " thousands true_values unpack usecols widths count offset"
    ).split()
)
_WRITING = frozenset("arr X fmt delimiter newline header footer comments encoding".split())
_SUFFIXES = {"save": ".npy", "savez": ".npz", "savez_compressed": ".npz"}
_OPTION = re.compile(r"display\.[a-z_.]+")
_STYLES = frozenset(
    "bmh classic dark_background default fast fivethirtyeight ggplot grayscale tableau-colorblind10".split()
)
_SETTINGS = frozenset(
    (
        "axes.facecolor axes.grid axes.labelsize axes.spines.right axes.spines.top axes.titlesize"
        " axes.unicode_minus figure.autolayout figure.dpi figure.facecolor figure.figsize font.family font.size"
        " grid.alpha grid.linestyle image.cmap legend.fontsize legend.loc lines.linewidth lines.markersize"
        " savefig.dpi xtick.labelsize ytick.labelsize"
    ).split()
)


def frame_read(node: ast.AST, block: Block) -> Facts | None:
    """`pd.read_csv(PATH or URL)`."""
    return _read(node, block, hosts=True)


def array_read(node: ast.AST, block: Block) -> Facts | None:
    """`np.loadtxt(PATH)`."""
    return _read(node, block, hosts=False)


def _read(node: ast.AST, block: Block, *, hosts: bool) -> Facts | None:
    call = block.call_of(node)
    arguments = None if call is None else Arguments.of(call, "source", "sep")
    if call is None or arguments is None or not arguments.has_only({"source", "sep", *_READING, "allow_pickle"}):
        return None
    source = arguments.get("source")
    if is_buffer(source, block):
        return ()
    written = text(source)
    if written is not None and "://" in written:
        return reached(source, call) if hosts else None
    if written is not None and written.lstrip()[:1] in {"{", "[", "<"}:  # the content itself, or so it could be taken
        return None
    where = path(source, block)
    return None if where is None else (fact("read", where, call),)


def array_written(node: ast.AST, block: Block) -> Facts | None:
    """`np.save(PATH, a)`; a suffix that is missing is added, as numpy does."""
    call = block.call_of(node)
    if call is None or not call.args or any(isinstance(each, ast.Starred) for each in call.args):
        return None
    name = (block.member(node) or "").rpartition(".")[2]
    keywords = {each.arg for each in call.keywords}
    if None in keywords or (not name.startswith("savez") and not keywords <= _WRITING) or {"file", "fname"} & keywords:
        return None
    found = into(call.args[0], call, block)
    suffix = _SUFFIXES.get(name, "")
    if not found or found[0].value.endswith(suffix):
        return found
    return (fact("write", found[0].value + suffix, call),)


def figure_saved(node: ast.AST, block: Block) -> Facts | None:
    call = block.call_of(node)
    return None if call is None else saved(call, block)


def picture_read(node: ast.AST, block: Block) -> Facts | None:
    call = block.call_of(node)
    where = path(call.args[0], block) if call is not None and len(call.args) == 1 and not call.keywords else None
    return None if where is None or call is None else (fact("read", where, call),)


def option_set(node: ast.AST, block: Block) -> Facts | None:
    """`pd.set_option("display.max_rows", 9)`."""
    call = block.call_of(node)
    if call is None or call.keywords or len(call.args) != 2:
        return None
    return () if _OPTION.fullmatch(text(call.args[0]) or "") else None


def style_used(node: ast.AST, block: Block) -> Facts | None:
    """`plt.style.use("ggplot")`."""
    parent = block.parent(node)
    if not isinstance(parent, ast.Attribute) or parent.attr != "use":
        return None
    call = block.call_of(parent)
    return () if call is not None and not call.keywords and [text(a) in _STYLES for a in call.args] == [True] else None


def setting(node: ast.AST, block: Block) -> Facts | None:
    """`plt.rcParams["font.size"] = 12`, `plt.rcParams.update({"font.size": 12})`."""
    parent = block.parent(node)
    if isinstance(parent, ast.Subscript) and parent.value is node:
        return () if text(parent.slice) in _SETTINGS else None
    call = block.call_of(parent) if isinstance(parent, ast.Attribute) and parent.attr == "update" else None
    if call is None or call.keywords or len(call.args) != 1 or not isinstance(call.args[0], ast.Dict):
        return None
    return () if all(text(key) in _SETTINGS for key in call.args[0].keys) else None
