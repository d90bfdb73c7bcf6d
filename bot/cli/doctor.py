"""`fencepost doctor`: a checklist of this machine, with what to do beneath whatever is wrong."""

import argparse
import asyncio
import sys
from typing import TYPE_CHECKING

from bot.cli.arguments import with_config, with_json
from bot.cli.checks import Check, Status, data_dir, policy, python, store, users, web
from bot.cli.machinery import quiet_logs, settings_of
from bot.cli.terminal import answer, coloured, paint, say
from bot.cli.trouble import DONE, NO, Trouble

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_MARKS = {Status.OK: ("✔", "green"), Status.WARNING: ("!", "yellow"), Status.FAILED: ("✘", "red")}


def arguments(parser: argparse.ArgumentParser) -> None:
    with_json(parser)
    with_config(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    quiet_logs()
    found: list[Check] = []

    async def follow() -> None:
        async for check in _checks(args):
            found.append(check)
            if not args.json:
                _show(check)

    asyncio.run(follow())
    good = all(check.status is not Status.FAILED for check in found)
    if args.json:
        answer({"ok": good, "checks": [check.as_json() for check in found]})
    elif all(check.status is Status.OK for check in found):
        say("Everything that was looked at is in order.")
    elif good:
        say("Code can run here; the lines with ! say what else to look at.")
    else:
        say("Something is wrong; the lines with ✘ say what to do.")
    return DONE if good else NO


async def _checks(args: argparse.Namespace) -> "AsyncIterator[Check]":
    yield python()
    try:
        settings = settings_of(args).settings
    except Trouble as trouble:
        yield Check("settings", Status.FAILED, f"{trouble.what} {trouble.why}", trouble.fix)
        return
    yield Check("settings", Status.OK, f"settings hold; data in {settings.data}")
    yield data_dir(settings)
    yield store(settings)
    yield policy(settings)
    yield web(settings)
    yield users(settings)
    from bot.cli.sandbox_checks import sandbox_checks  # noqa: PLC0415 - docker takes its time

    async for check in sandbox_checks(settings):
        yield check


def _show(check: Check) -> None:
    on = coloured(sys.stdout)
    mark, colour = _MARKS[check.status]
    say(f"{paint(mark, colour, on=on)} {check.text}")
    if check.fix and check.status is not Status.OK:
        say(f"  {check.fix}")
