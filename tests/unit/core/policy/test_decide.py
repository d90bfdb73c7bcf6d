"""Precedence (POLICY 3.4), case by case, then as properties of any policy and any code."""

import math
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.canonical import sha256_of
from bot.core.config import ChannelLimits
from bot.core.limits import BLOCK_BYTES, MEMORY_CEILING_MB, TIMEOUT_CEILING_S
from bot.core.policy.decide import ENGINE_ERROR, decide, snapshot_sha256
from bot.core.policy.decision import Decision, Effect, Fact, Profile
from bot.core.policy.rules import Grant, Match, Policy, Rule, revision
from bot.core.policy.text import code_sha256
from bot.core.snapshot import CodeBlock, Snapshot
from tests.unit.core.policy.making import (
    CHANNEL,
    CODES,
    NOW,
    allow,
    allow_rules,
    asking,
    block,
    context,
    decided,
    demand,
    denying,
    exact,
    policies,
    policy,
    snapshot,
    snapshots,
    strict_rules,
    unhurried,
)

PRINT, LS = CODES
ALLOW, ASK, DENY = Effect.ALLOW, Effect.ASK, Effect.DENY
STRICTNESS = {ALLOW: 0, ASK: 1, DENY: 2}
LONG = Match(limit=("timeout *",))


@pytest.mark.parametrize(
    ("rules", "effect", "rule"),
    [
        ([], ASK, None),
        ([allow("python")], ALLOW, "allowing"),
        ([allow("*")], ALLOW, "allowing"),
        ([allow("bash")], ASK, None),
        ([allow("python"), asking("python")], ASK, "asking"),
        ([allow("python"), asking("bash")], ALLOW, "allowing"),
        ([allow("python"), asking(match=Match(language=("python", "bash")))], ASK, "asking"),
        ([allow("python"), asking(match=Match(language=("bash",)))], ALLOW, "allowing"),
        ([allow("python"), asking("python", match=Match(language=("bash",)))], ALLOW, "allowing"),
        ([allow("python"), asking("python"), denying("*")], DENY, "denying"),
        ([asking("python")], ASK, "asking"),
        ([exact(PRINT)], ALLOW, "exact"),
        ([exact(PRINT, language=("python",))], ALLOW, "exact"),
        ([exact(PRINT, language=("bash",))], ASK, None),
        ([exact(LS)], ASK, None),
        ([exact(PRINT), asking("python")], ALLOW, "exact"),
        ([exact(PRINT), asking("python", always=True)], ASK, "asking"),
        ([exact(PRINT), denying("python")], DENY, "denying"),
        ([exact(PRINT), denying(code_sha256=code_sha256(PRINT))], DENY, "denying"),
        ([allow("python"), denying(code_sha256=code_sha256(LS))], ALLOW, "allowing"),
        ([allow("python"), asking(code_sha256=code_sha256(PRINT))], ASK, "asking"),
        ([denying("*", id="z"), denying("*", id="a"), denying("*", id="m")], DENY, "a"),
        ([asking("*", id="z"), asking("*", id="a")], ASK, "a"),
        ([allow("*", id="z"), allow("*", id="a")], ALLOW, "a"),
    ],
)
def test_precedence(rules: list[Rule], effect: Effect, rule: str | None) -> None:
    decision = decided(policy(*rules))
    assert (decision.effect, decision.rule) == (effect, rule)
    assert (decision.demand is not None) is (effect is ASK)
    assert decision.reasons
    assert decision.code_sha256 == code_sha256(PRINT)
    assert decision.revision == revision(policy(*rules))


