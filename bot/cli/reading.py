"""Reading what a command is given: text as it is, and requests line by line."""

import json
import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.cli.trouble import Misused

Id = str | int | float | None


@dataclass(frozen=True, slots=True)
class Asked:
    """A line that is a JSON object with the wanted fields."""

    id: Id
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BadLine:
    id: Id
    error: str

    def answer(self) -> dict[str, Any]:
        return {"id": self.id, "error": self.error}


def text_of(name: str | None) -> str:
    """A file's text, or standard input's for None and `-`; line ends stay as they are."""
    if name in {None, "-"}:
        data, where = sys.stdin.buffer.read(), "standard input"
    else:
        where = str(name)
        try:
            data = Path(where).read_bytes()
        except OSError as error:
            raise Misused(f"{where} cannot be read.", f"{error.strerror}.", "Name a file that can.") from error
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        why = f"Byte {error.start + 1} is not UTF-8."
        raise Misused(f"{where} is not text.", why, "Give it in UTF-8.") from error


def requests(fields: Mapping[str, type], optional: Mapping[str, tuple[type, ...]]) -> Iterator[Asked | BadLine]:
    """Standard input, line by line."""
    for line in sys.stdin.buffer:
        yield request(line, fields, optional)


def request(line: bytes, fields: Mapping[str, type], optional: Mapping[str, tuple[type, ...]]) -> Asked | BadLine:
    """One line as a request; whatever is wrong with it is said in the answer."""
    try:
        value = json.loads(line.decode(), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        return BadLine(None, f"not a line of JSON: {error}")
    if not isinstance(value, dict):
        return BadLine(None, "not a JSON object")
    given = value.get("id")
    if isinstance(given, bool) or not isinstance(given, str | int | float | None):
        return BadLine(None, "id is neither a string nor a number")
    if isinstance(given, float) and not math.isfinite(given):
        return BadLine(None, "id is too large a number")
    for name, kind in fields.items():
        if name not in value:
            return BadLine(given, f"{name} is missing")
        if not isinstance(value[name], kind):
            return BadLine(given, f"{name} is not of the right type")
    for name, kinds in optional.items():
        if value.get(name) is not None and (isinstance(value[name], bool) or not isinstance(value[name], kinds)):
            return BadLine(given, f"{name} is not of the right type")
    try:
        for name in fields:
            str(value[name]).encode()
    except UnicodeEncodeError:
        return BadLine(given, f"{name} holds half a surrogate pair, which is no text")
    return Asked(given, value)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
