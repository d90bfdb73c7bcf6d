import asyncio

from bot.shell.backoff import Backoff
from bot.shell.clock import ManualClock, SystemClock


async def test_the_systems_clock_sleeps_until_it_is_time() -> None:
    clock = SystemClock()
    at = clock.now() + 0.02
    await clock.sleep_until(at)
    assert at <= clock.now() < at + 5
    await clock.sleep_until(at - 100)


async def test_a_clock_moved_by_hand_wakes_in_order_whoever_is_due() -> None:
    clock = ManualClock(0.0)
    woken: list[float] = []

    async def sleep(at: float) -> None:
        await clock.sleep_until(at)
        woken.append(at)

    tasks = [asyncio.create_task(sleep(at)) for at in (3.0, 1.0, 2.0)]
    await asyncio.sleep(0)
    assert clock.next_wake == 1.0
    clock.advance(0.5)
    await asyncio.sleep(0)
    assert woken == []
    clock.advance(1.5)
    await asyncio.sleep(0)
    assert woken == [1.0, 2.0]
    tasks[0].cancel()
    await asyncio.wait(tasks)
    assert clock.next_wake is None


async def test_patience_doubles_up_to_a_limit_and_yields_to_what_is_asked() -> None:
    clock = ManualClock(0.0)
    backoff = Backoff(clock, first_s=1.0, most_s=4.0)
    waits: list[float] = []
    for asked in (None, None, None, None, 10.0, 0.5):
        began = clock.now()
        task = asyncio.create_task(backoff.wait(asked))
        await asyncio.sleep(0)
        assert clock.next_wake is not None
        clock.advance(clock.next_wake - clock.now())
        await task
        waits.append(clock.now() - began)
    assert waits == [1.0, 2.0, 4.0, 4.0, 10.0, 4.0]
