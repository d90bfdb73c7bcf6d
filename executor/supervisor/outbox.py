"""The stream to the host: bounded, and fair between runs.

Each run has a lane of its own. The writer takes one frame of each lane in turn, so a program that floods its lane
delays nobody else by more than a frame, and a full lane stops the reading of its own program only. How much is
buffered at most follows from the lanes' size, not from what programs do or how slowly the host reads.
"""

import os
from collections import deque
from collections.abc import Callable
from typing import Final

from executor.supervisor.loop import Loop

LANE_BYTES: Final = 256 * 1024
_WRITE_BYTES: Final = 64 * 1024


class Lane:
    """Frames of one run, in order. `resume` is called when there is room again after it was full."""

    def __init__(self, resume: Callable[[], None]) -> None:
        self._frames: deque[bytes] = deque()
        self._size = 0
        self._resume = resume
        self._stopped = False
        self.closed = False

    def put(self, frame: bytes) -> None:
        self._frames.append(frame)
        self._size += len(frame)

    @property
    def full(self) -> bool:
        """Whoever sees True stops, and is resumed."""
        self._stopped = self._size >= LANE_BYTES
        return self._stopped

    def close(self) -> None:
        """Nothing more will be put into it; what is in it still goes out."""
        self.closed = True

    def take(self) -> bytes | None:
        if not self._frames:
            return None
        frame = self._frames.popleft()
        self._size -= len(frame)
        return frame

    def drop(self) -> None:
        self._frames.clear()
        self._size = 0

    def relieve(self) -> None:
        if self._stopped and self._size < LANE_BYTES // 2:
            self._stopped = False
            self._resume()


class Outbox:
    def __init__(self, loop: Loop, descriptor: int) -> None:
        self._loop = loop
        self._descriptor = descriptor
        self._lanes: deque[Lane] = deque()
        self._urgent = Lane(lambda: None)
        self._writing = memoryview(b"")
        self._waiting = False

    def lane(self, resume: Callable[[], None]) -> Lane:
        lane = Lane(resume)
        self._lanes.append(lane)
        return lane

    def put(self, frame: bytes) -> None:
        """Ahead of the lanes."""
        self._urgent.put(frame)

    def restart(self, beginning: bytes) -> None:
        """A new host: what was meant for the last one is dropped, half a frame included."""
        for lane in (self._urgent, *self._lanes):
            lane.drop()
        self._writing = memoryview(beginning)

    def flush(self) -> None:
        """Write as much as goes without waiting; the rest follows when the stream takes it.

        OSError: there is nobody at the other end, and never will be.
        """
        while self._writing or self._fill():
            try:
                self._writing = self._writing[os.write(self._descriptor, self._writing) :]
            except BlockingIOError:
                if not self._waiting:
                    self._waiting = True
                    self._loop.when_writable(self._descriptor, self._again)
                break
        for lane in tuple(self._lanes):
            lane.relieve()

    def _again(self) -> None:
        self._waiting = False
        self._loop.forget(self._descriptor)
        self.flush()

    def _fill(self) -> bool:
        parts: list[bytes] = []
        size = 0
        while size < _WRITE_BYTES and (frame := self._next()) is not None:
            parts.append(frame)
            size += len(frame)
        self._writing = memoryview(b"".join(parts))
        return bool(parts)

    def _next(self) -> bytes | None:
        if (frame := self._urgent.take()) is not None:
            return frame
        for _ in range(len(self._lanes)):
            lane = self._lanes.popleft()
            frame = lane.take()
            if frame is not None or not lane.closed:
                self._lanes.append(lane)
            if frame is not None:
                return frame
        return None
