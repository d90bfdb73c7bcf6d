"""One block, from its admission to its EXIT.

    waiting → starting → running → ending → clearing → finishing → over

*Waiting*: for a child, mostly not at all. *Starting*: the child sets itself up and reports; only then is its output
read, so STARTED comes first. *Running*: until the main process ends, a limit is met or the run is cancelled. *Ending*:
everything of the uid is killed, round by round, until the kernel knows no process of it; a background child that holds
the output open does not hold the answer. *Clearing* brings changed files out and clears the shared places, *finishing*
makes sure of the uid once more.

Nothing here waits: every stage has a moment when it is looked at again (`due`, `tick`), and one when it has taken too
long. Whatever goes wrong on the way, the end is one EXIT or REFUSED.
"""

import contextlib
import os
import secrets
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from enum import Enum, auto
from functools import partial
from typing import Final

from executor.frames import Kind, encode
from executor.messages import Reason, Refused, RefusedError, Started, encode_message
from executor.supervisor import collect, lastvalue
from executor.supervisor.aftermath import Aftermath
from executor.supervisor.child import PYTHON, TEMPORARY, Report
from executor.supervisor.collect import Order
from executor.supervisor.deaths import Used
from executor.supervisor.requests import Request
from executor.supervisor.spare import Spare
from executor.supervisor.surroundings import Surroundings
from executor.supervisor.system import acting_as
from executor.supervisor.tally import Tally

_PIECE: Final = 64 * 1024
_FIRST_LOOK_S: Final = 0.004
_SET_UP_S: Final = 10.0
_KILL_S: Final = 5.0
_VALUE_BYTES: Final = 64 * 1024
_ROUNDS: Final = 3
_RETRY_S: Final = 0.002
_SETTLED_S: Final = 0.02  # ticks of the clock of file times are shorter


class Stage(Enum):
    WAITING = auto()
    STARTING = auto()
    RUNNING = auto()
    ENDING = auto()
    CLEARING = auto()
    FINISHING = auto()
    OVER = auto()


