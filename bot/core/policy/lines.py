"""Where in a TOML text a key stands, so that an error can name the line; a reader of structure, not of values."""

import re

from bot.core.policy.check import Place

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?")
_KEY = re.compile(r"""\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+))*)\s*=""")
_PART = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*(?:\.|$)""")


def line_of(text: str, place: Place) -> int | None:
    """The line (from 1) of the key at `place`, or of whatever it stands in; None where nothing of it is written."""
    best, depth = None, 0
    for number, path in _paths(text):
        reached = len(path) if path == place[: len(path)] else 0
        if reached > depth:
            best, depth = number, reached
    return best


def _paths(text: str) -> list[tuple[int, Place]]:
    """Every header and key with its path; elements of arrays of tables are numbered as they come."""
    found: list[tuple[int, Place]] = []
    counts: dict[Place, int] = {}
    table: Place = ()
    quote = ""
    for number, line in enumerate(text.split("\n"), start=1):
        if quote or (header := _HEADER.fullmatch(line)) is None:
            if not quote and (key := _KEY.match(line)):
                found.append((number, (*table, *_parts(key[1]))))
            quote = _open_quote(line, quote)
            continue
        table = _resolved(_parts(header[2]), counts)
        if header[1] == "[[":
            counts[table] = counts.get(table, -1) + 1
            table = (*table, counts[table])
        found.append((number, table))
    return found


def _parts(key: str) -> tuple[str, ...]:
    return tuple(next(part for part in match.groups() if part is not None) for match in _PART.finditer(key))


def _resolved(parts: tuple[str, ...], counts: dict[Place, int]) -> Place:
    """`rule.approve` behind the third `[[rule]]` is `rule`, 2, `approve`."""
    path: Place = ()
    for index, part in enumerate(parts):
        path = (*path, part)
        if path in counts and index < len(parts) - 1:
            path = (*path, counts[path])
    return path


def _open_quote(line: str, quote: str) -> str:
    """Which kind of long string is open behind this line."""
    for mark in re.findall(r'"""|\'\'\'', line):
        if quote in ("", mark):
            quote = "" if quote else mark
    return quote
