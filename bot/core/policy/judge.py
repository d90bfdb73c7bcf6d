"""One block against the rules: which hold for it, which facts nobody covers."""

from collections.abc import Iterable
from dataclasses import dataclass

from bot.core.policy import cover
from bot.core.policy.asked import Asked, covers, hits
from bot.core.policy.decision import Effect, Fact
from bot.core.policy.facts import TEXT, facts_of
from bot.core.policy.fields import ANY
from bot.core.policy.rules import Rule
from bot.core.policy.text import Finding, gate
from bot.core.snapshot import CodeBlock

MOST_FINDINGS = 20
"""Findings of the gate that are kept; one would do to ask."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found about one block.

    `asked_by` has no rule that an exact hash got past. `uncovered` are facts of the code, `beyond` limits that no rule
    covers. `covered_by` is every rule that covers some part; where rules for exactly this code cover all of it, they
    alone, so that what somebody granted to this code is not cut down by what is granted to any code. `exact` are the
    rules for exactly this code, whatever they suffice for. `too_much` are sentences that nobody's click gets past.
    """

    block: CodeBlock
    facts: tuple[Fact, ...]
    uncovered: tuple[Fact, ...]
    beyond: tuple[Asked, ...]
    unseen: tuple[Finding, ...]
    too_much: tuple[str, ...]
    denied_by: tuple[Rule, ...]
    asked_by: tuple[Rule, ...]
    covered_by: tuple[Rule, ...]
    exact: tuple[Rule, ...]


def judge_block(block: CodeBlock, hashes: frozenset[str], rules: Iterable[Rule], limits: tuple[Asked, ...]) -> Verdict:
    """`hashes` are those of this block and of all blocks together; `limits` what the request asks for beyond usual."""
    findings = gate(block.language, block.code)
    too_much = tuple(finding.sentence for finding in findings if finding.severity == "refused")
    unseen = tuple(finding for finding in findings if finding.severity == "unseen")[:MOST_FINDINGS]
    facts = () if too_much else facts_of(block.language, block.code)

    here = [rule for rule in rules if _is_for(rule, block.language, hashes)]
    allowing = [rule for rule in here if rule.effect is Effect.ALLOW]
    exact = tuple(rule for rule in allowing if rule.code_sha256 is not None)
    suffices = exact and all(any(covers(rule.limit, limit) for rule in exact) for limit in limits)
    covering = tuple(
        rule
        for rule in (exact if suffices else allowing)
        if any(_covers(rule, fact) for fact in facts) or any(covers(rule.limit, limit) for limit in limits)
    )
    marks = tuple(Fact(kind=TEXT, value=finding.sentence, line=finding.line) for finding in unseen)
    return Verdict(
        block=block,
        facts=(*marks, *facts, *(limit.fact for limit in limits)),
        uncovered=(*marks, *(fact for fact in facts if not any(_covers(rule, fact) for rule in allowing))),
        beyond=tuple(limit for limit in limits if not any(covers(rule.limit, limit) for rule in allowing)),
        unseen=unseen,
        too_much=too_much,
        denied_by=tuple(
            rule for rule in here if rule.effect is Effect.DENY and _holds(rule, block.language, facts, limits)
        ),
        asked_by=tuple(
            rule
            for rule in here
            if rule.effect is Effect.ASK
            and _holds(rule, block.language, facts, limits)
            and (rule.always or not _gets_past(exact, rule, limits))
        ),
        covered_by=covering,
        exact=exact,
    )


def _is_for(rule: Rule, language: str, hashes: frozenset[str]) -> bool:
    return _names(rule.language, language) and (rule.code_sha256 is None or rule.code_sha256 in hashes)


def _names(languages: tuple[str, ...], language: str) -> bool:
    return not languages or language in languages or ANY in languages


def _covers(rule: Rule, fact: Fact) -> bool:
    """An exact hash covers what its code does, and so does a rule for a whole language, which has no fact field."""
    if rule.code_sha256 is not None:
        return True
    return cover.covers(rule, fact) if cover.named_kinds(rule) else not rule.limit


def _holds(rule: Rule, language: str, facts: tuple[Fact, ...], limits: tuple[Asked, ...]) -> bool:
    """Whether an ask or deny rule that is for this code finds what it looks for, by every field that is given."""
    match = rule.match
    if match is None:
        return True
    return (
        _names(match.language, language)
        and (not match.limit or any(hits(match.limit, limit) for limit in limits))
        and all(any(cover.hits(match, kind, fact) for fact in facts) for kind in cover.named_kinds(match))
    )


def _gets_past(exact: tuple[Rule, ...], rule: Rule, limits: tuple[Asked, ...]) -> bool:
    """Whether a rule for exactly this code gets past this ask rule: one about limits only where it covers those."""
    if rule.match is None or not rule.match.limit:
        return bool(exact)
    concerned = [limit for limit in limits if hits(rule.match.limit, limit)]
    return all(any(covers(each.limit, limit) for each in exact) for limit in concerned)
