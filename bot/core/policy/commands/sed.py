"""sed that prints lines: `sed -n 5p`, `1,20p`, `$p`, one or several; every other script may write or run."""

import re
from collections.abc import Sequence

from bot.core.policy.commands.arguments import Part, by_shape
from bot.core.policy.commands.table import Shape
from bot.core.policy.decision import Argument

_PRINTS = re.compile(r"(?:[0-9]+|\$)(?:,(?:[0-9]+|\$))?p", re.ASCII)
_SHAPE = Shape(flags=("-n",), needs=("-n",), operands=("text", "read"), least=1, most=20)


def parts(argv: Sequence[Argument]) -> tuple[Part, ...] | None:
    found = by_shape(_SHAPE, argv)
    if not found or not isinstance(script := found[0].word, str):
        return None
    return found if all(_PRINTS.fullmatch(each.strip()) for each in script.split(";")) else None
