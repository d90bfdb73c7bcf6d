"""Patience with something that does not answer."""

from bot.ports import Clock


class Backoff:
    """Waits `first_s`, then twice as long each time, up to `most_s`; longer where the other side asks for it."""

    def __init__(self, clock: Clock, first_s: float = 1.0, most_s: float = 60.0) -> None:
        self._clock = clock
        self._wait_s = first_s
        self._most_s = most_s

    async def wait(self, asked_s: float | None = None) -> None:
        wait_s = max(self._wait_s, asked_s or 0.0)
        self._wait_s = min(self._wait_s * 2, self._most_s)
        await self._clock.sleep_until(self._clock.now() + wait_s)