@pytest.mark.parametrize(
    ("fields", "holds"),
    [
        ({}, True),
        ({"scope": CHANNEL}, True),
        ({"scope": "slack:T1/other"}, False),
        ({"expires": datetime.fromtimestamp(NOW + 1, UTC)}, True),
        ({"expires": datetime.fromtimestamp(NOW, UTC)}, False),
        ({"max_uses": 2, "uses": 1}, True),
        ({"max_uses": 2, "uses": 2}, False),
        ({"max_uses": 2, "uses": 3}, False),
        ({"uses": 3}, True),
    ],
)
def test_where_and_how_long_a_rule_holds(fields: dict[str, Any], holds: bool) -> None:
    assert decided(policy(allow("python", **fields))).effect is (ALLOW if holds else ASK)


@pytest.mark.parametrize("make", [asking, denying])
def test_scope_and_expiry_hold_for_every_effect(make: Any) -> None:
    for fields in ({"scope": "slack:T1/other"}, {"expires": datetime.fromtimestamp(NOW, UTC)}):
        assert decided(policy(allow("python"), make("python", **fields))).effect is ALLOW


@pytest.mark.parametrize(
    ("remembered", "effect"),
    [
        (exact(PRINT), ALLOW),
        (exact(PRINT, profile="offline"), ALLOW),
        (exact(PRINT, profile="gone"), ASK),
        (allow("python"), ASK),  # a channel's own rules allow exact code only
        (denying("python"), DENY),
        (asking("python"), ASK),
    ],
)
def test_rules_of_the_channel(remembered: Rule, effect: Effect) -> None:
    assert decided(policy(), where=context(remembered=(remembered,))).effect is effect


def test_a_rule_of_the_channel_makes_the_policy_stricter() -> None:
    where = context(remembered=(asking("python"),))
    assert decided(policy(allow("python")), where=where).rule == "asking"


def test_rules_of_policy_and_channel_with_the_same_id_both_count() -> None:
    where = context(remembered=(exact(PRINT, id="same"),))
    of = policy(exact(PRINT, id="same", profile="small"))
    assert decided(of, where=where).profile.timeout_s == 5.0


# ---- nothing covers it


def test_what_no_rule_covers_is_named() -> None:
    decision = decided(policy())
    assert decision.reasons == ("Not covered by the policy: uses print (line 1)",)
    assert decision.uncovered == decision.facts == (Fact(kind="builtin", value="print", line=1),)
    assert decision.demand == demand()
    assert decision.remember


def test_a_language_that_nobody_knows_is_named_as_it_is() -> None:
    assert decided(policy(), block(language="perl")).reasons == ("Not covered by the policy: perl code",)


@pytest.mark.parametrize(
    ("rules", "effect", "rule"),
    [
        ([], DENY, None),
        ([asking("python")], DENY, None),
        ([allow("python")], ALLOW, "allowing"),
        ([allow("python"), asking("python")], ASK, "asking"),
    ],
)
def test_default_deny(rules: list[Rule], effect: Effect, rule: str | None) -> None:
    decision = decided(policy(*rules, default="deny"))
    assert (decision.effect, decision.rule) == (effect, rule)
    if effect is DENY:
        assert decision.reasons == ("Not covered by the policy: uses print (line 1)",)


# ---- the text gate


@pytest.mark.parametrize("rules", [[allow("*")], [exact("a\u202eb")], []])
def test_what_is_unseen_is_never_allowed(rules: list[Rule]) -> None:
    decision = decided(policy(*rules), block("a\u202eb"))
    assert (decision.effect, decision.rule, decision.remember) == (ASK, None, False)
    assert "U+202E" in decision.reasons[0]
    assert decision.reasons[0].endswith("shown as \\u202e (line 1)")
    assert decision.uncovered[0].kind == "text"
    assert decision.demand == demand()


def test_unseen_text_does_not_hide_what_else_is_the_matter() -> None:
    both = decided(policy(), block("a\u202eb"))
    assert both.reasons[1] == "Not covered by the policy: not understood: what is not valid Python (line 1)"
    assert decided(policy(denying("*")), block("a\u202eb")).rule == "denying"
    assert decided(policy(default="deny"), block("a\u202eb")).effect is DENY
    assert decided(policy(allow("*"), asking("*"), default="ask"), block("a\u202eb")).rule == "asking"


