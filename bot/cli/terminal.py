"""Writing to people and to programs."""

import json
import os
import sys
from collections.abc import Mapping
from typing import Any, TextIO

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


def coloured(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text: str, *names: str, on: bool) -> str:
    return f"\x1b[{';'.join(_CODES[name] for name in names)}m{text}\x1b[0m" if on and text else text


def say(text: str = "") -> None:
    print(text, flush=True)  # noqa: T201


def complain(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201


def answer(value: Mapping[str, Any]) -> None:
    """One JSON object on one line, at once. ASCII, so that no text whatsoever can break the line or the encoding."""
    say(json.dumps(value, allow_nan=False))
