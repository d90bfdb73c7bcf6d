"""Run a bot until it is told to stop."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol


class Runs(Protocol):
    """Of `bot.shell.lifecycle.Bot`."""

    started: asyncio.Event

    async def run(self) -> None: ...


async def run_until(bot: Runs, stop: asyncio.Event, greet: Callable[[], Awaitable[None]]) -> None:
    """Run `bot` and, once it has started, `greet`, until `stop` is set; whatever fails first comes out."""
    running = asyncio.create_task(bot.run(), name="bot")
    greeting = asyncio.create_task(_greet(bot, greet), name="greeting")
    stopping = asyncio.create_task(stop.wait(), name="stop")
    pending = {running, greeting, stopping}
    try:
        while stopping in pending and running in pending:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
    finally:
        for task in (greeting, stopping, running):
            task.cancel()
        await asyncio.gather(greeting, stopping, running, return_exceptions=True)


async def _greet(bot: Runs, greet: Callable[[], Awaitable[None]]) -> None:
    await bot.started.wait()
    await greet()
