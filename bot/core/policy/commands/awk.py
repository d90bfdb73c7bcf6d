"""awk that prints and adds up: rules of a plain pattern and an action of prints, sums and conditions.

Read by tokens that are known: `|` and, inside an action, `>` are not among them, nor are getline, system, close and
everything else that reaches outside, nor loops and functions.
"""

import re
from collections.abc import Sequence

from bot.core.policy.commands.arguments import Part, by_shape
from bot.core.policy.commands.table import Shape
from bot.core.policy.decision import Argument

_SHAPE = Shape(valued={"-F": "text"}, operands=("text", "read"), least=1, most=20)
_TOKEN = re.compile(
    r"""[ \t\n]+|(?P<string>"(?:[^"\\\n]|\\.)*")|[0-9]+(?:\.[0-9]+)?|(?P<name>[A-Za-z_]\w*)(?P<call>\()?"""
    r"""|&&|\|\||==|!=|<=|>=|\+\+|--|[+\-*/%]=|(?P<more>>)|(?P<open>\{)|(?P<close>\})|[$=+\-*/%,;:?!<()\[\]~^]""",
    re.ASCII,
)
_PATTERN = re.compile(r"\s*/[A-Za-z0-9 _.,:^$@#-]+/\s*", re.ASCII)
_CALLS = frozenset("length substr index int sqrt toupper tolower sprintf print printf if".split())
_WORDS = frozenset("BEGIN END NR NF FNR FS OFS RS ORS FILENAME print printf if else next in length".split())
_NAME = re.compile(r"[a-z_][a-z0-9_]*", re.ASCII)
_BARRED = frozenset(
    "getline system close fflush while for do func function delete exit return nextfile switch case".split()
)


def parts(argv: Sequence[Argument]) -> tuple[Part, ...] | None:
    """Values of flags come first in what `by_shape` gives; the program is the first operand."""
    found = by_shape(_SHAPE, argv)
    if found is None:
        return None
    at = len(found) - sum(1 for part in found if part.role == "read") - 1
    program, files = found[at].word, found[at + 1 :]
    if not isinstance(program, str) or not is_plain(program):
        return None
    if any(not isinstance(part.word, str) or "=" in part.word for part in files):
        return None  # awk takes name=value for an assignment
    return found


def is_plain(program: str) -> bool:
    """Whether it only prints and adds up."""
    depth = 0
    at = 0
    fresh = True
    """Whether a pattern may begin here."""
    while at < len(program):
        if fresh and depth == 0 and (pattern := _PATTERN.match(program, at)):
            at, fresh = pattern.end(), False
            continue
        token = _TOKEN.match(program, at)
        if token is None or not _is_known(token, depth):
            return False
        depth += 1 if token["open"] else -1 if token["close"] else 0
        fresh = bool(token["close"]) or (fresh and token[0].isspace())
        if not 0 <= depth <= 3:
            return False
        at = token.end()
    return depth == 0


def _is_known(token: re.Match[str], depth: int) -> bool:
    if token["more"]:
        return depth == 0  # in a pattern it compares, behind print it writes
    name = token["name"]
    if name is None:
        return True
    if token["call"]:
        return name in _CALLS
    return name in _WORDS or (name not in _BARRED and name not in _CALLS and bool(_NAME.fullmatch(name)))
