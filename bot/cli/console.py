"""`fencepost console`: one channel in this terminal, with a bot of its own."""

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, TextIO

from bot.cli.arguments import with_config
from bot.cli.lines import stdin_lines
from bot.cli.machinery import opening, settings_of
from bot.cli.signals import on_end
from bot.cli.terminal import coloured, complain, say
from bot.cli.trouble import DONE

if TYPE_CHECKING:
    from bot.settings import Loaded

CHANNELS = ("general", "data", "ops")
PEOPLE = ("ana", "bo", "lee", "kim", "root", "rita")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--channel", choices=CHANNELS, default="general", help="the channel (default: general)")
    parser.add_argument("--as", dest="acting", choices=PEOPLE, default="ana", help="who you are (default: ana)")
    with_config(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    asyncio.run(_serve(settings_of(args), args.channel, args.acting))
    return DONE


async def _serve(loaded: "Loaded", channel: str, acting: str) -> None:
    from adapters.console.outbound import Ink  # noqa: PLC0415 - brings the whole bot
    from bot.bootstrap.console import Screen, console_folder, open_console  # noqa: PLC0415
    from bot.bootstrap.serving import run_until  # noqa: PLC0415
    from bot.logging import set_up  # noqa: PLC0415
    from bot.settings import secrets  # noqa: PLC0415

    settings = loaded.settings
    interactive = sys.stdin.isatty() and sys.stdout.isatty()
    line = _Line(sys.stdout) if interactive else None
    stop = asyncio.Event()

    def write(text: str) -> None:
        try:
            (line.write if line else say)(text)
        except BrokenPipeError:  # nobody reads any more
            stop.set()

    screen = Screen(
        lines=_text_lines(),
        write=write,
        prompt=line.prompt if line else lambda _: None,
        ink=Ink(colour=coloured(sys.stdout)),
        interactive=interactive,
    )
    with on_end(stop.set):
        async with AsyncExitStack() as stack:
            log = stack.enter_context((console_folder(settings, channel) / "log.jsonl").open("a", encoding="utf-8"))
            set_up(settings.log, secrets(settings), log)
            with opening(settings):
                opened = await stack.enter_async_context(open_console(loaded, channel, acting, screen))
            for problem in await opened.house.problems():
                complain(f"✘ {problem} Code cannot run yet; fencepost doctor says more.")
            if interactive:
                say(f"#{channel}. Paste a fence to run it; /help says what else there is.")

            async def wait() -> None:
                await opened.gateway.finished.wait()
                stop.set()

            await run_until(opened.bot, stop, wait)


async def _text_lines() -> AsyncIterator[str]:
    async for line in stdin_lines():
        yield line.decode(errors="replace").removesuffix("\n").removesuffix("\r")


class _Line:
    """A terminal in which somebody types while the bot writes: what is written goes above the prompt."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._prompt = ""
        self._redraws = False

    def prompt(self, text: str) -> None:
        self._prompt = text
        self._redraw()

    def write(self, line: str) -> None:
        self._stream.write(f"\r\x1b[K{line}\n")
        if not self._redraws:
            self._redraws = True
            asyncio.get_running_loop().call_soon(self._redraw)

    def _redraw(self) -> None:
        self._redraws = False
        self._stream.write(f"\r\x1b[K{self._prompt}")
        self._stream.flush()
