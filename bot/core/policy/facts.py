"""From code to facts: one analyser a language, all of them pure and total.

A language without an analyser yields the one fact that says so; only an exact hash or a rule for the whole language
covers it.
"""

from collections.abc import Callable, Mapping

from bot.core.policy.decision import Fact
from bot.core.policy.python import facts_of as python
from bot.core.policy.shell.analysis import facts_of as shell

Analyser = Callable[[str], tuple[Fact, ...]]

UNKNOWN = "unknown"
LIMIT = "limit"
TEXT = "text"
NOT_ANALYSED = Fact(kind=UNKNOWN, value="not analysed")
NO_EFFECT = Fact(kind="code", value="no effect beyond itself")

ANALYSERS: Mapping[str, Analyser] = {"bash": shell, "python": python, "sh": shell}


def facts_of(language: str, text: str, analysers: Mapping[str, Analyser] = ANALYSERS) -> tuple[Fact, ...]:
    """What the code does, as far as it is understood; never empty, so that nothing is allowed for want of facts."""
    analyser = analysers.get(language)
    return (NOT_ANALYSED,) if analyser is None else analyser(text) or (NO_EFFECT,)
