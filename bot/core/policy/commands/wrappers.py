"""Commands that run another: only shapes in which it is plain which one. That one is then judged by itself."""

import re
from collections.abc import Sequence

from bot.core.policy.decision import Argument

_SECONDS = re.compile(r"[0-9]+(\.[0-9]+)?[smh]?", re.ASCII)
_NICENESS = re.compile(r"-n?[0-9]+", re.ASCII)


def inner(name: str, argv: Sequence[Argument]) -> tuple[Argument, ...] | None:
    """What `timeout 5 ls -l` runs: `ls -l`. None where that is not plain; `argv` is without the wrapper's name."""
    rest: Sequence[Argument] | None = None
    match name, *argv:
        case "timeout", str(seconds), str(_), *_ if _SECONDS.fullmatch(seconds):
            rest = argv[1:]
        case "nice", "-n", str(niceness), str(_), *_ if niceness.isascii() and niceness.isdigit():
            rest = argv[2:]
        case "nice", str(niceness), str(_), *_ if _NICENESS.fullmatch(niceness):
            rest = argv[1:]
        case "nice", str(_), *_:
            rest = argv
        case _:
            pass
    if not rest or not isinstance(rest[0], str) or not rest[0] or rest[0].startswith(("-", "+")) or "=" in rest[0]:
        return None
    return tuple(rest)
