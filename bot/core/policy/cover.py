"""Fact kind, rule field, and how the one answers to the other: the only place that pairs them.

A kind of fact that rules may name is one entry of `KINDS` and one field of the same name in `Named`, which rules and
their `match` share. `covers` decides for allow rules and is narrow; `hits` is for rules that ask or deny and is wide.
A kind without an entry, such as `unknown`, no field ever covers.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import create_model

from bot.core.model import Model
from bot.core.policy.commands import pattern
from bot.core.policy.commands.pattern import CommandPattern
from bot.core.policy.decision import Fact
from bot.core.policy.facts import NO_EFFECT
from bot.core.policy.patterns import (
    HostPattern,
    PathPattern,
    VariablePattern,
    host_covers,
    host_hits,
    path_covers,
    path_hits,
    variable_matches,
)
from bot.core.policy.python.patterns import (
    BuiltinPatterns,
    MemberPatterns,
    ModulePatterns,
    builtin_matches,
    member_matches,
    module_covers,
    module_hits,
)

Answers = Callable[[Any, Fact], bool]
"""(one pattern of the field, a fact of that kind) -> does it answer to it?"""


@dataclass(frozen=True, slots=True)
class Kind:
    """How patterns of one field are held against facts of that kind, and of the kinds that it stands for `also`."""

    covers: Answers
    hits: Answers
    also: tuple[str, ...] = ()


def by_value(covers: Callable[[str, str], bool], hits: Callable[[str, str], bool]) -> Kind:
    """A kind whose patterns look at the fact's value alone."""
    return Kind(
        covers=lambda pattern, fact: covers(pattern, fact.value), hits=lambda pattern, fact: hits(pattern, fact.value)
    )


if TYPE_CHECKING:

    class _Imports(Model):
        pass
else:  # `import` is a keyword, so no class statement can have a field of that name
    _Imports = create_model("_Imports", __base__=Model, **{"import": (ModulePatterns, ())})


class Named(_Imports):
    """Facts that a rule names, a field for each kind: patterns, any of which is enough. `import` is one of them."""

    cmd: tuple[CommandPattern, ...] = ()
    read: tuple[PathPattern, ...] = ()
    write: tuple[PathPattern, ...] = ()
    net: tuple[HostPattern, ...] = ()
    env: tuple[VariablePattern, ...] = ()
    assign: tuple[VariablePattern, ...] = ()
    member: MemberPatterns = ()
    builtin: BuiltinPatterns = ()


KINDS: Mapping[str, Kind] = {
    "cmd": Kind(covers=pattern.covers, hits=pattern.hits),
    "read": by_value(path_covers, path_hits),
    "write": by_value(path_covers, path_hits),
    "net": by_value(host_covers, host_hits),
    "env": by_value(variable_matches, variable_matches),
    "assign": by_value(variable_matches, variable_matches),
    "import": Kind(covers=module_covers, hits=module_hits, also=("member",)),
    "member": Kind(covers=member_matches, hits=member_matches),
    "builtin": Kind(covers=builtin_matches, hits=builtin_matches),
}


def named_kinds(named: Named) -> tuple[str, ...]:
    """Kinds of which the rule names facts."""
    return tuple(kind for kind in KINDS if getattr(named, kind))


def covers(named: Named, fact: Fact) -> bool:
    """Whether an allow rule's fields cover this fact. Code that does nothing is covered by whoever names anything."""
    if fact == NO_EFFECT:
        return bool(named_kinds(named))
    return any(
        kind.covers(pattern, fact)
        for name, kind in KINDS.items()
        if fact.kind == name or fact.kind in kind.also
        for pattern in getattr(named, name)
    )


def hits(named: Named, kind: str, fact: Fact) -> bool:
    """Whether a field of an ask or deny rule finds this fact."""
    concerns = fact.kind == kind or fact.kind in KINDS[kind].also
    return concerns and any(KINDS[kind].hits(pattern, fact) for pattern in getattr(named, kind))
