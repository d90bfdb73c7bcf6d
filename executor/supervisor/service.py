"""The supervisor's main loop: requests in, executions admitted, the dead waited for."""

import contextlib
import os
import sys
import time
from functools import cache
from typing import Final, NoReturn

from executor.frames import Frame, Garbage, Kind, SupervisorDecoder, Sync, encode, encode_answer
from executor.messages import MessageError, Ready, Refused, RefusedError, Running, encode_message
from executor.supervisor import environment, landlock
from executor.supervisor.clerk import Clerk
from executor.supervisor.config import Config
from executor.supervisor.deaths import Used, the_dead
from executor.supervisor.execution import Execution, Stage
from executor.supervisor.identities import Identities
from executor.supervisor.killing import Killer, owner
from executor.supervisor.loop import Loop
from executor.supervisor.nursery import Nursery
from executor.supervisor.outbox import Outbox
from executor.supervisor.requests import Request, Requests
from executor.supervisor.spare import Spare
from executor.supervisor.spares import Spares
from executor.supervisor.surroundings import Surroundings, Workspace
from executor.supervisor.usage import OutOfMemory

_PIECE: Final = 256 * 1024
_LIVE: Final = frozenset({Stage.WAITING, Stage.STARTING, Stage.RUNNING})


class Refusal(Exception):
    def __init__(self, error: RefusedError, text: str) -> None:
        super().__init__(text)
        self.message = Refused(error, text)


