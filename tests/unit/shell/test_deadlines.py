import asyncio

from bot.core.events import AnyEvent, DeadlinePassed
from bot.core.keys import ChannelKey
from bot.core.replies import Reply
from bot.shell.clock import ManualClock
from bot.shell.deadlines import AGAIN_S, FAILED_AGAIN_S, Deadlines
from bot.shell.mailbox import StepFailed
from tests.unit.shell.world import CHANNEL, OTHER, until


class Heard:
    """Takes what the deadlines say, and arms the next one as a mailbox does."""

    def __init__(self) -> None:
        self.clock = ManualClock(1000.0)
        self.events: list[AnyEvent] = []
        self.next: dict[ChannelKey, float | None] = {}
        self.failures: list[StepFailed] = []
        self.deadlines = Deadlines(self.clock, self.deliver)

    async def deliver(self, event: AnyEvent) -> tuple[Reply, ...]:
        self.events.append(event)
        if self.failures:
            raise self.failures.pop()
        self.deadlines.arm(event.channel, self.next.get(event.channel))
        return ()

    async def pass_time(self, seconds: float) -> list[AnyEvent]:
        await asyncio.sleep(0)
        self.clock.advance(seconds)
        for _ in range(5):
            await asyncio.sleep(0)
        heard, self.events = self.events, []
        return heard


async def test_a_deadline_is_announced_once_and_in_time() -> None:
    heard = Heard()
    async with heard.deadlines.open() as deadlines:
        deadlines.arm(CHANNEL, 1010.0)
        assert await heard.pass_time(9.9) == []
        [event] = await heard.pass_time(0.1)
        assert isinstance(event, DeadlinePassed)
        assert (event.channel, event.at) == (CHANNEL, 1010.0)
        assert await heard.pass_time(100) == []


async def test_ids_are_never_the_same() -> None:
    heard = Heard()
    async with heard.deadlines.open() as deadlines:
        deadlines.arm(CHANNEL, 1001.0)
        deadlines.arm(OTHER, 1001.0)
        events = await heard.pass_time(1)
    assert len({event.id for event in events}) == 2


async def test_a_channel_has_one_timer_and_the_last_word_counts() -> None:
    heard = Heard()
    async with heard.deadlines.open() as deadlines:
        deadlines.arm(CHANNEL, 1001.0)
        deadlines.arm(CHANNEL, 1005.0)
        assert await heard.pass_time(4) == []
        deadlines.arm(CHANNEL, 1004.5)
        assert len(await heard.pass_time(0.5)) == 1
        deadlines.arm(CHANNEL, 1009.0)
        deadlines.arm(CHANNEL, None)
        assert await heard.pass_time(100) == []


async def test_a_deadline_that_is_past_already_is_announced_at_once() -> None:
    heard = Heard()
    async with heard.deadlines.open() as deadlines:
        deadlines.arm(CHANNEL, 900.0)
        [event] = await heard.pass_time(0)
        assert event.at == 1000.0


async def test_one_that_stays_after_it_has_passed_is_not_announced_all_the_time() -> None:
    heard = Heard()
    heard.next[CHANNEL] = 1001.0
    async with heard.deadlines.open() as deadlines:
        deadlines.arm(CHANNEL, 1001.0)
        assert len(await heard.pass_time(1)) == 1
        deadlines.arm(CHANNEL, 1001.0)
        assert await heard.pass_time(AGAIN_S * 0.9) == []
        deadlines.arm(CHANNEL, 1001.0)
        assert len(await heard.pass_time(AGAIN_S * 0.1 + 0.001)) == 1


async def test_one_that_could_not_be_stepped_comes_again() -> None:
    heard = Heard()
    heard.failures.append(StepFailed("abc", again=True))
    async with heard.deadlines.open() as deadlines:
        deadlines.arm(CHANNEL, 1001.0)
        assert len(await heard.pass_time(1)) == 1
        assert await heard.pass_time(FAILED_AGAIN_S - 1) == []
        assert len(await heard.pass_time(1)) == 1


async def test_before_and_after_it_is_open_nothing_is_armed() -> None:
    heard = Heard()
    heard.deadlines.arm(CHANNEL, 1001.0)
    async with heard.deadlines.open() as deadlines:
        deadlines.arm(OTHER, 2000.0)
    deadlines.arm(CHANNEL, 1001.0)
    assert await heard.pass_time(5000) == []
    await until(lambda: True)
