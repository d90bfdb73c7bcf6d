"""A policy read aloud: every kind of rule as one sentence that says no more than the rule does."""

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.core.languages import DEFAULT_LANGUAGES
from bot.core.policy.decision import Demand, Effect, Need
from bot.core.policy.rules import Grant, Match, Policy, Rule
from bot.core.views import policy_text as module
from bot.core.views.policy_text import Reader, RuleText, policy_text
from tests.unit.core.talk import LEADS, START, strict

CHANNEL = "web:local/data"
SHA = "9b1c" * 16
TWO = Demand(needs=(Need(groups=("leads",), need=2),), not_requester=False, within_s=600, reason=True)
PROFILES = {
    "offline": Grant(),
    "net": Grant(network=("a.example", "b.example"), workspace="ro", timeout_s=20, memory_mb=256),
    "bare": Grant(workspace="none"),
}


def read(*rules: Rule, remembered: tuple[Rule, ...] = (), now: float = START, **more: Any) -> tuple[RuleText, ...]:
    policy = Policy(
        default_approve=Demand(needs=(Need(groups=("leads",), need=1),)),
        approvers=LEADS,
        profiles=PROFILES,
        rule=rules,
    )
    return policy_text(policy, remembered, Reader(CHANNEL, DEFAULT_LANGUAGES, now, **more))


def rule(effect: Effect, **fields: Any) -> Rule:
    return Rule(id="x", effect=effect, **fields)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            rule(Effect.ALLOW, language=("python", "bash", "sh"), profile="offline"),
            "Python, Bash and Shell code runs by itself, without network, with the workspace.",
        ),
        (
            rule(Effect.ALLOW, language=("*",), profile="bare"),
            "Code in any language runs by itself, without network, without the workspace.",
        ),
        (
            rule(Effect.ALLOW, language=("cobol",), profile="net", code_sha256=SHA),
            (
                "Exactly the cobol code 9b1c9b1c runs by itself, "
                "with network to a.example and b.example, with the workspace read-only, for at most 20 s, "
                "with at most 256 MB."
            ),
        ),
        (
            rule(Effect.ALLOW, code_sha256=SHA, limit=("timeout 60 s",)),
            (
                "Exactly the code 9b1c9b1c runs by itself, also with a timeout of up to 60 s, without network, "
                "with the workspace."
            ),
        ),
        (
            rule(Effect.ALLOW, language=("python",), profile="offline", limit=("timeout *", "memory 1024 MB")),
            "Python code may ask for any timeout and up to 1024 MB of memory.",
        ),
        (
            rule(Effect.ALLOW, language=("*",), profile="offline", limit=("*",)),
            "Code in any language may ask for any limit.",
        ),
        (
            rule(Effect.ALLOW, language=("*",), profile="offline", limit=("memory *",)),
            "Code in any language may ask for any amount of memory.",
        ),
        (rule(Effect.DENY, language=("*",)), "Code in any language is refused."),
        (rule(Effect.DENY, code_sha256=SHA), "Exactly the code 9b1c9b1c is refused."),
        (
            rule(Effect.DENY, match=Match(language=("bash",), limit=("timeout 60 s", "memory *"))),
            "Bash code that asks for a timeout of 60 s or more or more memory than usual is refused.",
        ),
        (
            rule(Effect.DENY, language=("bash",), match=Match(limit=("timeout *", "memory 64 MB"))),
            "Bash code that asks for a longer timeout than usual or 64 MB of memory or more is refused.",
        ),
        (
            rule(Effect.ASK, match=Match(limit=("*",)), approve=TWO),
            (
                "Code in any language that asks for more than the usual limits needs 2 of @leads, with a reason, "
                "within 10 min."
            ),
        ),
        (
            rule(Effect.ASK, language=("javascript",), always=True),
            "JavaScript code needs 1 of @leads, not whoever asked, within 60 min, even for remembered code.",
        ),
    ],
)
def test_a_rule_in_words(given: Rule, text: str) -> None:
    assert read(given)[0].text == text


def test_what_no_rule_covers_comes_last() -> None:
    (asks,) = policy_text(strict(), (), Reader(CHANNEL, DEFAULT_LANGUAGES, START))
    assert (asks.id, asks.effect) == (None, Effect.ASK)
    assert asks.text == "Everything else needs 1 of @leads, not whoever asked, within 60 min."
    closed = strict().model_copy(update={"default": "deny"})
    (denies,) = policy_text(closed, (), Reader(CHANNEL, DEFAULT_LANGUAGES, START))
    assert (denies.effect, denies.text) == (Effect.DENY, "Everything else is refused.")


def test_rules_stand_in_the_order_in_which_they_win() -> None:
    kept = Rule(id="a", effect=Effect.ALLOW, code_sha256=SHA)
    rules = (
        Rule(id="z", effect=Effect.ALLOW, code_sha256=SHA),
        Rule(id="c", effect=Effect.ASK, code_sha256=SHA),
        Rule(id="b", effect=Effect.DENY, code_sha256=SHA),
    )
    found = read(*rules, remembered=(kept,))
    assert [(each.id, each.remembered) for each in found] == [
        ("b", False),
        ("c", False),
        ("z", False),
        ("a", True),
        (None, False),
    ]


def test_a_rule_for_another_channel_is_left_out() -> None:
    here, there = (
        Rule(id=name, effect=Effect.DENY, language=("*",), scope=scope)
        for name, scope in (("h", CHANNEL), ("t", "web:local/x"))
    )
    assert [each.id for each in read(here, there)] == ["h", None]


def test_a_rule_that_ends_says_when() -> None:
    ends = datetime.fromtimestamp(START + 60, UTC)
    given = rule(Effect.ALLOW, code_sha256=SHA, expires=ends)
    before, after = read(given)[0], read(given, now=START + 60)[0]
    assert before.text.endswith("(until 14 Nov 2023).")
    assert before.in_force
    assert after.text.endswith("(expired on 14 Nov 2023).")
    assert not after.in_force


def test_a_rule_that_is_used_up_says_so() -> None:
    given = rule(Effect.ALLOW, code_sha256=SHA, max_uses=5, uses=1)
    once, all_gone = read(given)[0], read(given, uses={"x": 4})[0]
    assert once.text.endswith("(1 of 5 uses gone).")
    assert once.in_force
    assert all_gone.text.endswith("(5 of 5 uses gone).")
    assert not all_gone.in_force


def test_why_hides_nothing() -> None:
    assert read(rule(Effect.DENY, language=("*",), why="a\u202eb"))[0].why == "a\\u202eb"


def test_fields_without_words_of_their_own_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the facts of a later analysis will be: a sentence that left them out would promise too much."""
    monkeypatch.setattr(module, "_IN_WORDS", module._IN_WORDS - {"language", "limit"})
    allowed = read(rule(Effect.ALLOW, language=("python",), profile="offline"))[0].text
    assert allowed.startswith("Python code that does nothing beyond language: python runs by itself")
    limits = tuple(f"timeout {n} s" for n in range(1, 7))
    denied = read(rule(Effect.DENY, match=Match(limit=limits)))[0].text
    assert denied.endswith("and has limit: 6 patterns is refused.")
