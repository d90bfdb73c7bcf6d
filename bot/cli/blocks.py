"""`fencepost blocks`: what would be extracted from a message."""

import argparse
from typing import Any

from bot.cli.arguments import with_json
from bot.cli.reading import BadLine, requests, text_of
from bot.cli.terminal import answer, coloured, paint, say
from bot.cli.trouble import DONE

PLATFORMS = ("slack", "discord", "web", "console")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", metavar="-", help="the message; standard input by default")
    parser.add_argument("--platform", choices=PLATFORMS, default="web", help="whose message it is (default: web)")
    parser.add_argument("--jsonl", action="store_true", help='requests {"id","text"} on standard input, one a line')
    with_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from bot.core.codeblocks.report import blocks_report  # noqa: PLC0415 - only where it is needed

    if args.jsonl:
        for asked in requests({"text": str}, {}):
            if isinstance(asked, BadLine):
                answer(asked.answer())
            else:
                answer({**blocks_report(asked.fields["text"], args.platform), "id": asked.id})
        return DONE
    report = blocks_report(text_of(args.file), args.platform)
    if args.json:
        answer(report)
    else:
        _show(report)
    return DONE


def _show(report: dict[str, Any]) -> None:
    import sys  # noqa: PLC0415

    on = coloured(sys.stdout)
    for block in report["blocks"]:
        end = "" if block["closed"] else " · not closed"
        say(paint(f"{block['language'] or 'no language'} · line {block['line']}{end}", "bold", on=on))
        say(block["code"].removesuffix("\n"))
    for hint in report["hints"]:
        say(paint(f"hint: {hint}", "yellow", on=on))
    if not report["blocks"]:
        say("no blocks")
