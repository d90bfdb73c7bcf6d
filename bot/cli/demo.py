"""`fencepost demo`: the web chat with demo users on this machine."""

import argparse
import asyncio
import json
import shlex
import sys
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from bot.cli.arguments import with_config, with_json
from bot.cli.machinery import check_port, opening, settings_of
from bot.cli.signals import on_end
from bot.cli.terminal import answer, coloured, complain, paint, say
from bot.cli.trouble import DONE

if TYPE_CHECKING:
    from bot.bootstrap.web import WebBot
    from bot.settings import Loaded


def arguments(parser: argparse.ArgumentParser) -> None:
    with_json(parser)
    with_config(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    loaded = settings_of(args)
    web = loaded.settings.web
    check_port(web.host, web.port)
    asyncio.run(_serve(loaded, as_json=args.json))
    return DONE


async def _serve(loaded: "Loaded", *, as_json: bool) -> None:
    from bot.bootstrap.serving import run_until  # noqa: PLC0415 - brings the whole bot
    from bot.bootstrap.web import open_demo  # noqa: PLC0415
    from bot.logging import set_up  # noqa: PLC0415
    from bot.settings import secrets  # noqa: PLC0415

    settings = loaded.settings
    set_up(settings.log, secrets(settings))
    stop = asyncio.Event()
    with on_end(stop.set):
        async with AsyncExitStack() as stack:
            with opening(settings):
                opened = await stack.enter_async_context(open_demo(loaded))

            async def greet() -> None:
                await _greet(opened, loaded, as_json=as_json)

            await run_until(opened.bot, stop, greet)


async def _greet(opened: "WebBot", loaded: "Loaded", *, as_json: bool) -> None:
    host = loaded.settings.web.host
    address = f"http://{f'[{host}]' if ':' in host else host}:{await opened.gateway.port()}"
    if as_json:
        answer({"address": address})
        return
    say(greeting(address, colour=coloured(sys.stdout)))
    for problem in await opened.house.problems():
        complain(paint(f"✘ {problem} Code cannot run yet; fencepost doctor says more.", "red", on=coloured(sys.stderr)))


def greeting(address: str, *, colour: bool) -> str:
    code = "```python\nprint(6 * 7)\n```"
    waiting = (
        "import json,sys; print([m['id'] for m in json.load(sys.stdin)['messages'] if m['status'] == 'waiting'][-1])"
    )
    find = f"curl -sH 'X-Fencepost-User: lee' {address}/api/channels/data/messages | python3 -c \"{waiting}\""
    return f"""
{paint("Fencepost is at", "bold", on=colour)} {paint(address, "bold", "cyan", on=colour)}

  Open it in a browser: the page shows in four steps how to run, ask, approve and edit.

  Channels general (Python and shell run by themselves), data and ops (everything asks a lead).
  People   ana, bo (members) · lee, kim (leads) · root, rita (admins); X-Fencepost-User says who acts.

The same from a second terminal:

  {_curl("ana", f"{address}/api/channels/general/messages", {"text": code})}

  {_curl("ana", f"{address}/api/channels/data/messages", {"text": code})}
  id=$(sleep 1; {find})
  {_curl("lee", f'{address}/api/messages/"$id"/buttons/approve', {})}

  {_program()} console --channel data     the same in this terminal, without the web
Ctrl-C ends it.
"""


def _program() -> str:
    """How this was called, so that it can be called so again."""
    return sys.argv[0] if sys.argv[0].endswith("/fencepost") else "fencepost"


def _curl(user: str, url: str, body: dict[str, str]) -> str:
    data = shlex.quote(json.dumps(body))
    return f"curl -sH 'X-Fencepost-User: {user}' -H 'Content-Type: application/json' \\\n    {url} -d {data}"
