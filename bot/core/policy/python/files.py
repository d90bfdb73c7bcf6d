"""Files: `open`, methods of a path, and the few functions of `os` that look at one."""

import ast
import re

from bot.core.policy.python.arguments import Arguments
from bot.core.policy.python.block import Block
from bot.core.policy.python.literals import is_path_object, path
from bot.core.policy.python.said import Facts, fact

_MODE = re.compile(r"[rwax]?[bt]?\+?[bt]?")
_OPEN = frozenset({"encoding", "errors", "newline", "buffering"})
_READING = frozenset({"read_text", "read_bytes", "exists", "is_file", "is_dir", "iterdir", "stat"})
_WRITING = frozenset({"write_text", "write_bytes", "touch"})


def opened(node: ast.AST, block: Block) -> Facts | None:
    """`open(PATH, MODE)`, both as they stand."""
    call = block.call_of(node)
    if call is None:
        return None
    arguments = Arguments.of(call, "file", "mode", "buffering", "encoding", "errors", "newline")
    if arguments is None or not arguments.has_only({"file", "mode", *_OPEN}):
        return None
    return by_mode(path(arguments.get("file"), block), arguments.get("mode"), call)


def by_mode(where: str | None, mode: ast.AST | None, call: ast.Call) -> Facts | None:
    if mode is None:
        letters = "r"
    elif isinstance(mode, ast.Constant) and isinstance(mode.value, str) and _MODE.fullmatch(mode.value):
        letters = mode.value
    else:
        return None
    if where is None:
        return None
    writes = any(letter in letters for letter in "wax+")
    reads = "+" in letters or not writes
    found = [fact("read", where, call)] if reads else []
    return (*found, fact("write", where, call)) if writes else tuple(found)


def looked_at(node: ast.AST, block: Block) -> Facts | None:
    """`os.path.exists(PATH)`, `os.listdir(PATH)`."""
    call = block.call_of(node)
    if call is None or call.keywords or len(call.args) > 1:
        return None
    if not call.args:
        return (fact("read", "/workspace", call),) if block.member(node) == "os.listdir" else None
    where = path(call.args[0], block)
    return None if where is None else (fact("read", where, call),)


def method(node: ast.Attribute, block: Block) -> Facts | None:
    """A method of a path that stands in the code; None for every other that touches files."""
    call = block.call_of(node)
    if block.member(node.value) == "pathlib.Path" and node.attr == "cwd":
        return ()
    if call is None or not is_path_object(node.value, block):
        return None
    where = path(node.value, block)
    if where is None:
        return None
    if node.attr in _READING:
        return (fact("read", where, call),)
    if node.attr in _WRITING:
        return (fact("write", where, call),)
    if node.attr == "open":
        arguments = Arguments.of(call, "mode", "buffering", "encoding", "errors", "newline")
        if arguments is not None and arguments.has_only({"mode", *_OPEN}):
            return by_mode(where, arguments.get("mode"), call)
    return None
