"""`fencepost run`: the bot with what the configuration enables; today that is the web chat with a login."""

import argparse
import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from bot.cli.arguments import with_config, with_json
from bot.cli.machinery import check_port, opening, settings_of
from bot.cli.signals import on_end
from bot.cli.terminal import answer, complain, say
from bot.cli.trouble import DONE, Misused

if TYPE_CHECKING:
    from bot.settings import Settings


def arguments(parser: argparse.ArgumentParser) -> None:
    with_json(parser)
    with_config(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    settings = settings_of(args).settings
    _check_users(settings)
    check_port(settings.web.host, settings.web.port)
    asyncio.run(_serve(settings, as_json=args.json))
    return DONE


async def _serve(settings: "Settings", *, as_json: bool) -> None:
    from bot.bootstrap.serving import run_until  # noqa: PLC0415 - brings the whole bot
    from bot.bootstrap.web import open_team  # noqa: PLC0415
    from bot.logging import set_up  # noqa: PLC0415
    from bot.settings import secrets  # noqa: PLC0415

    set_up(settings.log, secrets(settings))
    stop = asyncio.Event()
    with on_end(stop.set):
        async with AsyncExitStack() as stack:
            with opening(settings):
                opened = await stack.enter_async_context(open_team(settings))

            async def greet() -> None:
                host = settings.web.host
                address = f"http://{f'[{host}]' if ':' in host else host}:{await opened.gateway.port()}"
                if as_json:
                    answer({"address": address})
                else:
                    say(f"Fencepost is at {address}")
                    for problem in await opened.house.problems():
                        complain(f"✘ {problem} Code cannot run yet; fencepost doctor says more.")

            await run_until(opened.bot, stop, greet)


def _check_users(settings: "Settings") -> None:
    from adapters.web.users_file import UsersFileError, read_users  # noqa: PLC0415

    path = settings.users_file
    try:
        if path.exists() and read_users(path):
            return
    except UsersFileError as error:
        raise Misused("The users file cannot be used.", f"{error}.", "Mend it, or make a new one.") from error
    raise Misused("Nobody could log in.", f"There are no users in {path}.", "fencepost web adduser NAME --role admin")
