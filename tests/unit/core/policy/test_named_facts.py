"""Rules that name facts: more facts or more strict rules never loosen, order is nothing, and nothing fails."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from bot.core.policy.commands.pattern import CommandShape
from bot.core.policy.decision import Effect
from bot.core.policy.rules import Match, Rule
from tests.unit.core.policy.making import allow, asking, block, decided, denying, policy, unhurried

STRICTNESS = (Effect.ALLOW, Effect.ASK, Effect.DENY)

statements = st.sampled_from(
    (
        "ls -l",
        "sort -o x y",
        "cat < /tmp/in > /tmp/out",
        "echo $HOME $x",
        "x=1",
        "PATH=/tmp ls",
        "git log --oneline",
        "git push",
        "curl https://a.example/",
        "./run.sh",
        "timeout 5 cat a",
        "echo $((x))",
        "for f in *; do wc -l $f; done",
        "[[ -v x ]]",
        "# nothing",
    )
)
programs = st.lists(statements, min_size=1, max_size=4)
fields = st.sampled_from(
    (
        {"cmd": ("@print",)},
        {"cmd": ("git", "@fetch")},
        {"cmd": (CommandShape(name=("git",), sub="push"),)},
        {"cmd": (CommandShape(argv=("./run.sh",)),)},
        {"read": ("/tmp/*",)},
        {"write": ("/tmp/*",)},
        {"net": ("*.example",)},
        {"env": ("@usual", "@lower")},
        {"assign": ("@lower",)},
    )
)
names = st.uuids().map(lambda each: f"r-{each.hex[:12]}")
allowing = st.builds(lambda name, some: allow("bash", id=name, **some), names, fields)
strict = st.builds(
    lambda name, some, make: make(id=name, match=Match(**some)), names, fields, st.sampled_from((asking, denying))
)
rules = st.lists(allowing | strict, max_size=6, unique_by=lambda rule: rule.id)


def effect(some: list[Rule], program: list[str]) -> int:
    return STRICTNESS.index(decided(policy(*some), block("\n".join(program), "bash")).effect)


@unhurried
@given(rules, strict, programs)
def test_a_strict_rule_never_loosens(some: list[Rule], more: Rule, program: list[str]) -> None:
    assert effect([*some, more], program) >= effect(some, program)


@unhurried
@given(rules, allowing, programs)
def test_an_allow_rule_never_tightens(some: list[Rule], more: Rule, program: list[str]) -> None:
    assert effect([*some, more], program) <= effect(some, program)


@unhurried
@given(rules, programs, programs)
def test_more_facts_never_loosen(some: list[Rule], program: list[str], more: list[str]) -> None:
    assert effect(some, [*program, *more]) >= effect(some, program)


@unhurried
@given(rules, programs, st.randoms(use_true_random=False))
def test_order_is_nothing(some: list[Rule], program: list[str], chance: random.Random) -> None:
    code = block("\n".join(program), "bash")
    shuffled = chance.sample(some, len(some))
    one, other = decided(policy(*some), code), decided(policy(*shuffled), code)
    assert one.model_copy(update={"revision": ""}) == other.model_copy(update={"revision": ""})


@unhurried
@given(rules, st.text(max_size=200))
def test_nothing_fails(some: list[Rule], code: str) -> None:
    decision = decided(policy(*some), block(code, "bash"))
    assert "engine-error" not in decision.reasons


def test_code_that_does_nothing_is_covered_by_whoever_names_anything() -> None:
    for code in ("# nothing", "", "[[ a = b ]]"):
        assert decided(policy(allow("bash", cmd=("ls",))), block(code, "bash")).effect is Effect.ALLOW
        assert decided(policy(), block(code, "bash")).effect is Effect.ASK


def test_a_rule_for_a_whole_language_covers_what_is_not_understood() -> None:
    assert decided(policy(allow("bash")), block("echo $((x))", "bash")).effect is Effect.ALLOW
    assert decided(policy(allow("bash", env=("*",))), block("echo $((x))", "bash")).effect is Effect.ASK


def test_a_rule_for_exactly_this_code_names_no_facts() -> None:
    with pytest.raises(ValidationError, match="covers all that it does"):
        policy(Rule(id="x", effect=Effect.ALLOW, code_sha256="0" * 64, env=("HOME",)))
