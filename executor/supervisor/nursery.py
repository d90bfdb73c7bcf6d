"""The process that user code descends from: forked off before the first request, it imports, forks and waits.

A forked program has a copy of its parent's memory. The supervisor's holds what other members have run and what came
out; the nursery's holds nothing but modules. It also keeps what is preloaded out of the supervisor.

For each order it gets the far ends of a child's pipes, forks, and answers with the child's number (0: none could be
had). Its children are its own to wait for: it tells the supervisor of each death. (Their orphans pass it by, on to the
supervisor, which is the reaper.) Without its nursery a supervisor is of no use, and ends.
"""

import contextlib
import gc
import json
import os
import select
import signal
import socket
from collections import deque
from collections.abc import Callable
from typing import Final, NoReturn

from executor.supervisor import child, preload, script, spare
from executor.supervisor.config import Config
from executor.supervisor.deaths import Used, the_dead, wake_on_death
from executor.supervisor.loop import Loop
from executor.supervisor.seccomp import Filter
from executor.supervisor.spare import Ends, Spare
from executor.supervisor.system import give_back

OnDeath = Callable[[int, int, Used], None]
"""Gets number, wait status and use of a child that was waited for."""

_CONTROL: Final = 3
_GREETING_BYTES: Final = 65536
_STREAMS: Final = (child.STDOUT, child.STDERR, child.REPORT, child.CONTROL)


class Nursery:
    """Making one forks; it returns once everything is preloaded. `remarks` say what could not be."""

    def __init__(self, config: Config, instructions: Filter) -> None:
        self._on_child: Callable[[Spare | None], None] = lambda _: None
        self._on_death: OnDeath = lambda *_: None
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

    def listen(self, loop: Loop, on_child: Callable[[Spare | None], None], on_death: OnDeath) -> None:
        """`on_child` gets each spare that was ordered, or None where there could be none."""
        self._on_child = on_child
        self._on_death = on_death
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
            while message := self._control.recv(1024):
                match json.loads(message):
                    case ["born", 0]:
                        self._ordered.popleft().close()
                        self._on_child(None)
                    case ["born", int(pid)]:
                        self._on_child(Spare.of(pid, self._ordered.popleft()))
                    case ["dead", int(pid), int(status), float(cpu_s), int(peak)]:
                        self._on_death(pid, status, Used(cpu_s, peak))
                    case other:
                        raise SystemExit(f"the supervisor's nursery says {other!r}")
            raise SystemExit("the supervisor's nursery has ended")


def _nurse(control: int, config: Config, instructions: Filter) -> NoReturn:
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.dup2(control, _CONTROL)
        os.closerange(_CONTROL + 1, os.sysconf("SC_OPEN_MAX"))
        channel = socket.socket(fileno=_CONTROL)
        woken = wake_on_death()
        script.watch()
        greeting = json.dumps(preload.preload(config.preload))
        child.prepare()
        channel.send(greeting.encode("ascii"))
        gc.collect()
        give_back()
        gc.freeze()  # what is there by now is never collected, so children do not copy its pages
        while True:
            ready, _, _ = select.select([_CONTROL, woken], [], [])
            if _CONTROL in ready:
                _bear(channel, config, instructions)
            if woken in ready:
                os.read(woken, 4096)
            for pid, status, used, _ in the_dead():
                _say(channel, "dead", pid, status, used.cpu_s, used.peak)
    finally:
        os._exit(1)


def _bear(channel: socket.socket, config: Config, instructions: Filter) -> None:
    message, ends, _, _ = socket.recv_fds(channel, 1, len(_STREAMS))
    if not message:
        os._exit(0)
    try:
        number = os.fork()
        if number == 0:
            spare.live(dict(zip(_STREAMS, ends, strict=True)), config, instructions)
    except OSError:
        number = 0
    finally:
        for end in ends:
            os.close(end)
    _say(channel, "born", number)


def _say(channel: socket.socket, *message: object) -> None:
    channel.send(json.dumps(message).encode("ascii"))
