"""Texts, paths and hosts that stand in the code as they are; None for what is computed, since nobody follows values."""

import ast
import posixpath
import re
from urllib.parse import urlsplit

from bot.core.policy.python.block import Block

WORKSPACE = "/workspace"
"""Where code starts, and nothing covered changes that: relative paths are below it."""

_URL = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?([/?#][!-\[\]-~]*)?")
_USUAL = {"http": 80, "https": 443}
_PATHS = frozenset({"pathlib.Path", "pathlib.PosixPath", "pathlib.PurePath", "pathlib.PurePosixPath"})


def text(node: ast.AST | None) -> str | None:
    """`"a"`, `"a" + "b"`, and an f-string without fields."""
    match node:
        case ast.Constant(value=str(value)):
            return value
        case ast.JoinedStr(values=values):
            parts = [text(each) for each in values]
            return None if None in parts else "".join(each for each in parts if each is not None)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            first, second = text(left), text(right)
            return None if first is None or second is None else first + second
        case _:
            pass
    return None


def texts(node: ast.AST | None) -> list[str] | None:
    """A list or tuple of such texts."""
    if not isinstance(node, ast.List | ast.Tuple):
        return None
    found = [text(each) for each in node.elts]
    return None if None in found else [each for each in found if each is not None]


def path(node: ast.AST | None, block: Block) -> str | None:
    """The absolute path that an expression is: a text, `Path("a") / "b"`, or `os.path.join("a", "b")`."""
    written = _path(node, block)
    return None if written is None else absolute(written)


def is_path_object(node: ast.AST, block: Block) -> bool:
    """Whether the expression is a `Path` of which every part stands in the code."""
    return not (isinstance(node, ast.Constant | ast.JoinedStr)) and _path(node, block) is not None


def _path(node: ast.AST | None, block: Block) -> str | None:
    match node:
        case ast.Call(func=func, args=args, keywords=[]) if block.member(func) in _PATHS | {"os.path.join"}:
            return _joined([_path(each, block) for each in args])
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return _joined([_path(left, block), _path(right, block)])
        case _:
            pass
    return text(node)


def _joined(parts: list[str | None]) -> str | None:
    known = [each for each in parts if each is not None]
    return posixpath.join(*known) if known and len(known) == len(parts) else None


def absolute(written: str) -> str | None:
    """As the system would take it; None for what another program could take otherwise, or what leads upwards."""
    if not written or written.startswith("~") or "\0" in written or "://" in written or ".." in written.split("/"):
        return None
    return posixpath.normpath("/" + posixpath.join(WORKSPACE, written).lstrip("/"))


def host(url: str) -> str | None:
    """The host that a URL reaches, with its port where that is not the usual one; None unless the form is plain."""
    if not _URL.fullmatch(url):
        return None
    try:
        parts = urlsplit(url)
        name, port = parts.hostname, parts.port
    except ValueError:
        return None
    if not name:
        return None
    return name if port in (None, _USUAL[parts.scheme]) else f"{name}:{port}"


def is_plain(node: ast.AST) -> bool:
    """A constant, or a list, tuple or dictionary of constants."""
    return all(
        isinstance(each, ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.UnaryOp | ast.USub | ast.Load | ast.Set)
        for each in ast.walk(node)
    )
