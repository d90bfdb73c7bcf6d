"""Attacks and everyday Python under the analysed preset: no attack runs by itself, hardly anything else is asked."""

import json
from pathlib import Path

import pytest

from bot.core.policy.decision import Effect
from bot.core.policy.load import parse_policy
from tests.unit.core.policy.making import block, decided

HOME = Path(__file__).parents[4]
CASES = [json.loads(line) for line in (HOME / "tests/payloads/policy_python.jsonl").read_text().splitlines()]
ATTACKS = [case for case in CASES if case["expected"] == "ask"]
BENIGN = [case for case in CASES if case["expected"] == "allow"]
TEAM = parse_policy((HOME / "config/policies/team-analysed.toml").read_text(), "team-analysed.toml")


def test_no_attack_is_allowed(capsys: pytest.CaptureFixture[str]) -> None:
    through = [case["id"] for case in ATTACKS if decided(TEAM, block(case["code"])).effect is Effect.ALLOW]
    with capsys.disabled():
        print(f"\npython attacks let through: {len(through)} of {len(ATTACKS)}")  # noqa: T201 (a figure)
    assert len(ATTACKS) == 63
    assert through == []


def test_everyday_python_is_allowed(capsys: pytest.CaptureFixture[str]) -> None:
    asked = {}
    for case in BENIGN:
        decision = decided(TEAM, block(case["code"]))
        if decision.effect is not Effect.ALLOW:
            asked[case["id"]] = decision.reasons
    with capsys.disabled():
        print(f"\npython benign allowed: {len(BENIGN) - len(asked)} of {len(BENIGN)}; asked: {asked}")  # noqa: T201
    assert len(BENIGN) == 49
    assert asked == {"py-ok-093-requests-get": ("1 of 3 facts not covered: reaches api.github.com (line 2)",)}


@pytest.mark.parametrize("case", ATTACKS, ids=lambda case: case["id"])
def test_every_ask_names_a_fact_with_its_line(case: dict[str, str]) -> None:
    decision = decided(TEAM, block(case["code"]))
    assert decision.uncovered
    assert all(fact.line for fact in decision.uncovered)
    assert "(line " in decision.reasons[-1]