class Service:
    """`incoming` and `outgoing` are the stream to the host, `woken` a pipe that signals write to; none blocks."""

    def __init__(self, config: Config, nursery: Nursery, incoming: int, outgoing: int, woken: int) -> None:
        self._config = config
        self._incoming = incoming
        self._woken = woken
        self._token = bytes.fromhex(config.token)
        self._decoder = SupervisorDecoder(self._token)
        self._loop = Loop()
        self._outbox = Outbox(self._loop, outgoing)
        self._landlock = landlock.supported()
        self._identities = Identities(config)
        self._requests = Requests()
        self._executions: dict[int, Execution] = {}
        self._stuck: set[int] = set()
        self._nursery = nursery
        self._spares = Spares(config.spares, nursery, self._hand)
        killer = Killer(config.killer_uid)
        self._around = Surroundings(
            config, self._loop, self._outbox, killer, OutOfMemory(), self._reap, self._spares.queue, Workspace()
        )
        self._clerk = Clerk(self._around, self._identities)

    def serve(self) -> NoReturn:
        self._loop.when_readable(self._incoming, self._read)
        self._loop.when_readable(self._woken, self._wake)
        self._nursery.listen(self._loop, self._spares.arrived, self._buried)
        while True:
            busy = self._loop.turn(self._timeout())
            now = time.monotonic()
            for execution in tuple(self._executions.values()):
                execution.safely(execution.tick, now)
            self._clerk.tick(now)
            self._sweep()
            self._spares.match()
            self._outbox.flush()
            if not busy:
                self._spares.order_ahead(now)

    # --- the stream

    def _read(self) -> None:
        data = os.read(self._incoming, _PIECE)
        if not data:
            self._stop()
        for item in self._decoder.feed(data):
            match item:
                case Sync(nonce):
                    self._synchronise(nonce)
                case Garbage(text):
                    self._log(f"the stream from the host is not understood: {text}")
                case Frame():
                    self._take(item)
        self._outbox.flush()

    def _take(self, frame: Frame) -> None:
        match frame.kind:
            case Kind.DATA:
                if not self._clerk.feed(frame):
                    self._requests.add(frame)
            case Kind.START:
                self._start(frame)
            case Kind.CANCEL:
                self._cancel(frame.run)
            case Kind.SAVE:
                self._clerk.save(frame, self._requests.take(frame.run))
            case Kind.LAY:
                self._clerk.lay(frame)
            case Kind.MORE:
                self._clerk.more(frame.run)
            case _:  # the decoder lets nothing else through
                self._outbox.put(encode(Kind.PONG, frame.run, frame.payload))

    def _synchronise(self, nonce: bytes) -> None:
        self._requests.forget()
        self._clerk.stop()
        running = tuple(
            Running(number, execution.start.id, "running" if execution.stage in _LIVE else "ending")
            for number, execution in self._executions.items()
        )
        ready = Ready(
            ".".join(map(str, sys.version_info[:3])),
            running,
            tuple(name for name, program in self._config.languages if _find(program)),
            self._nursery.preloaded,
            self._landlock,
            self._clerk.generations,
        )
        answer = encode_answer(self._token, nonce)
        self._outbox.restart(answer + encode(Kind.READY, 0, encode_message(ready)))
        for remark in self._nursery.remarks:
            self._log(remark)

    def _log(self, text: str) -> None:
        self._outbox.put(encode(Kind.LOG, 0, text.encode("utf-8", "replace")[:_PIECE]))

    def _stop(self) -> NoReturn:
        """The container's input has ended, so nobody will ever come again; init takes everything else with it."""
        os._exit(0)

    # --- executions

    def _start(self, frame: Frame) -> None:
        try:
            try:
                request = self._requests.complete(frame)
            except MessageError as error:
                raise Refusal("bad_request", str(error)) from error
            self._begin(frame.run, request)
        except Refusal as refusal:
            self._outbox.put(encode(Kind.REFUSED, frame.run, encode_message(refusal.message)))

    def _begin(self, run: int, request: Request) -> None:
        uid = self._admit(run, request)
        self._clerk.used()
        self._executions[run] = Execution(run, request, uid, self._around)
        self._spares.queue(run)
        self._spares.match()

    def _hand(self, run: int, spare: Spare | None) -> bool:
        execution = self._executions.get(run)
        if execution is None or execution.stage is not Stage.WAITING:
            return False
        if spare is None:
            execution.safely(execution.refuse, "resources", "no process could be started")
            return False
        execution.safely(execution.take, spare)
        return True

    def _admit(self, run: int, request: Request) -> int:
        start = request.start
        if run in self._executions:
            raise Refusal("bad_request", "this run has already begun")
        if len(self._executions) >= self._config.slots:
            raise Refusal("busy", "every slot of this sandbox is taken")
        if any(other.start.requester == start.requester for other in self._executions.values()):
            raise Refusal("busy", "this requester has an execution already")
        if start.workspace != "rw" and not self._landlock:
            raise Refusal("unsupported", "the kernel cannot keep the workspace from a program")
        if not _find(start.command[0]):
            raise Refusal("no_such_language", f"there is no {start.command[0]} in this image")
        uid = self._identities.of(start.requester)
        if uid is None:
            raise Refusal("too_many_requesters", f"this sandbox has had {self._config.uids} requesters")
        if uid in self._stuck:
            raise Refusal("resources", "a process of this requester cannot be ended")
        return uid

    def _cancel(self, run: int) -> None:
        self._requests.forget(run)
        self._clerk.stop(run)
        if (execution := self._executions.get(run)) is not None:
            execution.safely(execution.cancel)

    def _sweep(self) -> None:
        for number, execution in tuple(self._executions.items()):
            if execution.stage is Stage.OVER:
                del self._executions[number]
                if self._around.killer.alive(execution.uid):
                    self._stuck.add(execution.uid)
        if not self._executions:
            self._spares.hurry()

    # --- processes

    def _wake(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._woken, 4096)
        self._reap()

    def _reap(self) -> None:
        """Wait for orphans, whose reaper we are (see `main`), and errands."""
        for pid, status, used, uid in the_dead(owner):
            if pid == self._nursery.pid:
                raise SystemExit("the supervisor's nursery has ended")
            for execution in self._executions.values():
                if execution.uid == uid:
                    execution.safely(execution.reaped, pid, status, used)
                    break

    def _buried(self, pid: int, status: int, used: Used) -> None:
        """The nursery has waited for a spare or a program."""
        if self._spares.died(pid):
            return
        for execution in self._executions.values():
            if execution.pid == pid:
                execution.safely(execution.reaped, pid, status, used)

    def _timeout(self) -> float | None:
        dues = [execution.due for execution in self._executions.values()]
        if (due := self._spares.due) is not None:
            dues.append(due)
        if (due := self._clerk.due) is not None:
            dues.append(due)
        return max(0.0, min(dues) - time.monotonic()) if dues else None


@cache
def _find(program: str) -> bool:
    return any(os.access(f"{directory}/{program}", os.X_OK) for directory in environment.PATH.split(":"))
