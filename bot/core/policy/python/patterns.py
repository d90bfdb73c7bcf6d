"""Patterns for what Python code names: modules, their members, builtins. `@pure` and its like are sets, `*` ends one.

A module that a rule names covers its import and its public members that were reviewed as pure, nothing below it
(`numpy` is not `numpy.linalg`); everything else of it is covered by naming the member. Who asks or denies means by a
module all of it.
"""

import re
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator

from bot.core.policy.decision import Fact
from bot.core.policy.python.tables import tables

_DOTTED = re.compile(r"([A-Za-z_]\w*\.)*([A-Za-z_]\w*\*?|\*)")
_BUILTIN = re.compile(r"[A-Za-z_]\w*|\*")
_LIBRARY = ("requests", "requests.exceptions")


def _sets() -> dict[str, frozenset[str]]:
    known = tables()
    data = known.data | {"matplotlib"}
    return {"@pure": frozenset(known.members) - data - set(_LIBRARY), "@data": data}


def _builtin_sets() -> dict[str, frozenset[str]]:
    return {"@pure": tables().pure, "@input": tables().stdin}


def _module(text: str) -> str:
    if not _DOTTED.fullmatch(text) and text not in _sets():
        raise ValueError("is a module, with '*' only at the end, or one of @pure and @data")
    return text


def _member(text: str) -> str:
    if not _DOTTED.fullmatch(text) or ("." not in text and text != "*"):
        raise ValueError("is a member as 'module.name', with '*' only at the end")
    return text


def _builtin(text: str) -> str:
    if not _BUILTIN.fullmatch(text) and text not in _builtin_sets():
        raise ValueError("is the name of a builtin, '*', or one of @pure and @input")
    return text


def _several(value: object) -> object:
    """One pattern alone may stand without brackets."""
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


ModulePattern = Annotated[str, AfterValidator(_module)]
MemberPattern = Annotated[str, AfterValidator(_member)]
BuiltinPattern = Annotated[str, AfterValidator(_builtin)]
ModulePatterns = Annotated[tuple[ModulePattern, ...], BeforeValidator(_several)]
MemberPatterns = Annotated[tuple[MemberPattern, ...], BeforeValidator(_several)]
BuiltinPatterns = Annotated[tuple[BuiltinPattern, ...], BeforeValidator(_several)]


def module_covers(pattern: str, fact: Fact) -> bool:
    """A member is covered with its module where it was reviewed as pure."""
    if fact.kind == "import":
        return _matches(pattern, fact.value)
    module, _, name = fact.value.rpartition(".")
    return _matches(pattern, module) and tables().is_member(module, name)


def module_hits(pattern: str, fact: Fact) -> bool:
    parts = fact.value.split(".")
    return any(_matches(pattern, ".".join(parts[:count])) for count in range(1, len(parts) + 1))


def member_matches(pattern: str, fact: Fact) -> bool:
    return _matches(pattern, fact.value)


def builtin_matches(pattern: str, fact: Fact) -> bool:
    return fact.value in _builtin_sets().get(pattern, ()) or pattern in {fact.value, "*"}


def _matches(pattern: str, name: str) -> bool:
    if pattern.startswith("@"):
        return name in _sets()[pattern]
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern
