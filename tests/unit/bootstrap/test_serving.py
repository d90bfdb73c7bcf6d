import asyncio

import pytest

from bot.bootstrap.serving import run_until


class Bot:
    def __init__(self, failure: Exception | None = None) -> None:
        self.started = asyncio.Event()
        self.failure = failure
        self.ended_in_order = False

    async def run(self) -> None:
        self.started.set()
        try:
            if self.failure is not None:
                raise self.failure
            await asyncio.Event().wait()
        finally:
            self.ended_in_order = True


async def test_it_runs_and_greets_until_it_is_told_to_stop() -> None:
    bot, stop, greeted = Bot(), asyncio.Event(), asyncio.Event()

    async def greet() -> None:
        assert bot.started.is_set()
        greeted.set()

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        running = group.create_task(run_until(bot, stop, greet))
        await greeted.wait()
        assert not running.done()
        stop.set()
    assert bot.ended_in_order


async def test_a_bot_that_fails_ends_it() -> None:
    async def greet() -> None:
        await asyncio.Event().wait()

    async with asyncio.timeout(5):
        with pytest.raises(OSError, match="no"):
            await run_until(Bot(OSError("no")), asyncio.Event(), greet)


async def test_a_greeting_that_fails_ends_the_bot() -> None:
    bot = Bot()

    async def greet() -> None:
        raise OSError("no")

    async with asyncio.timeout(5):
        with pytest.raises(OSError, match="no"):
            await run_until(bot, asyncio.Event(), greet)
    assert bot.ended_in_order


async def test_whoever_cancels_it_ends_the_bot() -> None:
    bot = Bot()

    async def greet() -> None:
        return

    running = asyncio.create_task(run_until(bot, asyncio.Event(), greet))
    await bot.started.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert bot.ended_in_order
