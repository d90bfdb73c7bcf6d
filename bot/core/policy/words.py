"""Reasons: sentences made from the fields of a decision, without a full stop, for card, refusal and report alike."""

from collections.abc import Iterable, Sequence

from bot.core.languages import DEFAULT_LANGUAGES
from bot.core.policy.asked import Asked
from bot.core.policy.decision import Fact
from bot.core.policy.facts import LIMIT, NOT_ANALYSED, TEXT
from bot.core.policy.judge import Verdict
from bot.core.policy.rules import Rule
from bot.core.policy.text import visible

MOST_NAMED = 6
"""Facts named in one sentence; the rest is counted."""


def by_rules(says: str, rules: Iterable[Rule]) -> tuple[str, ...]:
    """`asked about by rule 'x': cloud credentials`, one for each rule."""
    return tuple(f"{says} by rule {rule.id!r}{': ' if rule.why else ''}{visible(rule.why)}" for rule in rules)


def too_much(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """What nobody's click gets past."""
    return tuple(
        f"{sentence}{_where(verdicts, index)}"
        for index, verdict in enumerate(verdicts)
        for sentence in verdict.too_much
    )


def unseen(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """What the text gate found, in one sentence."""
    named = [
        f"{finding.sentence}{_where(verdicts, index, finding.line)}"
        for index, verdict in enumerate(verdicts)
        for finding in verdict.unseen
    ]
    return (f"Not what it looks like: {_listed(named)}",) if named else ()


def not_covered(verdicts: Sequence[Verdict], beyond: Iterable[Asked]) -> tuple[str, ...]:
    """Which facts no rule covers, in one sentence; how many of how many, where some are covered."""
    named = [
        f"{_fact(fact, verdict)}{_where(verdicts, index, fact.line)}"
        for index, verdict in enumerate(verdicts)
        for fact in verdict.uncovered
        if fact.kind != TEXT
    ]
    known = [fact for verdict in verdicts for fact in verdict.facts if fact.kind not in {TEXT, LIMIT}]
    counted = 0 < len(named) < len(known) and NOT_ANALYSED not in known
    says = f"{len(named)} of {len(known)} facts not covered" if counted else "Not covered by the policy"
    named += [limit.words for limit in beyond]
    return (f"{says}: {_listed(named)}",) if named else ()


_DOES = {
    "cmd": "runs",
    "read": "reads",
    "write": "writes",
    "net": "reaches",
    "env": "reads the variable",
    "assign": "sets the variable",
    "import": "imports",
    "member": "uses",
    "builtin": "uses",
    "name": "uses a name that nothing here defines:",
    "unknown": "not understood:",
}
"""What the code does, by the kind of the fact."""


def _fact(fact: Fact, verdict: Verdict) -> str:
    if fact == NOT_ANALYSED:
        language = DEFAULT_LANGUAGES.find(verdict.block.language)
        return f"{language.display if language else visible(verdict.block.language)} code"
    return f"{_DOES.get(fact.kind, fact.kind)} {visible(fact.value)}"


def _where(verdicts: Sequence[Verdict], index: int, line: int = 0) -> str:
    places = [f"block {index + 1}"] if len(verdicts) > 1 else []
    places += [f"line {line}"] if line else []
    return f" ({', '.join(places)})" if places else ""


def _listed(named: Sequence[str]) -> str:
    shown = " · ".join(named[:MOST_NAMED])
    left = len(named) - MOST_NAMED
    return f"{shown} · {left} more" if left > 0 else shown
