"""What the last expression of a program comes to, where it stands alone as in an interactive session.

The program stays one code object with its own line numbers: its last statement is made an assignment to a name that no
program can write, so tracebacks, constants and everything before the end are what they are without.

The text of a value is bounded, and making it harms nothing: what a `__repr__` prints goes nowhere, what it raises is
named, and long containers are read only as far as they are shown.
"""

import contextlib
import io
import os
import sys
from collections.abc import Iterable, Iterator
from types import CodeType
from typing import Any, Final

NAME: Final = "<value>"
FILE: Final = "value"
MOST_CHARS: Final = 4000
_DEEPEST: Final = 20
_LARGEST_INT: Final = 10**1000  # the text of far larger ones takes long, or is refused
_TABLE: Final = ("display.max_rows", 40, "display.min_rows", 20, "display.max_columns", 12, "display.width", 120)
_BRACKETS: Final[dict[type, tuple[str, str]]] = {
    list: ("[", "]"),
    tuple: ("(", ")"),
    set: ("{", "}"),
    frozenset: ("frozenset({", "})"),
    dict: ("{", "}"),
}


def compiled(source: bytes, name: str) -> CodeType:
    """The program, which leaves its last value in its namespace as `NAME` if it has one."""
    import ast  # noqa: PLC0415 - not for the supervisor, which has no use for it and the least memory

    try:
        tree = ast.parse(source, name)
        last = tree.body[-1]
        if isinstance(last, ast.Expr):
            target = ast.copy_location(ast.Name(NAME, ast.Store()), last)
            tree.body[-1] = ast.copy_location(ast.Assign([target], last.value), last)
            return compile(tree, name, "exec", dont_inherit=True)
    except Exception:  # noqa: BLE001, S110 - whatever is wrong with the source is said below, by the compiler itself
        pass
    return compile(source, name, "exec", dont_inherit=True)


def keep(value: object, folder: str) -> None:
    """Put the value's text into `folder`, for the supervisor to take."""
    data = text_of(value).encode("utf-8", "backslashreplace")
    with contextlib.suppress(OSError):
        file = os.open(f"{folder}/{FILE}", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            os.write(file, data)
        finally:
            os.close(file)


def text_of(value: object) -> str:
    """At most MOST_CHARS and a mark; never raises."""
    silence = io.StringIO()
    with contextlib.redirect_stdout(silence), contextlib.redirect_stderr(silence):
        try:
            return _bounded([table] if (table := _table(value)) is not None else _pieces(value, ()))
        except BaseException as error:  # noqa: BLE001 - whatever a program's own classes raise
            return f"<{_name(type(value))}: its text could not be made ({_name(type(error))})>"


def _bounded(pieces: Iterable[str]) -> str:
    kept: list[str] = []
    room = MOST_CHARS
    for piece in pieces:
        if len(piece) > room:
            kept.append(piece[:room] + " …")
            break
        kept.append(piece)
        room -= len(piece)
    return "".join(kept)


def _pieces(value: Any, around: tuple[object, ...]) -> Iterator[str]:
    kind = type(value)
    if kind in _BRACKETS and value:
        opening, closing = _BRACKETS[kind]
        yield opening
        if len(around) >= _DEEPEST or any(value is other for other in around):
            yield "..."
        else:
            yield from _items(value, (*around, value))
        yield closing
    elif kind in {str, bytes, bytearray}:
        yield repr(value[: MOST_CHARS + 1])
    elif kind is int and not -_LARGEST_INT < value < _LARGEST_INT:
        yield f"<int of {value.bit_length()} bits>"
    else:
        yield repr(value)


def _items(value: Any, around: tuple[object, ...]) -> Iterator[str]:
    for number, item in enumerate(value):
        if number:
            yield ", "
        yield from _pieces(item, around)
        if type(value) is dict:
            yield ": "
            yield from _pieces(value[item], around)
    if type(value) is tuple and len(value) == 1:
        yield ","


def _table(value: object) -> str | None:
    """Of what pandas calls a table, if the program uses it."""
    pandas = sys.modules.get("pandas")
    if not isinstance(value, (getattr(pandas, "DataFrame", ()), getattr(pandas, "Series", ()))):
        return None
    with pandas.option_context(*_TABLE):  # type: ignore[union-attr]
        return repr(value)


def _name(kind: type) -> str:
    """Even where a class of classes has its own idea of it."""
    name: str = vars(type)["__name__"].__get__(kind)
    return name
