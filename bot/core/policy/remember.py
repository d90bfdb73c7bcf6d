"""Approve and remember: which rules a lead may add with the click, narrowest first."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bot.core.canonical import sha256_of
from bot.core.keys import ChannelKey
from bot.core.policy.decision import Decision, Effect
from bot.core.policy.facts import LIMIT
from bot.core.policy.rules import Rule
from bot.core.snapshot import Snapshot

EXACT = "exact"
DAYS = 30


@dataclass(frozen=True, slots=True)
class Proposal:
    """One choice, in words and as the rules that it would add. Whoever adds them sets `added_by` and `from_request`."""

    id: str
    text: str
    rules: tuple[Rule, ...]


def proposals(
    snapshot: Snapshot, decision: Decision, channel: str, channel_name: str, now: float
) -> tuple[Proposal, ...]:
    """`channel` is `str(ChannelKey)`, `channel_name` what people call it. Nothing where it may not be remembered."""
    if decision.effect is not Effect.ASK or not decision.remember:
        return ()
    limits = tuple(sorted(fact.value for fact in decision.facts if fact.kind == LIMIT))
    languages = tuple(sorted({block.language for block in snapshot.blocks}))
    rule = Rule(
        id="r-" + sha256_of([decision.code_sha256, languages, limits, channel])[:8],
        effect=Effect.ALLOW,
        why="approved and remembered",
        language=languages,
        code_sha256=decision.code_sha256,
        limit=limits,
        scope=channel,
        expires=datetime.fromtimestamp(int(now), UTC) + timedelta(days=DAYS),
    )
    place = channel_name or ChannelKey.parse(channel).channel
    return (Proposal(EXACT, f"This exact code, in #{place}, for {DAYS} days", (rule,)),)
