"""One block, from its child to its EXIT.

    starting → running → ending → collecting → tidying → finishing

*Starting*: the child sets itself up and reports; only then is its output read, so STARTED comes first. *Running*: until
the main process ends, a limit is met or the run is cancelled. *Ending*: everything of the uid is killed, round by
round, until the kernel knows no process of it; a background child that holds the output open does not hold the answer.
*Collecting* brings changed files out, *tidying* clears the shared places, *finishing* makes sure of the uid once more.
Nothing here waits: every stage has a moment when it is looked at again (`tick`), and a moment when it has taken too
long. Whatever goes wrong on the way, the end is one EXIT or REFUSED.
"""

import contextlib
import os
import resource
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import partial
from typing import Final

from executor.frames import TO_HOST, Frame, FrameError, FrameReader, Kind, encode
from executor.messages import Exit, Reason, Refused, RefusedError, Started, decode_exit, encode_message
from executor.supervisor import collect, tidy, usage, verdict
from executor.supervisor.child import PYTHON, Job, Report
from executor.supervisor.config import Config
from executor.supervisor.errand import Errand
from executor.supervisor.killing import Killer
from executor.supervisor.launch import Child
from executor.supervisor.loop import Loop
from executor.supervisor.outbox import Outbox
from executor.supervisor.system import acting_as
from executor.types import MIB

_PIECE: Final = 64 * 1024
_SET_UP_S: Final = 10.0
_KILL_S: Final = 5.0
_COLLECT_S: Final = 20.0
_TIDY_S: Final = 3.0
_ROUNDS: Final = 3
_RETRY_S: Final = 0.002
_AT_ONCE: Final = 200
"""Entries of a directory that are looked at without a process of its own: about a millisecond."""


