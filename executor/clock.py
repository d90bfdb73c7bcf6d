"""Time as an input."""

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    def now(self) -> float:
        """Seconds that only ever grow."""
        ...

    async def wait(self, event: asyncio.Event, timeout_s: float | None) -> None:
        """Return once the event is set, or after so long."""
        ...


class MonotonicClock:
    """The machine's."""

    def now(self) -> float:
        return time.monotonic()

    async def wait(self, event: asyncio.Event, timeout_s: float | None) -> None:
        try:
            async with asyncio.timeout(timeout_s):
                await event.wait()
        except TimeoutError:
            return
