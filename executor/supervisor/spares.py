"""Who gets which child: runs that wait for one, and spares that wait for a run."""

import time
from collections import deque
from collections.abc import Callable
from typing import Final

from executor.supervisor.nursery import Nursery
from executor.supervisor.spare import Spare

_BURST_S: Final = 0.03
_RETRY_S: Final = 1.0


class Spares:
    """`hand` gives a run its child, or None where there can be none; False: that run needs none any more."""

    def __init__(self, wanted: int, nursery: Nursery, hand: Callable[[int, Spare | None], bool]) -> None:
        self._wanted = wanted
        self._nursery = nursery
        self._hand = hand
        self._waiting: deque[Spare] = deque()
        self._queue: deque[int] = deque()
        self._not_before = 0.0

    def queue(self, run: int) -> None:
        self._queue.append(run)
        self._not_before = time.monotonic() + _BURST_S

    def match(self) -> None:
        """As far as there are spares; others are ordered."""
        while self._queue and self._waiting:
            if self._hand(self._queue.popleft(), self._waiting[0]):
                self._waiting.popleft()
        while self._nursery.ordered < len(self._queue):
            if not self._order():
                self._hand(self._queue.popleft(), None)

    def arrived(self, spare: Spare | None) -> None:
        if spare is not None:
            self._waiting.append(spare)
        elif self._queue:
            self._hand(self._queue.popleft(), None)
        else:
            self._not_before = time.monotonic() + _RETRY_S
        self.match()

    def died(self, pid: int) -> bool:
        """Whether this was a spare, which is then forgotten."""
        for spare in self._waiting:
            if spare.pid == pid:
                self._waiting.remove(spare)
                spare.close()
                return True
        return False

    def hurry(self) -> None:
        """Nothing runs: no need to wait for the end of a burst."""
        self._not_before = min(self._not_before, time.monotonic())

    @property
    def due(self) -> float | None:
        """When to order the next."""
        return self._not_before if len(self._waiting) + self._nursery.ordered < self._wanted else None

    def order_ahead(self, now: float) -> None:
        """While there is nothing else to do."""
        if self.due is not None and now >= self.due and not self._order():
            self._not_before = now + _RETRY_S

    def _order(self) -> bool:
        try:
            self._nursery.order()
        except (OSError, MemoryError):
            return False
        return True
