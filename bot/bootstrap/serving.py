"""Run a bot until it is told to stop."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from bot.shell.lifecycle import Bot


async def run_until(bot: Bot, stop: asyncio.Event, greet: Callable[[], Awaitable[None]]) -> None:
    """Run `bot` and, beside it, `greet`, until `stop` is set; whatever fails first comes out."""
    running = asyncio.create_task(bot.run(), name="bot")
    greeting = asyncio.create_task(_greet(bot, greet), name="greeting")
    stopping = asyncio.create_task(stop.wait(), name="stop")
    try:
        pending = {running, greeting, stopping}
        while stopping in pending and running in pending:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
    finally:
        for task in (greeting, stopping, running):
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(greeting, stopping, running, return_exceptions=True)


async def _greet(bot: Bot, greet: Callable[[], Awaitable[None]]) -> None:
    await bot.started.wait()
    await greet()
