"""A policy is valid or does not exist, and every spelling of it is the same one."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from pydantic import ValidationError

from bot.core.policy.decision import Demand, Effect, Need
from bot.core.policy.rules import Grant, Group, Match, Policy, Rule, revision
from tests.unit.core.policy.making import allow, asking, demand, denying, exact, policies, policy, unhurried


@unhurried
@given(policies)
def test_json_and_back(of: Policy) -> None:
    again = Policy.model_validate_json(of.model_dump_json())
    assert again == of
    assert again.model_dump_json() == of.model_dump_json()
    assert revision(again) == revision(of)


def test_a_rule_survives_inside_other_records_too() -> None:
    rule = asking(
        "python",
        approve=demand(2, "sre", "leads", reason=True),
        why="because",
        expires=datetime(2027, 1, 1, tzinfo=UTC),
        from_request=812,
        added_by="slack:U1",
        match=Match(limit=("*",)),
    )
    assert Rule.model_validate_json(rule.model_dump_json()) == rule
    assert Rule.model_validate(rule.model_dump()) == rule


def test_the_same_moment_is_the_same_revision() -> None:
    here = datetime(2027, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))
    one = policy(allow("python", expires=here))
    other = policy(allow("python", expires=datetime(2027, 1, 1, tzinfo=UTC)))
    assert revision(one) == revision(other)


@pytest.mark.parametrize(
    "other",
    [
        policy(allow("bash")),
        policy(allow("python"), default="deny"),
        policy(allow("python", why="x")),
        policy(allow("python"), default_approve=demand(2)),
        policy(allow("python", uses=1)),
        policy(allow("python"), approvers={"leads": Group(web_roles=("lead", "admin"))}),
        policy(allow("python"), profiles={"offline": Grant(timeout_s=9.0)}),
    ],
)
def test_any_change_is_another_revision(other: Policy) -> None:
    assert revision(other) != revision(policy(allow("python")))


@pytest.mark.parametrize(
    ("rules", "fields", "says"),
    [
        ([allow("python"), allow("bash")], {}, "another rule has this id"),
        ([allow("python", profile="gone")], {}, "there is no profile 'gone'"),
        ([exact("x", profile="gone")], {}, "there is no profile 'gone'"),
        ([allow("python", profile=None)], {}, "names the profile to run it under"),
        ([allow("python", profile="api")], {}, 'has to be "none"'),
        ([allow(profile="offline")], {}, "names languages, or one code"),
        ([allow(profile=None)], {}, "names languages, or one code"),
        ([allow("python", match=Match(language=("bash",)))], {}, "an allow rule has no 'match'"),
        ([allow("python", approve=demand())], {}, "an allow rule has no 'approve'"),
        ([allow("python", always=True)], {}, "an allow rule has no 'always'"),
        ([asking("python", profile="offline")], {}, "an ask rule has no 'profile'"),
        ([asking("python", limit=("*",))], {}, "an ask rule has no 'limit'"),
        ([asking("python", taint_ok=True)], {}, "an ask rule has no 'taint_ok'"),
        ([denying("python", max_uses=1)], {}, "a deny rule has no 'max_uses'"),
        ([denying("python", approve=demand())], {}, "a deny rule has no 'approve'"),
        ([denying("python", always=True)], {}, "a deny rule has no 'always'"),
        ([asking()], {}, "a rule that asks says what it looks for"),
        ([denying()], {}, "a rule that denies says what it looks for"),
        ([denying("python", match=Match())], {}, "matches nothing as it stands"),
        ([asking("python", approve=demand(1, "nobody"))], {}, "there is no approver group 'nobody'"),
        ([], {"default_approve": demand(1, "nobody")}, "there is no approver group 'nobody'"),
    ],
)
def test_what_cannot_mean_anything_is_refused(rules: list[Rule], fields: dict[str, Any], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        policy(*rules, **fields)


@pytest.mark.parametrize(
    "rule",
    [
        allow("python", limit=("timeout 60 s",), taint_ok=True, max_uses=3, uses=3),
        exact("x"),
        exact("x", language=("python",), profile="api"),
        asking("python", approve=demand(2, "sre"), always=True),
        asking(match=Match(limit=("*",))),
        asking(code_sha256="0" * 64),
        denying(match=Match(language=("python",))),
    ],
)
def test_what_can_is_not(rule: Rule) -> None:
    assert policy(rule).rule == (rule,)


@pytest.mark.parametrize(
    "fields",
    [
        {"id": ""},
        {"id": "a b"},
        {"id": "-a"},
        {"id": "a" * 65},
        {"language": ("Python",)},
        {"language": ("",)},
        {"language": ("p*",)},
        {"code_sha256": "0" * 63},
        {"code_sha256": "G" * 64},
        {"limit": ("timeout",)},
        {"limit": ("timeout 60",)},
        {"limit": ("memory 1.5 MB",)},
        {"limit": ("cpu 3 s",)},
        {"scope": "general"},
        {"expires": datetime(2027, 1, 1)},  # noqa: DTZ001 (that is the point)
        {"max_uses": 0},
        {"uses": -1},
        {"added_by": "Lee"},
        {"why": "x" * 501},
        {"effect": "allow"},
    ],
)
def test_fields_of_a_rule(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Rule(**{"id": "x", "effect": Effect.ALLOW, **fields})


def test_an_approver_is_an_id() -> None:
    for fields in ({"users": ("lee",)}, {"web_roles": ("",)}, {"slack_usergroups": ("the leads",)}):
        with pytest.raises(ValidationError):
            Group(**fields)


def test_a_written_demand_has_one_list_of_groups() -> None:
    two = Demand(needs=(Need(groups=("leads",), need=1), Need(groups=("sre",), need=1)))
    with pytest.raises(ValidationError, match="one list of groups"):
        policy(default_approve=two)


def test_who_decides_what_no_rule_covers() -> None:
    groups = {
        "leads": Group(web_roles=("lead",), users=("slack:U1",)),
        "sre": Group(discord_roles=("9",)),
        "other": Group(slack_usergroups=("S1",), users=("console:me",)),
    }
    of = policy(approvers=groups, default_approve=demand(1, "leads", "sre"))
    assert of.approvers_for("web") == of.approvers_for("slack") == {"leads"}
    assert of.approvers_for("discord") == {"sre"}
    assert of.approvers_for("console") == frozenset()