def test_a_long_list_of_findings_is_cut() -> None:
    decision = decided(policy(allow("*")), block("\u200b\n" * 100))
    assert decision.reasons[0].endswith(" · 14 more")
    assert len(decision.facts) == 21


@pytest.mark.parametrize("rules", [[allow("*")], [exact("x" * (BLOCK_BYTES + 1))], []])
def test_what_is_too_long_is_refused(rules: list[Rule]) -> None:
    decision = decided(policy(*rules), block(), block("x" * (BLOCK_BYTES + 1)))
    assert (decision.effect, decision.rule, decision.demand) == (DENY, None, None)
    assert decision.reasons[0].endswith("(block 2)")
    assert decided(policy(*rules), block("x" * (BLOCK_BYTES + 1))).facts == ()  # nobody analyses it


# ---- limits


@pytest.mark.parametrize(
    ("asked", "facts"),
    [
        ({}, []),
        ({"timeout_s": 10.0}, []),
        ({"timeout_s": 5.0, "memory_mb": 512}, []),
        ({"timeout_s": 10.5}, ["timeout 10.5 s"]),
        ({"timeout_s": 60.0}, ["timeout 60 s"]),
        ({"memory_mb": 513}, ["memory 513 MB"]),
        ({"timeout_s": 60.0, "memory_mb": 1024}, ["timeout 60 s", "memory 1024 MB"]),
    ],
)
def test_limits_beyond_the_channels_are_facts_that_ask(asked: dict[str, Any], facts: list[str]) -> None:
    decision = decided(policy(allow("*")), **asked)
    assert [fact.value for fact in decision.facts if fact.kind == "limit"] == facts
    assert [fact.value for fact in decision.uncovered] == facts
    assert decision.effect is (ASK if facts else ALLOW)
    assert len(decision.grants) == len(facts)
    assert decision.profile.timeout_s == asked.get("timeout_s", 10.0)
    assert decision.profile.memory_mb == asked.get("memory_mb", 512)


def test_limits_in_words() -> None:
    decision = decided(policy(allow("*")), timeout_s=60.0, memory_mb=1024)
    words = ("a timeout of 60 s (usual here: 10 s)", "1024 MB of memory (usual here: 512 MB)")
    assert decision.grants == words
    assert decision.reasons == (f"Not covered by the policy: {' · '.join(words)}",)


def test_limits_are_named_once_for_several_blocks() -> None:
    decision = decided(policy(allow("*")), block(), block(LS), timeout_s=60.0)
    assert decision.reasons == ("Not covered by the policy: a timeout of 60 s (usual here: 10 s)",)
    assert len(decision.uncovered) == 1


def test_the_channels_own_limits_count() -> None:
    where = context(limits=ChannelLimits(timeout_s=60.0, memory_mb=2048))
    decision = decided(policy(allow("*")), where=where, timeout_s=60.0, memory_mb=2048)
    assert (decision.effect, decision.grants) == (ALLOW, ())


@pytest.mark.parametrize(
    "asked",
    [
        {"timeout_s": TIMEOUT_CEILING_S + 1},
        {"timeout_s": 0.0},
        {"timeout_s": -1.0},
        {"timeout_s": math.nan},
        {"timeout_s": math.inf},
        {"memory_mb": MEMORY_CEILING_MB + 1},
        {"memory_mb": 15},
        {"memory_mb": 0},
    ],
)
def test_limits_that_nobody_can_give_are_refused(asked: dict[str, Any]) -> None:
    decision = decided(policy(allow("*")), **asked)
    assert (decision.effect, decision.rule) == (DENY, None)
    assert ("timeout" if "timeout_s" in asked else "memory") in decision.reasons[0]
    assert decision.profile == Profile()


