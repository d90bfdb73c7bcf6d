"""Time: the system's, and one that tests move by hand."""

import asyncio
import heapq
import itertools
import time


class SystemClock:
    """`bot.ports.Clock`. Sleeps are re-measured, so a suspended machine wakes up on time and not late."""

    LONGEST_NAP_S = 60.0

    def now(self) -> float:
        return time.time()

    async def sleep_until(self, at: float) -> None:
        while (left := at - self.now()) > 0:  # noqa: ASYNC110 - there is no event to wait for: this is the time itself
            await asyncio.sleep(min(left, self.LONGEST_NAP_S))


class ManualClock:
    """`bot.ports.Clock` that stands still until `advance`."""

    def __init__(self, start: float = 1_700_000_000.0) -> None:
        self._now = start
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._number = itertools.count()

    def now(self) -> float:
        return self._now

    async def sleep_until(self, at: float) -> None:
        if at <= self._now:
            await asyncio.sleep(0)
            return
        wake = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (at, next(self._number), wake))
        await wake

    @property
    def next_wake(self) -> float | None:
        """When the first sleeper wants to be woken."""
        awake = [at for at, _, wake in self._sleepers if not wake.done()]
        return min(awake, default=None)

    def advance(self, seconds: float) -> None:
        """Move on and wake whoever's time has come; they run once the caller awaits."""
        self._now += seconds
        while self._sleepers and self._sleepers[0][0] <= self._now:
            wake = heapq.heappop(self._sleepers)[2]
            if not wake.done():
                wake.set_result(None)