class Execution:
    def __init__(self, number: int, request: Request, uid: int, around: Surroundings) -> None:
        self.number = number
        self.uid = uid
        self.pid = 0
        self.start = replace(request.start, code="", stdin=None, files=())
        self.stage = Stage.WAITING
        self._request: Request | None = request  # until the child has it
        self._spare: Spare | None = None
        self._attempts = 0
        self._scratch = ""
        self._value: str | None = None
        self._around = around
        self._lane = around.outbox.lane(partial(self.safely, self._resume))
        self._tally = Tally(self.start.limits, around.kills, in_process=self.start.language == PYTHON)
        self._aftermath = Aftermath(around, uid, self.safely, self._finish)
        self._refused: Refused | None = None
        self._reason: Reason | None = None
        self._status: int | None = None
        self._began = self._ended = time.monotonic()
        self.due = self._deadline = self._began + _SET_UP_S

    # --- what happens to it

    def safely(self, step: Callable[..., None], *arguments: object) -> None:
        """A fault of ours in one execution must not end the others."""
        try:
            step(*arguments)
        except Exception:  # noqa: BLE001 - the supervisor has to live on
            self._fail(traceback.format_exc(limit=-5))

    def take(self, spare: Spare) -> None:
        """Become a program in this child, or wait for another if it has died."""
        if self._request is None:
            raise RuntimeError("a program has its child already")
        self._scratch = f"{TEMPORARY}/{secrets.token_hex(4)}"
        try:
            settled = time.monotonic() - self._around.workspace.changed_at > _SETTLED_S
            spare.give(self._request, self.uid, self._scratch, settled=settled)
        except (BrokenPipeError, ConnectionResetError):
            spare.close()
            self._around.queue(self.number)
        except (OSError, MemoryError) as error:
            spare.close()
            self.refuse("resources", f"the program could not be handed over: {error}")
        else:
            self.pid, self._spare = spare.pid, spare
            self.stage = Stage.STARTING
            self._around.loop.when_readable(spare.ends.report, partial(self.safely, self._reported))

    def reaped(self, pid: int, status: int, used: Used) -> None:
        """A process of its uid has died and was waited for."""
        if self.stage in {Stage.STARTING, Stage.RUNNING, Stage.ENDING}:
            self._tally.died(used)
        if pid == self.pid:
            self._status = status
            self._ended = time.monotonic()
            if self.stage is Stage.STARTING:
                self._reported()
            if self.stage in {Stage.STARTING, Stage.RUNNING}:
                self._end(None)
        elif self.stage is Stage.ENDING:
            self._tally.leftovers += 1
        if self.stage in {Stage.ENDING, Stage.FINISHING}:
            self.due = 0.0

    def cancel(self) -> None:
        if self.stage in {Stage.WAITING, Stage.STARTING, Stage.RUNNING}:
            self._end("cancelled")
        elif self.stage is Stage.CLEARING:
            self._aftermath.hurry()

    def tick(self, now: float) -> None:
        """Do what is due; `due` says when to come again."""
        if now < self.due:
            return
        match self.stage:
            case Stage.WAITING | Stage.STARTING:
                self.refuse("resources", "the program was not set up in time")
            case Stage.RUNNING:
                self._look(now)
            case Stage.ENDING | Stage.FINISHING:
                self._kill()
            case Stage.CLEARING:
                self._aftermath.tick(now)
                self._until_clear()
            case Stage.OVER:
                pass

    # --- starting

    def refuse(self, error: RefusedError, text: str) -> None:
        self._refused = Refused(error, text)
        self._end(None)

    def _reported(self) -> None:
        if self._spare is None:
            return
        try:
            data = os.read(self._spare.ends.report, _PIECE)
        except BlockingIOError:
            return
        self._around.loop.forget(self._spare.ends.report)
        if data:
            self._begin(Report.decode(data))
        elif self._attempts:
            self.refuse("resources", "the program's process ended while it was set up")
        else:
            self._attempts += 1
            self._close()
            self.pid, self._status = 0, None
            self.stage = Stage.WAITING
            self._around.queue(self.number)

    def _begin(self, report: Report) -> None:
        if report.error is not None:
            self.refuse(report.error, report.text)
            return
        self._request = None
        self._tally.report = report
        self.stage = Stage.RUNNING
        self._lane.put(encode(Kind.STARTED, self.number, encode_message(Started(self.pid))))
        self._began = now = time.monotonic()
        self._deadline = now + self.start.limits.timeout_s
        self.due = min(self._deadline, now + _FIRST_LOOK_S)
        self._resume()

    # --- running

    @property
    def _outputs(self) -> tuple[tuple[int, Kind], ...]:
        return (
            ()
            if self._spare is None
            else ((self._spare.ends.stdout, Kind.STDOUT), (self._spare.ends.stderr, Kind.STDERR))
        )

    def _resume(self) -> None:
        if self.stage is Stage.RUNNING:
            for descriptor, kind in self._outputs:
                self._around.loop.forget(descriptor)
                self._around.loop.when_readable(descriptor, partial(self.safely, self._read, descriptor, kind))
        elif self.stage is Stage.CLEARING:
            self._aftermath.resume()

    def _read(self, descriptor: int, kind: Kind) -> None:
        if not self._pass_on(descriptor, kind):
            self._around.loop.forget(descriptor)
        elif self._tally.output_exceeded:
            self._end("output")
        elif self._lane.full:
            self._stop_reading()

    def _pass_on(self, descriptor: int, kind: Kind) -> bool:
        """One piece of output; whether there may be more."""
        try:
            data = os.read(descriptor, _PIECE)
        except BlockingIOError:
            return self.stage is Stage.RUNNING
        if sent := self._tally.wrote(data, to_stderr=kind is Kind.STDERR):
            self._lane.put(encode(kind, self.number, sent))
        return bool(data)

    def _stop_reading(self) -> None:
        for descriptor, _ in self._outputs:
            self._around.loop.forget(descriptor)

    def _look(self, now: float) -> None:
        too_much, pause = self._tally.look(self.uid, self._around.config.own_gid(self.uid))
        if too_much:
            self._end("memory")
        elif now >= self._deadline:
            self._end("timeout")
        else:
            self.due = min(self._deadline, time.monotonic() + pause)

    # --- ending

    def _end(self, reason: Reason | None) -> None:
        self._reason = self._reason or reason
        self.stage = Stage.ENDING
        if self._spare is not None:
            self._around.loop.forget(self._spare.ends.report)
        self._stop_reading()
        if self._status is not None and self._around.killer.alive(self.uid):
            self._tally.count_tasks(self.uid, gone=1)
        self._deadline = time.monotonic() + _KILL_S
        self._kill()

    def _kill(self) -> None:
        """A few rounds; dying takes a moment, and those that we wait for wake us."""
        for _ in range(_ROUNDS):
            if not self._main_lives and not self._around.killer.alive(self.uid):
                self._gone()
                return
            self._strike()
            self._around.reap()
        now = time.monotonic()
        self.due = now + _RETRY_S
        if now >= self._deadline:
            self._reason = "stuck"
            self._close()
            self._send_end()

    @property
    def _main_lives(self) -> bool:
        """Or has died without our having waited for it: until then its number is nobody else's."""
        return self.pid != 0 and self._status is None

    def _strike(self) -> None:
        """Everything of the uid, and the main process by its number, for it may not have come to its uid yet."""
        if self._main_lives and self._spare is not None:
            self._spare.kill()
        self._around.killer.kill(self.uid)

    def _gone(self) -> None:
        """No process of the uid is left."""
        if self.stage is Stage.FINISHING:
            self._send_end()
            return
        for descriptor, kind in self._outputs:
            while self._pass_on(descriptor, kind):
                pass
        if self._reason is None and self._tally.output_exceeded:
            self._reason = "output"
        self._close()
        self.stage = Stage.CLEARING
        if self.start.echo and self._tally.quiet:
            self._value = self._last_value()
        if self.start.collect and self._refused is None and self._reason != "cancelled":
            self._aftermath.bring_out(self.number, self._order(), self._lane)
        else:
            self._around.workspace.changed_at = time.monotonic()
            self._aftermath.tidy_up()
        self._until_clear()

    def _order(self) -> Order:
        start = self.start
        return Order(
            scratch=self._scratch,
            workspace=self._around.config.workspace if start.workspace == "rw" else None,
            since=self._tally.report.stamp,
            known=frozenset([start.filename] if start.filename else []),
            limits=start.limits,
        )

    def _last_value(self) -> str | None:
        """What the program has left of it (see `executor.supervisor.lastvalue`), or whatever lies there instead."""
        with acting_as(self.uid, self._around.config.gid):
            data = collect.read(self._scratch, lastvalue.FILE, _VALUE_BYTES)
        return None if data is None else data.decode("utf-8", "replace")

    def _until_clear(self) -> None:
        if self.stage is Stage.CLEARING:
            self.due = self._aftermath.deadline

    def _finish(self) -> None:
        self.stage = Stage.FINISHING
        self._deadline = time.monotonic() + _KILL_S
        self._kill()

    def _close(self) -> None:
        if self._spare is not None:
            for descriptor in (self._spare.ends.report, self._spare.ends.stdout, self._spare.ends.stderr):
                self._around.loop.forget(descriptor)
            self._spare.close()
            self._spare = None

    def _send_end(self) -> None:
        self.stage = Stage.OVER
        if self._refused is not None and self._reason != "stuck":
            frame = encode(Kind.REFUSED, self.number, encode_message(self._refused))
        else:
            end = self._tally.exit(
                self._reason,
                self._status,
                self._ended - self._began,
                artifacts_left=self._aftermath.artifacts_left,
                value=self._value,
            )
            frame = encode(Kind.EXIT, self.number, encode_message(end))
        self._lane.put(frame)
        self._lane.close()

    def _fail(self, text: str) -> None:
        """End it at once, and have the sandbox replaced."""
        if self.stage is not Stage.OVER:
            self._around.outbox.put(encode(Kind.LOG, self.number, text.encode("utf-8", "replace")[:_PIECE]))
            with contextlib.suppress(OSError):
                self._strike()
            self._reason = "stuck"
            self._close()
            self._send_end()
