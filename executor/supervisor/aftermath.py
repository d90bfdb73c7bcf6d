"""What is left to do once a program's last process has died: bring changed files out, clear the shared places.

Most programs change no file and leave one directory in /tmp, and a process costs more than to see to that; so it is
first tried at once, and a process of its own (an errand) takes over where there is more to do.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from executor.frames import TO_HOST, FrameReader, Kind, encode
from executor.messages import decode_exit
from executor.supervisor import collect, tidy
from executor.supervisor.errand import Errand
from executor.supervisor.outbox import Lane
from executor.supervisor.surroundings import Surroundings
from executor.supervisor.system import acting_as

_COLLECT_S: Final = 20.0
_TIDY_S: Final = 3.0
_NEVER: Final = float("inf")
_AT_ONCE: Final = 200
"""Entries of a directory that are looked at without an errand: about a millisecond."""


class Aftermath:
    """`then` is called once, when all is done or given up; `tick` is due at `deadline`, which changes.

    `safely` calls a function and deals with what it raises.
    """

    def __init__(
        self, surroundings: Surroundings, uid: int, safely: Callable[..., None], then: Callable[[], None]
    ) -> None:
        self.deadline = _NEVER
        self.artifacts_left = 0
        self._uid = uid
        self._gid = surroundings.config.gid
        self._loop = surroundings.loop
        self._killer = surroundings.killer
        self._workspace = surroundings.workspace
        self._safely = safely
        self._then = then
        self._errand: Errand | None = None
        self._next: Callable[[], None] = then

    def bring_out(self, run: int, order: collect.Order, lane: Lane) -> None:
        """ARTIFACT and DATA into the lane, then `tidy_up`. The errand stops while the lane is full."""
        self._next = self.tidy_up
        if self._nothing_changed(order):
            self._next()
            return
        self._workspace.changed_at = time.monotonic()
        reader = FrameReader(TO_HOST)

        def bring(data: bytes) -> None:
            for frame in reader.feed(data):
                if frame.kind is Kind.EXIT:
                    self.artifacts_left = decode_exit(frame.payload).artifacts_left
                else:
                    lane.put(encode(frame.kind, run, frame.payload))
            if lane.full and self._errand is not None:
                self._errand.pause()

        self._send(lambda pipe: collect.bring_out(run, order, pipe), bring, _COLLECT_S)

    def tidy_up(self) -> None:
        if self._errand is not None:  # which may have changed to whom files belong
            self._workspace.changed_at = time.monotonic()
            self._errand = None
        self._next = self._then
        if self._tidied():
            self._then()
        else:
            self._send(lambda _: _exhaust(tidy.clear(self._uid)), lambda _: None, _TIDY_S)

    def resume(self) -> None:
        if self._errand is not None:
            self._errand.resume()

    def tick(self, now: float) -> None:
        if now >= self.deadline:
            self.hurry()

    def hurry(self) -> None:
        """Give up what is being done and go on with the next."""
        if self._errand is not None:
            self._errand.close()
            self._errand = None
            self._killer.kill(self._uid)
            self._go_on()

    def _nothing_changed(self, order: collect.Order) -> bool:
        with acting_as(self._uid, self._gid), contextlib.closing(collect.changed(order)) as walk:
            files = any(path is not None or seen >= _AT_ONCE for seen, path in enumerate(walk))
            return not files and not collect.any_figures(order.scratch)

    def _tidied(self) -> bool:
        with acting_as(self._uid, self._gid), contextlib.closing(tidy.clear(self._uid)) as steps:
            return not any(hard or seen >= _AT_ONCE for seen, hard in enumerate(steps))

    def _send(self, work: Callable[[int], None], on_data: Callable[[bytes], None], seconds: float) -> None:
        self.deadline = time.monotonic() + seconds
        self._errand = Errand(self._loop, partial(self._safely, on_data), partial(self._safely, self._go_on))
        try:
            self._errand.begin(self._uid, self._gid, work)
        except OSError:
            self._errand = None
            self._go_on()

    def _go_on(self) -> None:
        self.deadline = _NEVER
        self._next()


def _exhaust(steps: Iterator[bool]) -> None:
    for _ in steps:
        pass
