"""Read what stands behind a fence's ticks: a tag, then settings such as `timeout=60 network args="-n 5"`.

Words that are no setting are common in fences copied from documentation (`title="x"`, `{1,3}`, `linenos`) and are
passed over with a hint. A setting that cannot be read, and a word that looks like code which slipped onto the fence
line, are faults: running less than what was written, or with another limit than was asked for, would be a surprise.
"""

import keyword
import re
import shlex
from dataclasses import dataclass, field, replace

from bot.core.codeblocks.hint import quote

_SECONDS = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,3})?)s?")
_PACKAGE = re.compile(
    r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
    r"(?:\[[A-Za-z0-9._-]+(?:,[A-Za-z0-9._-]+)*\])?"
    r"(?:(?:===|[=~!<>]=|[<>])[A-Za-z0-9.*+!_-]+)?"
)
_SETTINGS = frozenset({"timeout", "network", "packages", "args"})
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_CODE_SIGNS = re.compile(r"[()|;&$]|(?:^|\s)(?:=|-\S|>>>)")
_COMMANDS = """
apt awk cat cd chmod cp curl cut date df du echo env export find git grep head jq ls make mkdir mv node npm pip print
pwd python python3 rm sed seq set sort sudo tail tar touch tr uname uniq wc wget which
"""


@dataclass(frozen=True, slots=True)
class Attributes:
    """Settings of one block. `timeout_s` is in seconds, None for the channel's; `args` are the program's arguments."""

    timeout_s: float | None = None
    network: bool = False
    packages: tuple[str, ...] = ()
    args: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Info:
    """`tag` is as typed, empty if there is none. `problems` continue "The fence line cannot be read:"."""

    tag: str = ""
    attributes: Attributes = field(default_factory=Attributes)
    problems: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    has_code: bool = False


def read_info(info: str) -> Info:
    """Read the text behind the ticks. `has_code` is whether it holds code rather than settings."""
    tag, rest = _split_tag(info)
    try:
        words = shlex.split(rest)
    except ValueError:
        unread = "a quotation mark is not closed"
        return Info(tag, problems=(unread,), has_code=looks_like_code(rest))
    settings = [word for word in words if word.partition("=")[0] in _SETTINGS]
    unknown = tuple(word for word in words if word.partition("=")[0] not in _SETTINGS)
    attributes, problems = _read_settings(settings)
    return Info(tag, attributes, problems, unknown, has_code=bool(unknown) and looks_like_code(rest))


def looks_like_code(text: str) -> bool:
    """Whether text on a fence line is code that belongs on the next line; what stands in quotes is not looked at."""
    bare = _QUOTED.sub("''", text)
    first = bare.split(maxsplit=1)[:1]
    return bool(first) and (
        keyword.iskeyword(first[0]) or first[0] in _COMMANDS.split() or _CODE_SIGNS.search(bare) is not None
    )


def _split_tag(info: str) -> tuple[str, str]:
    words = info.split(maxsplit=1)
    if not words:
        return "", ""
    name = words[0].partition("=")[0]
    if name in _SETTINGS:
        return "", info
    return words[0], words[1] if len(words) > 1 else ""


def _read_settings(words: list[str]) -> tuple[Attributes, tuple[str, ...]]:
    """What the words set, and what is wrong with the first that is wrong."""
    attributes = Attributes()
    seen: set[str] = set()
    for word in words:
        name, equals, value = word.partition("=")
        try:
            if name in seen:
                raise ValueError(f"{name} is given twice")
            attributes = _set(attributes, name, value if equals else None)
        except ValueError as error:
            return attributes, (str(error),)
        seen.add(name)
    return attributes, ()


def _set(attributes: Attributes, name: str, value: str | None) -> Attributes:
    if name == "network":
        if value is not None:
            raise ValueError("network stands alone, without a value")
        return replace(attributes, network=True)
    if value is None or not value.strip():
        raise ValueError(f"{name} has no value")
    if name == "timeout":
        return replace(attributes, timeout_s=_seconds(value))
    if name == "packages":
        return replace(attributes, packages=_packages(value))
    try:
        return replace(attributes, args=tuple(shlex.split(value)))
    except ValueError:
        raise ValueError("a quotation mark in args is not closed") from None


def _seconds(value: str) -> float:
    found = _SECONDS.fullmatch(value)
    if not found or float(found[1]) <= 0:
        raise ValueError(f"timeout={quote(value)} is not a number of seconds, as in timeout=60")
    return float(found[1])


def _packages(value: str) -> tuple[str, ...]:
    names = tuple(name for name in re.split(r"[,\s]+", value) if name)
    for name in names:
        if not _PACKAGE.fullmatch(name):
            raise ValueError(f"{quote(name)} is not the name of a package")
    if not names:
        raise ValueError("packages has no value")
    return names
