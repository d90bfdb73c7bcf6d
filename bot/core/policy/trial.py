"""A policy tried on the examples that its own rules carry: what a rule's author expects is what happens, or the
revision is refused.
"""

from collections.abc import Iterator

from bot.core.config import ChannelLimits
from bot.core.policy.check import Misfit
from bot.core.policy.decide import Context, judge
from bot.core.policy.decision import Effect
from bot.core.policy.fields import ANY
from bot.core.policy.rules import Policy, Rule
from bot.core.policy.text import normalise, visible
from bot.core.snapshot import CodeBlock, Snapshot

ANYWHERE = "web:example/example"
LANGUAGES = ("bash", "python", "sh")
"""Languages that stand for all of them where a rule names none."""


def first_failure(policy: Policy) -> Misfit | None:
    """The first example that comes out otherwise than its rule says, None where all hold."""
    return next(failures(policy), None)


def failures(policy: Policy) -> Iterator[Misfit]:
    """Examples are judged before anything expires or is used up, in the rule's own channel where it has one."""
    fresh = policy.model_copy(update={"rule": tuple(rule.model_copy(update={"uses": 0}) for rule in policy.rule)})
    for index, rule in enumerate(policy.rule):
        context = Context(now=0.0, channel=rule.scope or ANYWHERE, limits=ChannelLimits())
        for wanted, number, language, code in _cases(rule):
            snapshot = Snapshot(blocks=(CodeBlock(language=language, code=normalise(code)),))
            decision = judge(snapshot, fresh, context)
            if decision.effect is not wanted:
                reasons = "; ".join(decision.reasons)
                place = ("rule", index, "examples", wanted.value, number)
                sentence = f"{visible(code)!r} is {decision.effect} in {language}, not {wanted}: {reasons}"
                yield Misfit(place, sentence)


def _cases(rule: Rule) -> Iterator[tuple[Effect, int, str, str]]:
    named = rule.language or (rule.match.language if rule.match else ())
    languages = LANGUAGES if not named or ANY in named else named
    for wanted in Effect:
        for number, code in enumerate(getattr(rule.examples, wanted.value)):
            for language in languages:
                yield wanted, number, language, code
