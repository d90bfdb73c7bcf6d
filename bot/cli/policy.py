"""`fencepost policy check|explain|test`: what a policy says, without anything being run."""

import argparse
import sys
import time
from typing import TYPE_CHECKING, Any

from bot.cli.arguments import with_config, with_json
from bot.cli.machinery import settings_of
from bot.cli.reading import Asked, BadLine, requests, text_of
from bot.cli.terminal import answer, coloured, paint, say
from bot.cli.trouble import DONE, NO, Misused

if TYPE_CHECKING:
    from bot.core.config import ChannelLimits
    from bot.core.policy.decision import Decision
    from bot.core.policy.rules import Policy

HERE = "console:local/shell"
MOST_TIMEOUT_S = 1_000_000
"""What can be asked about; what can be had is the policy's to say."""


def arguments(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="check|explain|test", required=True)
    for name, text in (("check", "the decision on code"), ("explain", "the decision on code, in words")):
        verb = verbs.add_parser(name, help=text, description=text)
        verb.add_argument("file", nargs="?", metavar="-", help="the code; standard input by default")
        verb.add_argument("--policy", metavar="FILE|PRESET", help="the policy (default: what the settings name)")
        verb.add_argument("--lang", default="python", metavar="L", help="the language of the code (default: python)")
        verb.add_argument("--channel", default=HERE, metavar="C", help="decide as in this channel")
        if name == "check":
            verb.add_argument(
                "--jsonl", action="store_true", help='requests {"id","language","code"} on standard input, one a line'
            )
        with_json(verb)
        with_config(verb)
        verb.set_defaults(run=check if name == "check" else explain)
    verb = verbs.add_parser("test", help="run the examples that a policy carries", description="run its examples")
    verb.add_argument("policy", metavar="FILE|PRESET")
    with_json(verb)
    verb.set_defaults(run=test)


def check(args: argparse.Namespace) -> int:
    from bot.core.policy.report import check_report  # noqa: PLC0415 - only where it is needed

    policy, limits = _policy(args), _limits(args)
    if args.jsonl:
        for asked in requests({"language": str, "code": str}, {"timeout": (int, float)}):
            answer(asked.answer() if isinstance(asked, BadLine) else _answered(asked, policy, limits, args.channel))
        return DONE
    decision = _decide(policy, limits, args.lang, text_of(args.file), args.channel)
    if args.json:
        answer(check_report(decision))
    else:
        report = check_report(decision)
        say(paint(str(report["decision"]), "bold", on=coloured(sys.stdout)))
        for reason in decision.reasons:
            say(f"  {reason}")
    return _code(decision)


def explain(args: argparse.Namespace) -> int:
    from bot.core.policy.report import explain as in_words  # noqa: PLC0415

    decision = _decide(_policy(args), _limits(args), args.lang, text_of(args.file), args.channel)
    words = in_words(decision)
    if args.json:
        answer({"decision": decision.effect.value, "text": words})
    else:
        say(words)
    return _code(decision)


def test(args: argparse.Namespace) -> int:
    from bot.bootstrap.policies import load_policy  # noqa: PLC0415
    from bot.core.policy.load import PolicyError  # noqa: PLC0415
    from bot.core.views.texts import plural  # noqa: PLC0415

    problems: tuple[str, ...] = ()
    rules = examples = 0
    try:
        policy = load_policy(args.policy)
        rules = len(policy.rule)
        examples = sum(len(getattr(rule.examples, kind)) for rule in policy.rule for kind in ("allow", "ask", "deny"))
    except PolicyError as error:
        problems = error.problems
    if args.json:
        answer({"ok": not problems, "rules": rules, "examples": examples, "problems": list(problems)})
    elif problems:
        for problem in problems:
            say(paint(f"✘ {problem}", "red", on=coloured(sys.stdout)))
    else:
        counts = f"{plural(rules, 'rule')}, {plural(examples, 'example')} as expected"
        say(paint(f"✔ {args.policy}: {counts}", "green", on=coloured(sys.stdout)))
    return NO if problems else DONE


def _answered(asked: Asked, policy: "Policy", limits: "ChannelLimits", channel: str) -> dict[str, Any]:
    from bot.core.policy.report import check_report  # noqa: PLC0415

    fields = asked.fields
    timeout = fields.get("timeout")
    if timeout is not None and not 0 < timeout <= MOST_TIMEOUT_S:
        return {"id": asked.id, "error": f"timeout is not above 0 and at most {MOST_TIMEOUT_S}"}
    decision = _decide(policy, limits, fields["language"], fields["code"], channel, timeout_s=timeout)
    return {**check_report(decision), "id": asked.id}


def _decide(
    policy: "Policy", limits: "ChannelLimits", language: str, code: str, channel: str, *, timeout_s: float | None = None
) -> "Decision":
    from bot.core.languages import DEFAULT_LANGUAGES  # noqa: PLC0415
    from bot.core.policy.decide import Context, decide  # noqa: PLC0415
    from bot.core.policy.text import normalise  # noqa: PLC0415
    from bot.core.snapshot import CodeBlock, Snapshot  # noqa: PLC0415

    found = DEFAULT_LANGUAGES.find(language)
    block = CodeBlock(language=found.name if found else language, code=normalise(code))
    snapshot = Snapshot(blocks=(block,), timeout_s=None if timeout_s is None else float(timeout_s))
    return decide(snapshot, policy, Context(time.time(), channel, limits))


def _policy(args: argparse.Namespace) -> "Policy":
    from bot.bootstrap.policies import load_policy  # noqa: PLC0415
    from bot.core.policy.load import PolicyError  # noqa: PLC0415

    name = args.policy or settings_of(args).settings.policy
    try:
        return load_policy(name)
    except PolicyError as error:
        raise Misused(
            f"The policy {name} cannot be used.", error.problems[0], f"fencepost policy test {name} says all there is."
        ) from error


def _limits(args: argparse.Namespace) -> "ChannelLimits":
    """What is usual here: more than that has to be asked for."""
    return settings_of(args).settings.channel_config("always").limits


def _code(decision: "Decision") -> int:
    return DONE if decision.effect.value == "allow" else NO
