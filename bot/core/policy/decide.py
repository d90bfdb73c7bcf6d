"""The decision: a pure, total function of what would run, the policy, and where and when it was asked.

Order of rules never matters. A matching deny rule refuses. Otherwise people are asked if an ask rule matches, if a
fact is covered by no allow rule, or if the text gate found something. Otherwise it is allowed, under the strictest of
the profiles of all rules that cover a part of it (of the exact ones alone, where those cover all of it). Several
blocks are judged each for itself and then taken together: one that asks makes all of them ask.

An exact hash covers whatever its code does and gets past ask rules, but never past deny, `always` or the gate. The
limits that a request asks for are not part of its code: a rule covers them only where it names them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.core.canonical import sha256_of_list
from bot.core.config import ChannelLimits
from bot.core.policy import words
from bot.core.policy.asked import Asked, asked, impossible
from bot.core.policy.decision import Decision, Effect, Fact, Profile
from bot.core.policy.demand import add_up
from bot.core.policy.grants import click_profile, in_words, rule_profile
from bot.core.policy.judge import Verdict, judge_block
from bot.core.policy.rules import Policy, Rule, revision
from bot.core.policy.text import code_sha256
from bot.core.snapshot import Snapshot

ENGINE_ERROR = "engine-error"
"""The first reason of a decision that was made because deciding failed; whoever logs decisions raises an alarm."""


@dataclass(frozen=True, slots=True)
class Context:
    """Where and when: `now` in epoch seconds, `channel` as `str(ChannelKey)`, the channel's own limits and its
    remembered rules. `uses` counts, by id, what a rule has allowed in this channel so far.
    """

    now: float
    channel: str
    limits: ChannelLimits
    remembered: tuple[Rule, ...] = ()
    uses: Mapping[str, int] = field(default_factory=dict)


def decide(snapshot: Snapshot, policy: Policy, context: Context) -> Decision:
    """What becomes of this code here and now. Never raises: whatever goes wrong inside makes it an ask."""
    try:
        return judge(snapshot, policy, context)
    except Exception as error:  # noqa: BLE001 (total by promise; the caller logs it by ENGINE_ERROR)
        return Decision(
            effect=Effect.ASK,
            revision=_or_empty(lambda: revision(policy)),
            code_sha256=_or_empty(lambda: snapshot_sha256(snapshot)),
            profile=click_profile(snapshot, context.limits),
            reasons=(ENGINE_ERROR, f"the policy could not be applied to it ({type(error).__name__})"),
            demand=policy.default_approve,
            remember=False,
        )


def snapshot_sha256(snapshot: Snapshot) -> str:
    """The name of all code of a request: that of the one block, or of the list of languages and names of several.

    A list is never named like a text: else its JSON, posted as a harmless-looking block and remembered, would be
    leave for the blocks that it lists.
    """
    names = [(block.language, code_sha256(block.code)) for block in snapshot.blocks]
    return names[0][1] if len(names) == 1 else sha256_of_list(names)


def judge(snapshot: Snapshot, policy: Policy, context: Context) -> Decision:
    """As `decide`, but what goes wrong is raised; for checking policies, where it must not pass as an ask."""
    digest = snapshot_sha256(snapshot)
    rules = _in_force(policy, context, snapshot)
    limits = asked(snapshot, context.limits)
    verdicts = [
        judge_block(block, frozenset({digest, code_sha256(block.code)}), rules, limits) for block in snapshot.blocks
    ]
    profile = click_profile(snapshot, context.limits)
    beyond = tuple(dict.fromkeys(limit for verdict in verdicts for limit in verdict.beyond))
    covering = _by_id(rule for verdict in verdicts for rule in verdict.covered_by)
    covered = not beyond and not any(verdict.uncovered or verdict.too_much for verdict in verdicts)
    granted = rule_profile(covering, policy.profiles, profile) if covered else profile
    beyond = beyond or asked(snapshot, granted)
    return _decision(_Found(snapshot, policy, digest, verdicts, limits, beyond, covering, profile, granted))


@dataclass(frozen=True, slots=True)
class _Found:
    """All that was found, to be put into one decision.

    `limits` are those that are asked for beyond the channel's, `beyond` those that no rule covers or grants.
    `profile` is what a click would give, `granted` what the covering rules give.
    """

    snapshot: Snapshot
    policy: Policy
    digest: str
    verdicts: Sequence[Verdict]
    limits: tuple[Asked, ...]
    beyond: tuple[Asked, ...]
    covering: tuple[Rule, ...]
    profile: Profile
    granted: Profile


def _decision(found: _Found) -> Decision:
    policy, verdicts = found.policy, found.verdicts
    too_much = (*impossible(found.snapshot), *words.too_much(verdicts))
    denied_by = _by_id(rule for verdict in verdicts for rule in verdict.denied_by)
    asked_by = _by_id(rule for verdict in verdicts for rule in verdict.asked_by)
    unseen = words.unseen(verdicts)
    missing = words.not_covered(verdicts, found.beyond)
    limit_facts = [limit.fact for limit in found.beyond]
    uncovered = _distinct([*(fact for verdict in verdicts for fact in verdict.uncovered), *limit_facts])
    common = Decision(
        effect=Effect.ASK,
        revision=revision(policy),
        code_sha256=found.digest,
        facts=_distinct([*(fact for verdict in verdicts for fact in verdict.facts), *limit_facts]),
        uncovered=uncovered,
        profile=found.profile,
        remember=False,
    )
    if too_much or denied_by or (uncovered and policy.default == "deny"):
        reasons = (*too_much, *words.by_rules("refused", denied_by)) or (*unseen, *missing)
        return _with(common, Effect.DENY, denied_by, reasons=reasons)
    if asked_by or uncovered:
        return _with(
            common,
            Effect.ASK,
            asked_by,
            reasons=(*unseen, *words.by_rules("asked about", asked_by), *missing),
            grants=in_words(found.profile, found.limits),
            demand=add_up(
                [rule.approve or policy.default_approve for rule in asked_by]
                + ([policy.default_approve] if uncovered else [])
            ),
            remember=not (
                unseen or found.snapshot.has_input or any(rule.always for rule in asked_by) or _is_held_down(found)
            ),
        )
    return _with(
        common,
        Effect.ALLOW,
        found.covering,
        allowed_by=tuple(rule.id for rule in found.covering),
        reasons=words.by_rules("allowed", found.covering),
        profile=found.granted,
        grants=in_words(found.granted, found.limits),
    )


def _is_held_down(found: _Found) -> bool:
    """Whether a rule for exactly this code grants less than was asked for: one more such rule would change nothing."""
    exact = _by_id(rule for verdict in found.verdicts for rule in verdict.exact)
    return bool(exact) and bool(asked(found.snapshot, rule_profile(exact, found.policy.profiles, found.profile)))


def _with(common: Decision, effect: Effect, deciders: tuple[Rule, ...], **fields: object) -> Decision:
    rule = deciders[0].id if deciders else None
    return common.model_copy(update={"effect": effect, "rule": rule, **fields})


def _in_force(policy: Policy, context: Context, snapshot: Snapshot) -> tuple[Rule, ...]:
    """Rules that hold here and now. A channel's own rules may ask and deny at will, and allow exact code only, and
    that without input: nobody who approved `exec(input())` has seen what it would be given next time.
    """
    remembered = (
        rule
        for rule in context.remembered
        if rule.effect is not Effect.ALLOW
        or (
            rule.code_sha256 is not None
            and (rule.profile is None or rule.profile in policy.profiles)
            and not snapshot.has_input
        )
    )
    return tuple(
        rule
        for rule in (*policy.rule, *remembered)
        if rule.scope in (None, context.channel)
        and (rule.expires is None or context.now < rule.expires.timestamp())
        and (rule.max_uses is None or rule.uses + context.uses.get(rule.id, 0) < rule.max_uses)
    )


def _by_id(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Each rule once, the lowest id first."""
    return tuple(sorted(dict.fromkeys(rules), key=lambda rule: rule.id))


def _distinct(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    return tuple(dict.fromkeys(facts))


def _or_empty(make: Callable[[], str]) -> str:
    try:
        return make()
    except Exception:  # noqa: BLE001 (whatever failed in `judge` may fail here again)
        return ""
