"""Sees to a SAVE or LAY: one at a time, by an errand, without holding up the executions.

What goes to the errand and what comes from it waits in neither direction: a piece that the errand has not taken in yet
is kept and not answered with MORE, and the errand is not read from while the host has not answered for `WINDOW` pieces.
"""

import contextlib
import os
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from executor.frames import TO_HOST, WINDOW, Frame, FrameReader, Kind, encode
from executor.messages import (
    UNKNOWN,
    Kept,
    Lay,
    MessageError,
    Refused,
    decode_kept,
    decode_lay,
    decode_save,
    encode_message,
)
from executor.supervisor import archivist, layout
from executor.supervisor.errand import SOURCE, Errand
from executor.supervisor.identities import Identities
from executor.supervisor.outbox import Lane
from executor.supervisor.surroundings import Surroundings

_LONGEST_S: Final = 60.0


@dataclass(slots=True)
class _Job:
    run: int
    lane: Lane
    errand: Errand
    reader: FrameReader
    deadline: float
    lays: str | None  # the generation
    open: int = 0  # pieces on their way that the host has not answered
    sink: int = -1
    ended: bool = False
    kept: Kept | None = None
    pieces: deque[memoryview] = field(default_factory=deque)


class Clerk:
    """`generations` is what READY says of the workspace."""

    def __init__(self, around: Surroundings, identities: Identities) -> None:
        self.generations: tuple[str, ...] = ()
        self._around = around
        self._identities = identities
        self._job: _Job | None = None

    def used(self) -> None:
        """Something runs: from now on nothing can be laid out."""
        if not self.generations:
            self.generations = (UNKNOWN,)

    @property
    def due(self) -> float | None:
        return None if self._job is None else self._job.deadline

    def tick(self, now: float) -> None:
        if self._job is not None and now >= self._job.deadline:
            self._end(self._job, Kept(error="it took too long", complete=False))

    def stop(self, run: int | None = None) -> None:
        """A CANCEL of `run`, or another host."""
        if self._job is not None and run in {None, self._job.run}:
            self._end(self._job, Kept(error="it was cancelled", complete=False))

    def save(self, frame: Frame, mark: bytes) -> None:
        try:
            order = decode_save(frame.payload)
        except MessageError as error:
            self._refuse(frame.run, str(error))
            return
        if self._job is not None:
            self._refuse(frame.run, "another one is under way")
            return
        self.generations = (order.base, order.next)
        config = self._around.config
        walk = archivist.Order(order, mark, config.workspace, config.gid, self._identities.names)
        self._begin(frame.run, partial(archivist.bring_out, frame.run, walk), None)

    def lay(self, frame: Frame) -> None:
        try:
            order = decode_lay(frame.payload)
        except MessageError as error:
            self._refuse(frame.run, str(error))
            return
        if self._job is not None or self.generations:
            self._refuse(frame.run, "the workspace is in use")
        elif not order.entries:
            self.generations = (order.generation,)
            self._around.outbox.put(encode(Kind.KEPT, frame.run, encode_message(Kept())))
        else:
            self.generations = (UNKNOWN,)
            self._lay(frame.run, order)

    def _lay(self, run: int, order: Lay) -> None:
        config = self._around.config
        # Owners of old files leave uids for those who come; beyond that, files belong to nobody in particular.
        owners = {name: self._identities.of(name) for name in order.owners[: config.uids // 2] if name}
        uids = {name: uid for name, uid in owners.items() if uid is not None} | {"": config.killer_uid}
        reading, writing = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(writing, False)
        try:
            work = partial(layout.lay, run, layout.Order(config.workspace, config.gid, uids), SOURCE)
            self._begin(run, work, order.generation, reading, writing)
        finally:
            os.close(reading)

    def _begin(
        self, run: int, work: Callable[[int], None], lays: str | None, source: int | None = None, sink: int = -1
    ) -> None:
        lane = self._around.outbox.lane(self._resume)
        errand = Errand(self._around.loop, self._came, self._errand_ended)
        deadline = time.monotonic() + _LONGEST_S
        self._job = _Job(run, lane, errand, FrameReader(TO_HOST), deadline, lays, sink=sink)
        try:
            errand.begin(0, self._around.config.gid, work, source)
        except OSError as error:
            self._end(self._job, Kept(error=f"no process for it: {error}", complete=False))

    # --- from the errand to the host

    def _came(self, data: bytes) -> None:
        if (job := self._job) is None:
            return
        for frame in job.reader.feed(data):
            if frame.kind is Kind.KEPT:
                job.kept = decode_kept(frame.payload)
            else:
                job.lane.put(encode(frame.kind, job.run, frame.payload))
                job.open += 1
        if job.open >= WINDOW or job.lane.full:
            job.errand.pause()

    def _resume(self) -> None:
        if (job := self._job) is not None and job.open < WINDOW and not job.lane.full:
            job.errand.resume()

    def more(self, run: int) -> None:
        if (job := self._job) is not None and job.run == run:
            job.open -= 1
            self._resume()

    def _errand_ended(self) -> None:
        if (job := self._job) is not None:
            self._end(job, job.kept or Kept(error="its process ended", complete=False))

    # --- from the host to the errand

    def feed(self, frame: Frame) -> bool:
        """Whether it is a piece of a workspace that is being laid out."""
        job = self._job
        if job is None or job.run != frame.run or job.lays is None:
            return False
        if frame.payload:
            job.pieces.append(memoryview(frame.payload))
        else:
            job.ended = True
        self._pass_on()
        return True

    def _pass_on(self) -> None:
        job = self._job
        if job is None or job.sink < 0:
            return
        self._around.loop.forget(job.sink)
        try:
            while job.pieces:
                rest = job.pieces[0][os.write(job.sink, job.pieces[0]) :]
                if rest:
                    job.pieces[0] = rest
                else:
                    job.pieces.popleft()
                    self._around.outbox.put(encode(Kind.MORE, job.run))
        except BlockingIOError:
            self._around.loop.when_writable(job.sink, self._pass_on)
        except BrokenPipeError:
            job.pieces.clear()  # it has ended, and its end says why
        else:
            if job.ended:
                os.close(job.sink)
                job.sink = -1

    # --- the end

    def _end(self, job: _Job, kept: Kept) -> None:
        self._job = None
        job.errand.kill()
        if job.sink >= 0:
            self._around.loop.forget(job.sink)
            with contextlib.suppress(OSError):
                os.close(job.sink)
        if job.lays is not None:
            self._around.workspace.changed_at = time.monotonic()
            if not kept.error:
                self.generations = (job.lays,)
        job.lane.put(encode(Kind.KEPT, job.run, encode_message(kept)))
        job.lane.close()

    def _refuse(self, run: int, text: str) -> None:
        self._around.outbox.put(encode(Kind.REFUSED, run, encode_message(Refused("busy", text))))