def test_limits_at_the_ceilings_can_be_approved() -> None:
    decision = decided(policy(), timeout_s=TIMEOUT_CEILING_S, memory_mb=MEMORY_CEILING_MB)
    assert decision.effect is ASK
    assert decided(policy(), memory_mb=16).effect is ASK


@pytest.mark.parametrize(
    ("pattern", "asked", "effect"),
    [
        ("timeout 60 s", {"timeout_s": 60.0}, ALLOW),
        ("timeout 60 s", {"timeout_s": 30.0}, ALLOW),
        ("timeout 60 s", {"timeout_s": 61.0}, ASK),
        ("timeout 60 s", {"memory_mb": 1024}, ASK),
        ("timeout *", {"timeout_s": 600.0}, ALLOW),
        ("memory 1024 MB", {"memory_mb": 1024}, ALLOW),
        ("memory 1024 MB", {"memory_mb": 1025}, ASK),
        ("memory 1024 MB", {"memory_mb": 1024, "timeout_s": 60.0}, ASK),
        ("*", {"memory_mb": 1024, "timeout_s": 60.0}, ALLOW),
    ],
)
def test_a_rule_that_names_limits_covers_up_to_them(pattern: str, asked: dict[str, Any], effect: Effect) -> None:
    of = policy(allow("python"), allow("python", id="longer", limit=(pattern,)))
    decision = decided(of, **asked)
    assert decision.effect is effect
    assert decided(policy(exact(PRINT, limit=(pattern,))), **asked).effect is effect
    if effect is ALLOW:
        assert decision.profile.timeout_s == asked.get("timeout_s", 10.0)
        assert len(decision.grants) == len(asked)


def test_a_rule_that_names_limits_covers_nothing_else() -> None:
    decision = decided(policy(allow("python", limit=("*",))), timeout_s=60.0)
    assert decision.reasons == ("Not covered by the policy: uses print (line 1)",)


def test_a_hash_is_of_the_code_and_says_nothing_about_limits() -> None:
    assert decided(policy(exact(PRINT)), timeout_s=60.0).effect is ASK


def test_what_the_rules_profile_does_not_grant_is_asked_about_too() -> None:
    decision = decided(policy(allow("python", profile="small")), timeout_s=8.0, memory_mb=512)
    assert (decision.effect, decision.rule) == (ASK, None)
    assert decision.reasons == (
        "Not covered by the policy: a timeout of 8 s (usual here: 5 s) · 512 MB of memory (usual here: 128 MB)",
    )
    assert decision.profile.timeout_s == 8.0
    assert [fact.value for fact in decision.uncovered] == ["timeout 8 s", "memory 512 MB"]
    assert decision.facts[1:] == decision.uncovered


@pytest.mark.parametrize(
    ("pattern", "timeout_s", "effect"),
    [
        ("timeout 60 s", 59.0, ALLOW),
        ("timeout 60 s", 60.0, DENY),
        ("timeout 60 s", 61.0, DENY),
        ("memory *", 61.0, ALLOW),
    ],
)
def test_a_rule_that_looks_for_limits_finds_that_much_and_more(pattern: str, timeout_s: float, effect: Effect) -> None:
    of = policy(allow("*"), allow("*", id="longer", limit=("*",)), denying(match=Match(limit=(pattern,))))
    assert decided(of, timeout_s=timeout_s).effect is effect


def test_a_rule_that_looks_for_limits_holds_only_where_some_are_asked_for() -> None:
    of = policy(allow("*"), asking(match=LONG, approve=demand(2)))
    assert decided(of).effect is ALLOW
    asks = decided(of, timeout_s=60.0)
    assert (asks.rule, asks.demand) == ("asking", demand(2))


