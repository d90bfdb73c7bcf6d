"""What is remembered is what was asked about, here, for a while, and no more."""

from datetime import UTC, datetime

import pytest
from hypothesis import assume, given

from bot.core.policy.decide import decide
from bot.core.policy.decision import Effect
from bot.core.policy.remember import proposals
from bot.core.policy.rules import Match, Policy, Rule
from bot.core.snapshot import Snapshot
from tests.unit.core.policy.making import (
    CHANNEL,
    NOW,
    allow,
    asking,
    block,
    context,
    decided,
    denying,
    exact,
    policies,
    policy,
    snapshot,
    snapshots,
    unhurried,
)


def offered(some: Snapshot, of: Policy) -> tuple[Rule, ...]:
    return tuple(
        rule for offer in proposals(some, decide(some, of, context()), CHANNEL, "data", NOW) for rule in offer.rules
    )


def test_this_exact_code_here_for_thirty_days() -> None:
    some = snapshot()
    (offer,) = proposals(some, decided(policy()), CHANNEL, "data", NOW + 0.5)
    assert (offer.id, offer.text) == ("exact", "This exact code, in #data, for 30 days")
    (rule,) = offer.rules
    assert (rule.effect, rule.scope, rule.language, rule.profile) == (Effect.ALLOW, CHANNEL, ("python",), None)
    assert rule.code_sha256 == decided(policy()).code_sha256
    assert rule.expires == datetime.fromtimestamp(NOW + 30 * 86400, UTC)
    assert Rule.model_validate_json(rule.model_dump_json()) == rule


def test_without_a_name_the_channels_id_stands_for_it() -> None:
    (offer,) = proposals(snapshot(), decided(policy()), CHANNEL, "", NOW)
    assert offer.text == "This exact code, in #C42, for 30 days"


@pytest.mark.parametrize(
    ("of", "code"),
    [
        (policy(allow("python")), "x"),
        (policy(denying("python")), "x"),
        (policy(asking("python", always=True)), "x"),
        (policy(), "a\u202eb"),
    ],
)
def test_nothing_is_offered_where_it_may_not_be_remembered(of: Policy, code: str) -> None:
    assert offered(snapshot(block(code)), of) == ()


def test_only_what_was_asked_about_is_remembered() -> None:
    allowed = decided(policy(allow("python"))).model_copy(update={"remember": True})
    assert proposals(snapshot(), allowed, CHANNEL, "data", NOW) == ()


def test_a_profile_written_for_this_code_is_not_got_past_by_remembering() -> None:
    of = policy(exact("print(1)\n", profile="small"))
    some = snapshot(timeout_s=8.0)
    assert decide(some, of, context()).effect is Effect.ASK
    assert offered(some, of) == ()
    assert offered(some, policy(allow("python", profile="small"))) != ()


@unhurried
@given(policies, snapshots)
def test_what_was_remembered_is_allowed_from_then_on(of: Policy, some: Snapshot) -> None:
    rules = offered(some, of)
    assume(rules)
    again = decide(some, of, context(remembered=rules))
    assert again.effect is Effect.ALLOW
    for elsewhere in ({"channel": "slack:T1/other"}, {"now": NOW + 30 * 86400}):
        assert decide(some, of, context(remembered=rules, **elsewhere)) == decide(some, of, context(**elsewhere))


@pytest.mark.parametrize(
    ("asked", "effect"),
    [
        ({"timeout_s": 60.0}, Effect.ALLOW),
        ({}, Effect.ALLOW),
        ({"timeout_s": 61.0}, Effect.ASK),
        ({"timeout_s": 60.0, "memory_mb": 1024}, Effect.ASK),
    ],
)
def test_limits_are_remembered_with_it(asked: dict[str, float], effect: Effect) -> None:
    of = policy(asking(match=Match(limit=("*",))))
    rules = offered(snapshot(timeout_s=60.0), of)
    assert decided(of, where=context(remembered=rules), **asked).effect is effect


def test_an_odd_number_is_remembered_as_it_was_asked_for() -> None:
    some = snapshot(timeout_s=33.33333333333333)
    assert decide(some, policy(), context(remembered=offered(some, policy()))).effect is Effect.ALLOW


def test_different_things_have_different_names() -> None:
    some = [snapshot(), snapshot(timeout_s=60.0), snapshot(block("x")), snapshot(block(language="sh"))]
    ids = {rule.id for each in some for rule in offered(each, policy())}
    assert len(ids) == 4
