"""Analysers slot in by language; nothing is ever allowed for want of facts."""

from bot.core.policy.decision import Fact
from bot.core.policy.facts import NO_EFFECT, NOT_ANALYSED, facts_of


def test_a_language_without_an_analyser_is_not_analysed() -> None:
    assert facts_of("javascript", "1") == (NOT_ANALYSED,)


def test_an_analyser_says_what_the_code_does() -> None:
    seen = Fact(kind="import", value="json", line=1)
    analysers = {"python": lambda text: (seen,) if text else ()}
    assert facts_of("python", "import json", analysers) == (seen,)
    assert facts_of("python", "", analysers) == (NO_EFFECT,)
    assert facts_of("bash", "ls", analysers) == (NOT_ANALYSED,)
