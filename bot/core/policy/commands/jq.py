"""jq that picks: paths, pipes and a few functions without arguments. Files, the environment and modules are out."""

import re
from collections.abc import Sequence

from bot.core.policy.commands.arguments import Part, by_shape
from bot.core.policy.commands.table import Shape
from bot.core.policy.decision import Argument

_SHAPE = Shape(
    letters="rcesSMCj",
    flags=("--raw-output", "--compact-output", "--sort-keys", "--slurp", "--version"),
    operands=("text", "read"),
    most=20,
)
_FILTER = re.compile(
    r"(?:[\s.,|\[\]()?:]|-?[0-9]+|\"[\w .-]*\"|(?<=\.)[A-Za-z_]\w*|(?<![.\w])(?P<function>[a-z_]+)(?!\w))*", re.ASCII
)
_WORD = re.compile(r"(?<![.\w\"])[A-Za-z_]\w*", re.ASCII)
_STRING = re.compile(r"\"[\w .-]*\"", re.ASCII)
_FUNCTIONS = frozenset(
    "keys values length type sort unique add first last min max not tostring tonumber reverse flatten empty true false"
    " null to_entries from_entries any all ascii_downcase ascii_upcase".split()
)


def parts(argv: Sequence[Argument]) -> tuple[Part, ...] | None:
    found = by_shape(_SHAPE, argv)
    if found is None:
        return None
    if not found:
        return found if list(argv) == ["--version"] else None
    chosen = found[0].word
    return found if isinstance(chosen, str) and picks(chosen) else None


def picks(chosen: str) -> bool:
    """Whether a filter only takes values out of its input."""
    if not _FILTER.fullmatch(chosen):
        return False
    return all(word in _FUNCTIONS for word in _WORD.findall(_STRING.sub("", chosen)))