@pytest.mark.parametrize(
    ("fields", "effect"), [({}, ASK), ({"limit": ("timeout 30 s",)}, ASK), ({"limit": ("timeout 60 s",)}, ALLOW)]
)
def test_a_hash_gets_past_a_rule_about_limits_only_where_it_names_them(fields: dict[str, Any], effect: Effect) -> None:
    decision = decided(policy(exact(PRINT, **fields), asking(match=LONG)), timeout_s=60.0)
    assert decision.effect is effect
    assert decision.rule == ("asking" if effect is ASK else "exact")


def test_a_hash_that_names_some_of_the_limits_gets_past_no_rule_about_all_of_them() -> None:
    of = policy(exact(PRINT, limit=("timeout *",)), asking(match=Match(limit=("*",))))
    assert decided(of, timeout_s=60.0, memory_mb=1024).rule == "asking"
    assert decided(of, timeout_s=60.0).rule == "exact"


# ---- profiles


@pytest.mark.parametrize(
    ("rules", "profile"),
    [
        ([exact(PRINT)], Profile()),
        ([allow("python")], Profile(name="offline")),
        ([exact(PRINT, profile="api")], Profile(name="api", network=("a.example", "b.example"))),
        (
            [exact(PRINT, profile="api"), exact(PRINT, id="b", profile="api-b")],
            Profile(name="api+api-b", network=("b.example",), workspace="none"),
        ),
        ([exact(PRINT, profile="api"), allow("python")], Profile(name="api", network=("a.example", "b.example"))),
        ([exact(PRINT, profile="api"), exact(PRINT, id="b")], Profile(name="api")),
        (
            [allow("python"), allow("python", id="b", profile="small")],
            Profile(name="offline+small", workspace="ro", timeout_s=5.0, memory_mb=128),
        ),
        ([allow("python"), allow("bash", id="b", profile="small")], Profile(name="offline")),
    ],
)
def test_what_is_allowed_runs_under_the_strictest_of_its_rules(rules: list[Rule], profile: Profile) -> None:
    decision = decided(policy(*rules))
    assert (decision.effect, decision.profile) == (ALLOW, profile)
    network = (f"network to {', '.join(profile.network)}",) if profile.network else ()
    assert decision.grants == network


def test_what_was_granted_to_this_code_is_not_cut_down_by_what_any_code_gets() -> None:
    any_code = allow("python", profile="small")
    longer = exact(PRINT, limit=("timeout 60 s",))
    decision = decided(policy(any_code, longer), timeout_s=60.0)
    assert (decision.effect, decision.rule, decision.profile) == (ALLOW, "exact", Profile(timeout_s=60.0))
    assert decided(policy(any_code, longer), timeout_s=61.0).effect is ASK
    assert decided(policy(any_code, longer), block(), block(LS), timeout_s=60.0).effect is ASK


def test_a_profile_never_raises_the_channels_limits() -> None:
    of = policy(allow("python", profile="wide"), profiles={"wide": Grant(timeout_s=100.0, memory_mb=4096)})
    assert decided(of).profile == Profile(name="wide")


# ---- who has to approve


@pytest.mark.parametrize(
    ("rules", "needs"),
    [
        ([asking("*")], {("leads",): 1}),
        ([asking("*", approve=demand(2))], {("leads",): 2}),
        ([asking("*", approve=demand(2, "sre"))], {("leads",): 1, ("sre",): 2}),
        ([asking("*", approve=demand(2, "sre")), allow("*")], {("sre",): 2}),
        (
            [asking("*", approve=demand(2, "sre")), asking("*", id="b", approve=demand(3, "sre")), allow("*")],
            {("sre",): 3},
        ),
        (
            [
                asking("*", approve=demand(1, "sre", "leads")),
                asking("*", id="b", approve=demand(2, "leads", "sre")),
                allow("*"),
            ],
            {("leads", "sre"): 2},
        ),
    ],
)
def test_every_demand_has_to_be_met(rules: list[Rule], needs: dict[tuple[str, ...], int]) -> None:
    found = decided(policy(*rules)).demand
    assert found is not None
    assert {need.groups: need.need for need in found.needs} == needs
    assert found.quorum == max(needs.values())


