"""What the fields of a policy must be to one another: names that exist, rules that can mean something."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bot.core.policy.commands import pattern
from bot.core.policy.cover import KINDS, named_kinds
from bot.core.policy.decision import Demand, Effect

if TYPE_CHECKING:
    from bot.core.policy.rules import Policy, Rule

Place = tuple[str | int, ...]


class Misfit(ValueError):
    """The revision is refused. `place` is the path of the key at fault; the text does not repeat it."""

    def __init__(self, place: Place, text: str) -> None:
        super().__init__(text)
        self.place = place


def first_fault(policy: "Policy") -> Misfit | None:
    return next(_faults(policy), None)


def _faults(policy: "Policy") -> Iterator[Misfit]:
    yield from _demand_faults(policy, policy.default_approve, ("default_approve",))
    seen: set[str] = set()
    for index, rule in enumerate(policy.rule):
        here: Place = ("rule", index)
        if rule.id in seen:
            yield Misfit((*here, "id"), "another rule has this id already")
        seen.add(rule.id)
        for key in _out_of_place(rule):
            yield Misfit((*here, key), f"{_article(rule.effect)} {rule.effect} rule has no {key!r}")
        if rule.approve is not None:
            yield from _demand_faults(policy, rule.approve, (*here, "approve"))
        if rule.effect is Effect.ALLOW:
            yield from _allow_faults(policy, rule, here)
        else:
            yield from _condition_faults(rule, here)


def _article(effect: Effect) -> str:
    return "a" if effect is Effect.DENY else "an"


def _demand_faults(policy: "Policy", demand: Demand, place: Place) -> Iterator[Misfit]:
    for need in demand.needs:
        for group in need.groups:
            if group not in policy.approvers:
                yield Misfit((*place, "from"), f"there is no approver group {group!r}")


_ONLY: dict[Effect, tuple[str, ...]] = {
    Effect.ALLOW: ("profile", "limit", "taint_ok", "max_uses", "uses", *KINDS),
    Effect.ASK: ("approve", "always"),
    Effect.DENY: (),
}


def _out_of_place(rule: "Rule") -> list[str]:
    """Keys that are set and mean nothing for a rule of this effect."""
    foreign = {key for effect, keys in _ONLY.items() if effect is not rule.effect for key in keys}
    if rule.effect is Effect.ALLOW:
        foreign.add("match")
    return sorted(key for key in foreign if getattr(rule, key) not in (None, (), False, 0))


def _allow_faults(policy: "Policy", rule: "Rule", here: Place) -> Iterator[Misfit]:
    for index, command in enumerate(rule.cmd):
        if says := pattern.fault(command):
            yield Misfit((*here, "cmd", index), says)
    if rule.profile is not None and rule.profile not in policy.profiles:
        yield Misfit((*here, "profile"), f"there is no profile {rule.profile!r}")
    elif rule.code_sha256 is None:
        if not rule.language:
            yield Misfit((*here, "language"), "an allow rule names languages, or one code by code_sha256")
        if rule.profile is None:
            yield Misfit((*here, "profile"), "a rule that allows a language names the profile to run it under")
        elif policy.profiles[rule.profile].network and not named_kinds(rule):
            yield Misfit(
                (*here, "profile"), f'allows a whole language, so the network of {rule.profile!r} has to be "none"'
            )

    elif named := named_kinds(rule):
        yield Misfit((*here, named[0]), "a rule for exactly this code covers all that it does, and names none of it")


def _condition_faults(rule: "Rule", here: Place) -> Iterator[Misfit]:
    if rule.match is not None and not (rule.match.language or rule.match.limit or named_kinds(rule.match)):
        yield Misfit((*here, "match"), "matches nothing as it stands; give it language, limit or a kind of fact")
    elif rule.match is None and rule.code_sha256 is None and not rule.language:
        yield Misfit((*here, "match"), f"a rule that {_says(rule.effect)} says what it looks for")


def _says(effect: Effect) -> str:
    return "asks" if effect is Effect.ASK else "denies"
