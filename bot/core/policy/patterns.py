"""Patterns of a policy: a text that stands for itself, with `*` only at the end of a path segment or host label.

`covers` is for rules that allow and takes a pattern narrowly; `hits` is for rules that ask or deny and takes it widely:
a name that begins with a dot is hit by `*`, and never covered by it.
"""

import re
from collections.abc import Callable, Mapping
from typing import Annotated

from pydantic import AfterValidator

ANY = "*"

_SEGMENT = re.compile(r"[^/*\x00-\x1f\x7f]+\*?|\*")
_LABEL = re.compile(r"[a-z0-9_-]+\*?|\*")
_PORT = re.compile(r"[1-9][0-9]{0,4}|\*")
_ADDRESS = re.compile(r"\[[0-9a-f:.]+\]")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\*?|\*|@[a-z]+")
_LOWER = re.compile(r"[a-z][a-z0-9_]*")

USUAL = frozenset(
    "BASHPID BASH_VERSION COLUMNS EUID HOME HOSTNAME HOSTTYPE LANG LINENO LINES LOGNAME MACHTYPE OLDPWD OPTARG OPTIND"
    " OSTYPE PATH PIPESTATUS PPID PWD RANDOM REPLY SECONDS SHELL SHLVL TERM TMPDIR TZ UID USER".split()
)
"""Variables that a shell has anyway, and that hold nothing worth hiding."""


def _path(text: str) -> str:
    root, *segments = text.split("/")
    good = segments == [ANY] or all(_SEGMENT.fullmatch(each) and each not in {".", ".."} for each in segments)
    if root or not segments or not good:
        raise ValueError("is an absolute path without '..', with '*' only at the end of a segment")
    return text


def _host(text: str) -> str:
    name, port = _parted(text)
    if not _ADDRESS.fullmatch(name) and not all(_LABEL.fullmatch(label) for label in name.split(".")):
        raise ValueError("is a host in lower case, 'host:port', or has '*' at the end of a label")
    if port and not _PORT.fullmatch(port):
        raise ValueError("has a port that is none")
    return text


def _variable(text: str) -> str:
    if not _VARIABLE.fullmatch(text) or (text.startswith("@") and text not in _SETS):
        raise ValueError(f"is the name of a variable, with '*' only at the end, or one of {', '.join(sorted(_SETS))}")
    return text


PathPattern = Annotated[str, AfterValidator(_path)]
HostPattern = Annotated[str, AfterValidator(_host)]
VariablePattern = Annotated[str, AfterValidator(_variable)]

_SETS: Mapping[str, Callable[[str], bool]] = {
    "@lower": lambda name: bool(_LOWER.fullmatch(name)) and not name.endswith("_proxy"),
    "@usual": lambda name: name in USUAL or name.startswith("LC_"),
}


def text_matches(pattern: str, text: str) -> bool:
    """The same text, or one that begins like the pattern before its `*`."""
    return text.startswith(pattern[:-1]) if pattern.endswith(ANY) else text == pattern


def path_covers(pattern: str, path: str) -> bool:
    """`/tmp/*` covers everything below /tmp but names with a dot in front, `/tmp/*/x` exactly one level."""
    return _path_matches(pattern, path, hidden=False)


def path_hits(pattern: str, path: str) -> bool:
    return _path_matches(pattern, path, hidden=True)


def _path_matches(pattern: str, path: str, *, hidden: bool) -> bool:
    wanted, segments = pattern.split("/")[1:], path.split("/")
    if segments[0] or ".." in segments:  # never made by an analyser; nothing is known about it
        return hidden
    segments = segments[1:]
    if wanted[-1] == ANY and len(segments) > len(wanted):
        wanted += [ANY] * (len(segments) - len(wanted))
    return len(wanted) == len(segments) and all(
        text_matches(each, segment) and (hidden or each != ANY or not segment.startswith("."))
        for each, segment in zip(wanted, segments, strict=True)
    )


def host_covers(pattern: str, value: str) -> bool:
    """A pattern without a port covers the usual ports only, which a fact does not name."""
    (name, port), (host, at) = _parted(pattern), _parted(value)
    return _host_matches(name, host) and port in {at, ANY}


def host_hits(pattern: str, value: str) -> bool:
    (name, port), (host, at) = _parted(pattern), _parted(value)
    return _host_matches(name, host) and (not port or port in {at, ANY})


def _host_matches(pattern: str, host: str) -> bool:
    if pattern == ANY:
        return True
    wanted, labels = pattern.split("."), host.split(".")
    return len(wanted) == len(labels) and all(map(text_matches, wanted, labels))


def _parted(text: str) -> tuple[str, str]:
    """Host and port; an IPv6 address stands in brackets."""
    name, colon, port = text.rpartition(":")
    return (name, port) if colon and not port.endswith("]") else (text, "")


def variable_matches(pattern: str, name: str) -> bool:
    return _SETS[pattern](name) if pattern in _SETS else text_matches(pattern, name)