def test_the_strictest_of_every_duty() -> None:
    lax = demand(not_requester=False, within_s=7200.0, deny_need=2)
    hard = demand(not_requester=True, within_s=60.0, reason=True, deny_need=1)
    of = policy(allow("*"), asking("*", approve=lax), asking("*", id="b", approve=hard))
    assert decided(of).demand == hard
    assert decided(policy(allow("*"), asking("*", approve=lax))).demand == lax


def test_what_always_asks_is_not_remembered() -> None:
    assert decided(policy(asking("*", always=True))).remember is False
    assert decided(policy(asking("*"))).remember is True


# ---- several blocks


@pytest.mark.parametrize(
    ("rules", "effect", "rule"),
    [
        ([allow("python"), allow("bash", id="b")], ALLOW, "allowing"),
        ([allow("python")], ASK, None),
        ([allow("*"), asking("bash")], ASK, "asking"),
        ([allow("*"), asking("python"), denying("bash")], DENY, "denying"),
        ([exact(PRINT), allow("bash")], ALLOW, "allowing"),
        ([exact(PRINT), exact(LS, id="b"), asking("*")], ALLOW, "b"),
        ([exact(PRINT), allow("bash"), asking("*")], ASK, "asking"),
    ],
)
def test_blocks_are_judged_each_and_then_together(rules: list[Rule], effect: Effect, rule: str | None) -> None:
    decision = decided(policy(*rules), block(), block(LS, "bash"))
    assert (decision.effect, decision.rule) == (effect, rule)


def test_reasons_name_the_block() -> None:
    decision = decided(policy(allow("javascript")), block(), block(LS, "javascript"), block("\n\u200b", "bash"))
    assert decision.reasons[0].endswith("(block 3, line 2)")
    assert decision.reasons[1] == "Not covered by the policy: uses print (block 1, line 1) · Bash code (block 3)"


def test_all_blocks_run_under_the_strictest_profile() -> None:
    of = policy(allow("python"), allow("bash", id="b", profile="small"))
    assert decided(of, block(), block(LS, "bash")).profile.name == "offline+small"


def test_a_hash_of_several_blocks_is_of_their_order_and_languages() -> None:
    two = snapshot(block(), block(LS, "bash"))
    of = policy(exact("", code_sha256=snapshot_sha256(two)))
    assert decide(two, of, context()).effect is ALLOW
    assert decided(of, block(LS, "bash"), block()).effect is ASK
    assert decided(of, block(), block(LS, "sh")).effect is ASK
    assert decided(of, block()).effect is ASK


def test_the_name_of_several_blocks_is_never_that_of_a_text() -> None:
    """Else a block holding the list as JSON, once remembered, would be leave for the blocks that it lists."""
    names = [["python", code_sha256(PRINT)], ["bash", code_sha256(LS)]]
    assert snapshot_sha256(snapshot(block(), block(LS, "bash"))) != sha256_of(names)


# ---- totality and properties


class Broken(Policy):
    """Raises wherever it is looked at, but for whom to ask."""

    def __getattribute__(self, name: str) -> Any:
        if name in {"rule", "model_dump"}:
            raise KeyError(name)
        return super().__getattribute__(name)


def test_a_failure_inside_asks() -> None:
    decision = decide(snapshot(timeout_s=3.0), Broken.model_construct(**dict(policy())), context())
    assert (decision.effect, decision.rule, decision.remember) == (ASK, None, False)
    assert decision.reasons == (ENGINE_ERROR, "the policy could not be applied to it (KeyError)")
    assert decision.demand == demand()
    assert (decision.code_sha256, decision.revision) == (code_sha256(PRINT), "")
    assert decision.profile == Profile(timeout_s=3.0)


