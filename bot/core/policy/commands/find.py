"""find with listed tests and prints. What deletes, runs, or writes is not listed, nor is what reads a list of names."""

from collections.abc import Iterator, Mapping, Sequence

from bot.core.policy.commands import roles
from bot.core.policy.commands.arguments import Part
from bot.core.policy.commands.table import Role
from bot.core.policy.decision import Argument, Computed

_ALONE = frozenset(
    "( ) ! -not -a -and -o -or -print -print0 -ls -empty -prune -true -false -readable -writable -executable -depth"
    " -mount -xdev -daystart".split()
)
_TEXT = (
    "-name -iname -path -ipath -wholename -regex -iregex -type -perm -printf -user -group -mtime -mmin -atime -amin"
    " -ctime -cmin -size"
)
_WITH: Mapping[str, Role] = {
    **dict.fromkeys(_TEXT.split(), "text"),
    "-maxdepth": "number",
    "-mindepth": "number",
    "-newer": "name",
}


def parts(argv: Sequence[Argument]) -> tuple[Part, ...] | None:
    found = list(_parts(argv))
    return None if None in found else tuple(part for part in found if part is not None)


def _parts(argv: Sequence[Argument]) -> Iterator[Part | None]:
    """Starting points, then tests; None where one is not understood."""
    words = iter(argv)
    testing = False
    for word in words:
        if isinstance(word, Computed):
            good = not testing and roles.is_no_flag(word) and roles.may_be("name", word)
            yield Part("name", word) if good else None
        elif word in _ALONE:
            testing = True
        elif word in _WITH:
            testing = True
            value = next(words, None)
            role = _WITH[word]
            yield Part(role, value) if isinstance(value, str) and roles.fits(role, value) else None
        elif testing or word.startswith("-") or not roles.fits("name", word):
            yield None
        else:
            yield Part("name", word)
