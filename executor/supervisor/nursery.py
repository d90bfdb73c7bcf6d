"""The process that user code descends from: forked off before the first request, it imports and forks, and that is all.

A forked program has a copy of its parent's memory. The supervisor's holds what other members have run and what came
out; the nursery's holds nothing but modules. It also keeps what is preloaded out of the supervisor.

For each order it gets the far ends of a child's pipes, forks twice and lets the one in between end at once, so that
the child becomes the supervisor's own, which is the reaper of orphans, and answers with the child's number (0: none
could be had). Without its nursery a supervisor is of no use, and ends.
"""

import contextlib
import gc
import io
import json
import os
import signal
import socket
from collections import deque
from collections.abc import Callable
from typing import Final, NoReturn

from executor.supervisor import child, preload, spare
from executor.supervisor.config import Config
from executor.supervisor.loop import Loop
from executor.supervisor.seccomp import Filter
from executor.supervisor.spare import Ends, Spare

_CONTROL: Final = 3
_GREETING_BYTES: Final = 65536
_STREAMS: Final = (child.STDOUT, child.STDERR, child.REPORT, child.CONTROL)


class Nursery:
    """Making one forks; it returns once everything is preloaded. `remarks` say what could not be."""

    def __init__(self, config: Config, instructions: Filter) -> None:
        self._on_child: Callable[[Spare | None], None] = lambda _: None
        self._ordered: deque[Ends] = deque()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.pid = os.fork()
            if self.pid == 0:
                _nurse(theirs.fileno(), config, instructions)
        greeting = self._control.recv(_GREETING_BYTES)
        if not greeting:
            raise SystemExit("the supervisor could not be set up: its nursery ended")
        self._control.setblocking(False)
        preloaded, remarks = json.loads(greeting)
        self.preloaded = tuple(map(str, preloaded))
        self.remarks = tuple(map(str, remarks))

    def listen(self, loop: Loop, on_child: Callable[[Spare | None], None]) -> None:
        """`on_child` gets each spare that was ordered, or None where there could be none."""
        self._on_child = on_child
        loop.when_readable(self._control.fileno(), self._answered)

    @property
    def ordered(self) -> int:
        return len(self._ordered)

    def order(self) -> None:
        """One more spare. OSError: no descriptor to be had."""
        ends = Ends.open()
        try:
            socket.send_fds(self._control, [b"1"], ends.theirs)
        except BaseException:
            ends.close()
            raise
        finally:
            ends.close_theirs()
        self._ordered.append(ends)

    def _answered(self) -> None:
        with contextlib.suppress(BlockingIOError):
            answer = self._control.recv(64)
            if not answer:
                raise SystemExit("the supervisor's nursery has ended")
            ends, pid = self._ordered.popleft(), int(answer)
            if pid:
                self._on_child(Spare(pid, ends))
            else:
                ends.close()
                self._on_child(None)


def _nurse(control: int, config: Config, instructions: Filter) -> NoReturn:
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGTERM, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        os.dup2(control, _CONTROL)
        os.closerange(_CONTROL + 1, os.sysconf("SC_OPEN_MAX"))
        channel = socket.socket(fileno=_CONTROL)
        channel.send(json.dumps(preload.preload(config.preload)).encode("ascii")[:_GREETING_BYTES])
        gc.collect()
        gc.freeze()  # what is there by now is never collected, so children do not copy its pages
        while True:
            message, ends, _, _ = socket.recv_fds(channel, 1, len(_STREAMS))
            if not message:
                break
            try:
                born = _bear(dict(zip(_STREAMS, ends, strict=True)), config, instructions)
            finally:
                for end in ends:
                    os.close(end)
            channel.send(b"%d" % born)
    finally:
        os._exit(1)


def _bear(streams: dict[int, int], config: Config, instructions: Filter) -> int:
    """The number of a child that the supervisor will inherit, 0 if there is none to be had."""
    reading, writing = os.pipe2(os.O_CLOEXEC)
    with io.FileIO(reading) as answer:
        try:
            between = os.fork()
            if between == 0:
                _between(writing, streams, config, instructions)
        except OSError:
            return 0
        finally:
            os.close(writing)
        number = answer.read(64)
        os.waitpid(between, 0)
    return int(number or 0)


def _between(writing: int, streams: dict[int, int], config: Config, instructions: Filter) -> NoReturn:
    try:
        number = os.fork()
        if number == 0:
            spare.live(streams, config, instructions)
        os.write(writing, b"%d" % number)
    finally:
        os._exit(0)