def test_a_failure_over_the_code_asks_too() -> None:
    decision = decide(Snapshot.model_construct(blocks=cast("Any", None)), policy(allow("*")), context())
    assert (decision.effect, decision.reasons[0], decision.code_sha256) == (ASK, ENGINE_ERROR, "")
    assert decision.revision == revision(policy(allow("*")))


@unhurried
@given(
    st.lists(st.text(st.characters(categories=None)), min_size=1, max_size=3),
    st.sampled_from(["python", "sh"]),
    policies,
)
def test_any_text_is_decided_about(texts: list[str], language: str, of: Policy) -> None:
    some = Snapshot(blocks=tuple(CodeBlock(language=language, code=text) for text in texts))
    decision = decide(some, of, context())
    assert ENGINE_ERROR not in decision.reasons
    assert Decision.model_validate_json(decision.model_dump_json()) == decision


def stricter_or_equal(a: Decision, b: Decision) -> bool:
    """Whether `a` lets no more happen than `b`."""
    if a.effect is not b.effect:
        return STRICTNESS[a.effect] > STRICTNESS[b.effect]
    if a.demand is None or b.demand is None:
        return a.profile == b.profile
    needs = {need.groups: need.need for need in a.demand.needs}
    return (
        all(needs.get(need.groups, 0) >= need.need for need in b.demand.needs)
        and a.demand.within_s <= b.demand.within_s
        and a.demand.not_requester >= b.demand.not_requester
        and a.demand.reason >= b.demand.reason
        and a.demand.deny_need <= b.demand.deny_need
        and a.remember <= b.remember
    )


@unhurried
@given(policies, strict_rules(), snapshots, st.booleans())
def test_an_ask_or_deny_rule_never_loosens(of: Policy, rule: Rule, some: Snapshot, own: bool) -> None:
    before = decide(some, of, context())
    if own:
        after = decide(some, of, context(remembered=(rule,)))
    else:
        after = decide(some, of.model_copy(update={"rule": (*of.rule, rule)}), context())
    assert stricter_or_equal(after, before)


@unhurried
@given(policies, snapshots, st.randoms(use_true_random=False))
def test_order_of_rules_is_irrelevant(of: Policy, some: Snapshot, random: Any) -> None:
    rules = list(of.rule)
    random.shuffle(rules)
    shuffled = of.model_copy(update={"rule": tuple(rules)})
    one, other = decide(some, of, context()), decide(some, shuffled, context())
    assert one.model_copy(update={"revision": ""}) == other.model_copy(update={"revision": ""})


@unhurried
@given(policies, snapshots)
def test_every_decision_speaks(of: Policy, some: Snapshot) -> None:
    decision = decide(some, of, context())
    assert ENGINE_ERROR not in decision.reasons
    assert decision.reasons
    assert (decision.demand is None) is (decision.effect is not ASK)
    if decision.effect is ALLOW:
        assert decision.rule is not None
        assert not decision.uncovered
        assert decision.profile.timeout_s <= max(10.0, some.timeout_s or 0)
    if decision.effect is ASK:
        assert decision.rule is not None or decision.uncovered


@unhurried
@given(policies, snapshots, st.builds(block, st.sampled_from(CODES), st.sampled_from(["python", "bash"])))
def test_another_block_never_loosens(of: Policy, some: Snapshot, more: CodeBlock) -> None:
    """But for a rule about exactly this list of blocks, which none of these policies has."""
    before = decide(some, of, context())
    after = decide(some.model_copy(update={"blocks": (*some.blocks, more)}), of, context())
    assert STRICTNESS[after.effect] >= STRICTNESS[before.effect]


@unhurried
@given(policies, allow_rules(), snapshots)
def test_an_allow_rule_never_weakens_a_deny(of: Policy, rule: Rule, some: Snapshot) -> None:
    if decide(some, of, context()).rule is not None and decide(some, of, context()).effect is DENY:
        more = of.model_copy(update={"rule": (*of.rule, rule)})
        assert decide(some, more, context()).effect is DENY