class Stage(Enum):
    STARTING = auto()
    RUNNING = auto()
    ENDING = auto()
    COLLECTING = auto()
    TIDYING = auto()
    FINISHING = auto()
    OVER = auto()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What executions share. `reap` waits for whatever has died, and tells the executions."""

    config: Config
    loop: Loop
    outbox: Outbox
    killer: Killer
    kills: usage.OutOfMemory
    reap: Callable[[], None]


class Execution:
    def __init__(self, number: int, job: Job, child: Child, around: Surroundings) -> None:
        self.number = number
        self.uid = job.uid
        self.pid = child.pid
        self.stage = Stage.STARTING
        start = job.start
        self._known = frozenset([start.filename] if start.filename else [])
        self.start = replace(start, code="", stdin=None, files=())  # the rest is the child's by now
        self._child = child
        self._around = around
        self._lane = around.outbox.lane(self._resume)
        self._errand: Errand | None = None
        self._reader = FrameReader(TO_HOST)
        self._report = Report()
        self._refused: Refused | None = None
        self._reason: Reason | None = None
        self._status: int | None = None
        self._written = 0
        self._tail = b""
        self._cpu_s = 0.0
        self._peak = 0
        self._most_tasks = 0
        self._leftovers = 0
        self._artifacts_left = 0
        self._kills_before = around.kills.count()
        self._began = self._ended = time.monotonic()
        self.due = self._deadline = self._began + _SET_UP_S
        around.loop.when_readable(child.report, partial(self.safely, self._reported))

    # --- what happens to it

    def reaped(self, pid: int, status: int, used: resource.struct_rusage) -> None:
        """A process of its uid has died and was waited for."""
        self._cpu_s += used.ru_utime + used.ru_stime
        self._peak = max(self._peak, self._own_peak(used.ru_maxrss * usage.KIB))
        if pid == self.pid:
            self._status = status
            self._ended = time.monotonic()
            if self.stage is Stage.STARTING:
                self._reported()
            if self.stage in {Stage.STARTING, Stage.RUNNING}:
                self._end(None)
        elif self.stage is Stage.ENDING:
            self._leftovers += 1
        self.due = min(self.due, time.monotonic())

    def cancel(self) -> None:
        if self.stage in {Stage.STARTING, Stage.RUNNING}:
            self._end("cancelled")
        elif self.stage is Stage.COLLECTING and self._errand is not None:
            self._errand.close()
            self._tidy()

    def safely(self, step: Callable[..., None], *arguments: object) -> None:
        """A fault of ours in one execution must not end the others."""
        try:
            step(*arguments)
        except Exception:  # noqa: BLE001 - the supervisor has to live on
            self._fail(traceback.format_exc(limit=-5))

    def _fail(self, text: str) -> None:
        """End it at once, and have the sandbox replaced."""
        if self.stage is Stage.OVER:
            return
        self._around.outbox.put(encode(Kind.LOG, self.number, text.encode("utf-8", "replace")[:_PIECE]))
        with contextlib.suppress(OSError):
            self._around.killer.kill(self.uid)
        self._reason = "stuck"
        self._close_streams()
        self._send_end()

    def tick(self, now: float) -> None:
        """Do what is due; `due` says when to come again."""
        if now >= self.due:
            match self.stage:
                case Stage.STARTING:
                    self._refuse("resources", "the program was not set up in time")
                case Stage.RUNNING if now >= self._deadline:
                    self._look(now)
                    self._end("timeout")
                case Stage.RUNNING:
                    self._look(now)
                case Stage.ENDING | Stage.FINISHING:
                    self._kill()
                case Stage.COLLECTING | Stage.TIDYING if now >= self._deadline:
                    self._give_errand_up()
                case _:
                    self.due = self._deadline

    # --- starting

    def _reported(self) -> None:
        try:
            data = os.read(self._child.report, _PIECE)
        except BlockingIOError:
            return
        self._around.loop.forget(self._child.report)
        if not data:
            self._refuse("resources", "the program's process ended while it was being set up")
            return
        self._report = Report.decode(data)
        if self._report.error is not None:
            self._refuse(self._report.error, self._report.text)
            return
        self.stage = Stage.RUNNING
        self._lane.put(encode(Kind.STARTED, self.number, encode_message(Started(self.pid))))
        self._began = now = time.monotonic()
        self._deadline = now + self.start.limits.timeout_s
        self.due = min(self._deadline, now + usage.pause(0, 0))
        self._resume()

    def _refuse(self, error: RefusedError, text: str) -> None:
        self._refused = Refused(error, text)
        self._end(None)

    # --- running

    def _own_peak(self, peak: int) -> int:
        """Of one process. The kernel counts what it had of the supervisor's memory before it became a program, too."""
        inherited = self._report.resident_bytes
        if self._in_process:
            return max(0, peak - inherited)
        return peak if peak > inherited + MIB else 0

    @property
    def _in_process(self) -> bool:
        return self.start.language == PYTHON

    def _resume(self) -> None:
        if self.stage is Stage.RUNNING:
            for descriptor, kind in ((self._child.stdout, Kind.STDOUT), (self._child.stderr, Kind.STDERR)):
                self._around.loop.forget(descriptor)
                self._around.loop.when_readable(descriptor, partial(self.safely, self._read, descriptor, kind))
        elif self._errand is not None:
            self._errand.resume()

    def _read(self, descriptor: int, kind: Kind) -> None:
        if not self._pass_on(descriptor, kind):
            self._around.loop.forget(descriptor)
        elif self._written > self.start.limits.file_output_bytes:
            self._end("output")
        elif self._lane.full:
            self._around.loop.forget(self._child.stdout)
            self._around.loop.forget(self._child.stderr)

    def _pass_on(self, descriptor: int, kind: Kind) -> bool:
        """One piece of output; whether there may be more."""
        try:
            data = os.read(descriptor, _PIECE)
        except BlockingIOError:
            return self.stage is Stage.RUNNING
        room = self.start.limits.file_output_bytes - self._written
        self._written += len(data)
        if kind is Kind.STDERR:
            self._tail = (self._tail + data)[-verdict.TAIL_BYTES :]
        if data and room > 0:
            self._lane.put(encode(kind, self.number, data[:room]))
        return bool(data)

    def _look(self, now: float) -> None:
        seen = usage.look(self.uid)
        limit = self.start.limits.memory_mb * MIB
        self._most_tasks = max(self._most_tasks, seen.tasks)
        inherited = self._report.resident_bytes if self._in_process else 0
        used = seen.own(inherited)
        if seen.resident > limit:
            shared = usage.proportional(seen, self.uid, self._around.config.gid)
            used = shared if len(seen.processes) > 1 else used
            if used > limit:
                self._peak = max(self._peak, used)
                self._end("memory")
                return
        self._peak = max(self._peak, used)
        self.due = min(self._deadline, now + usage.pause(limit - used, time.monotonic() - now))

    # --- ending

    def _end(self, reason: Reason | None) -> None:
        self._reason = self._reason or reason
        self.stage = Stage.ENDING
        for descriptor in (self._child.report, self._child.stdout, self._child.stderr):
            self._around.loop.forget(descriptor)
        if self._status is not None and self._around.killer.alive(self.uid):
            self._most_tasks = max(self._most_tasks, 1 + usage.look(self.uid).tasks)
        self._deadline = time.monotonic() + _KILL_S
        self._kill()

    def _kill(self) -> None:
        """A few rounds; dying takes a moment, and those that we wait for wake us."""
        for _ in range(_ROUNDS):
            if not self._around.killer.alive(self.uid):
                self._gone()
                return
            self._around.killer.kill(self.uid)
            self._around.reap()
        now = time.monotonic()
        if now >= self._deadline:
            self._reason = "stuck"
            self._gone()
        else:
            self.due = now + _RETRY_S

    def _gone(self) -> None:
        """No process of the uid is left (or none that can be helped)."""
        if self.stage is Stage.FINISHING or self._reason == "stuck":
            self._close_streams()
            self._send_end()
            return
        for descriptor, kind in ((self._child.stdout, Kind.STDOUT), (self._child.stderr, Kind.STDERR)):
            while self._pass_on(descriptor, kind):
                pass
        if self._reason is None and self._written > self.start.limits.file_output_bytes:
            self._reason = "output"
        self._close_streams()
        self._most_tasks = max(self._most_tasks, self._leftovers + 1)
        wanted = self.start.collect and self._refused is None and self._reason != "cancelled"
        if wanted and self.start.workspace == "rw":
            self._collect()
        else:
            self._tidy()

    def _close_streams(self) -> None:
        for descriptor in (self._child.report, self._child.stdout, self._child.stderr):
            self._around.loop.forget(descriptor)
            with contextlib.suppress(OSError):
                os.close(descriptor)
        self._child = replace(self._child, report=-1, stdout=-1, stderr=-1)

    # --- collecting

    def _collect(self) -> None:
        self.stage = Stage.COLLECTING
        order = collect.Order(self._around.config.workspace, self._report.stamp, self._known, self.start.limits)
        if self._nothing_changed(order):
            self._tidy()
        else:
            self._send_errand(lambda pipe: collect.bring_out(self.number, order, pipe), _COLLECT_S)

    def _nothing_changed(self, order: collect.Order) -> bool:
        with acting_as(self.uid, self._around.config.gid), contextlib.closing(collect.changed(order)) as walk:
            for seen, path in enumerate(walk):
                if path is not None or seen >= _AT_ONCE:
                    return False
        return True

    def _brought(self, data: bytes) -> None:
        try:
            frames = self._reader.feed(data)
        except FrameError:
            return
        for frame in frames:
            self._bring(frame)
        if self._lane.full and self._errand is not None:
            self._errand.pause()

    def _bring(self, frame: Frame) -> None:
        if frame.kind is Kind.EXIT:
            self._artifacts_left = decode_exit(frame.payload).artifacts_left
        else:
            self._lane.put(encode(frame.kind, self.number, frame.payload))

    # --- tidying and finishing

    def _tidy(self) -> None:
        self.stage = Stage.TIDYING
        self._errand = None
        if self._tidied():
            self._finish()
        else:
            self._send_errand(lambda _: _exhaust(tidy.clear(self.uid)), _TIDY_S)

    def _tidied(self) -> bool:
        with acting_as(self.uid, self._around.config.gid), contextlib.closing(tidy.clear(self.uid)) as steps:
            return not any(hard or seen >= _AT_ONCE for seen, hard in enumerate(steps))

    def _finish(self) -> None:
        self.stage = Stage.FINISHING
        self._deadline = time.monotonic() + _KILL_S
        self._kill()

    def _send_errand(self, work: Callable[[int], None], seconds: float) -> None:
        self._deadline = self.due = time.monotonic() + seconds
        self._errand = Errand(
            self._around.loop, partial(self.safely, self._brought), partial(self.safely, self._errand_ended)
        )
        try:
            self._errand.begin(self.uid, self._around.config.gid, work)
        except OSError:
            self._errand_ended()

    def _errand_ended(self) -> None:
        if self.stage is Stage.COLLECTING:
            self._tidy()
        elif self.stage is Stage.TIDYING:
            self._finish()

    def _give_errand_up(self) -> None:
        if self._errand is not None:
            self._errand.close()
        self._around.killer.kill(self.uid)
        self._errand_ended()

    def _send_end(self) -> None:
        self.stage = Stage.OVER
        if self._refused is not None and self._reason != "stuck":
            self._lane.put(encode(Kind.REFUSED, self.number, encode_message(self._refused)))
        else:
            self._lane.put(encode(Kind.EXIT, self.number, encode_message(self._exit())))
        self._lane.close()

    def _exit(self) -> Exit:
        code = None if self._status is None else os.waitstatus_to_exitcode(self._status)
        exit_code = code if code is not None and code >= 0 else None
        signal = -code if code is not None and code < 0 else None
        seen = verdict.Seen(
            self._reason,
            exit_code,
            signal,
            self._most_tasks,
            self.start.limits.processes,
            self._around.kills.count() > self._kills_before if code else False,
            self._tail,
        )
        return Exit(
            exit_code,
            signal,
            verdict.reason(seen),
            round((self._ended - self._began) * 1000, 3),
            round(self._cpu_s * 1000, 3),
            self._peak,
            self._written,
            self._leftovers,
            self._artifacts_left,
        )


def _exhaust(steps: Iterator[bool]) -> None:
    for _ in steps:
        pass
