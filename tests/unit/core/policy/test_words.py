"""Sentences about facts that only a later analyser finds."""

from dataclasses import replace

from bot.core.policy.decision import Fact
from bot.core.policy.judge import judge_block
from bot.core.policy.words import not_covered
from tests.unit.core.policy.making import allow, block, decided, policy


def test_any_fact_is_named_with_its_line_and_escaped() -> None:
    fact = Fact(kind="net", value="a\u202e.example", line=4)
    verdict = replace(judge_block(block(), frozenset(), (), ()), uncovered=(fact,))
    assert not_covered([verdict], ()) == ("Not covered by the policy: reaches a\\u202e.example (line 4)",)


def test_a_long_list_is_cut() -> None:
    facts = tuple(Fact(kind="net", value=f"h{n}", line=n) for n in range(1, 9))
    verdict = replace(judge_block(block(), frozenset(), (), ()), uncovered=facts)
    (sentence,) = not_covered([verdict], ())
    assert sentence.endswith("reaches h6 (line 6) · 2 more")


def test_how_many_of_how_many() -> None:
    bash = decided(policy(allow("bash", cmd=("ls",))), block("ls\n./run.sh > /tmp/x\necho $((n))", "bash"))
    says = "3 of 4 facts not covered: runs ./run.sh (line 2) · writes /tmp/x (line 2)"
    assert bash.reasons == (f"{says} · not understood: arithmetic on names (line 3)",)
