"""Children that were forked ahead and wait for a program: forking is the dearest part of a short run.

A spare still is the supervisor's, root and out of reach for user code, since it cannot know whose it will be. It gets
its block as files in memory through a socket: one message that never blocks, however large the block. A spare that
died (out of memory) is noticed when it is wanted, or when it is waited for.
"""

import gc
import json
import os
import socket
from dataclasses import dataclass
from typing import Final, NoReturn

from executor.frames import HEADER, TOKEN_BYTES
from executor.messages import Start, decode_start, encode_start
from executor.supervisor import child, environment, launch
from executor.supervisor.child import Job
from executor.supervisor.config import Config
from executor.supervisor.launch import Child
from executor.supervisor.seccomp import Filter
from executor.supervisor.system import resident_bytes

_SAMPLE: Final = """
import sys
def main(n):
    return [f"{i}" for i in range(n)]
main(2)
"""


@dataclass(frozen=True, slots=True)
class Spare:
    child: Child
    control: socket.socket

    def close(self) -> None:
        """It ends by itself once nobody can give it work."""
        self.control.close()
        for descriptor in (self.child.stdout, self.child.stderr, self.child.report):
            os.close(descriptor)


class Spares:
    def __init__(self, config: Config, filter_: Filter) -> None:
        self._config = config
        self._filter = filter_
        self._waiting: list[Spare] = []

    @property
    def missing(self) -> bool:
        return len(self._waiting) < self._config.spares

    def add(self) -> None:
        """One more. OSError: no process or no descriptor to be had."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            try:
                with launch.standard_input(None) as nothing:
                    streams = {child.STDIN: nothing, child.SPARE_CONTROL: theirs.fileno()}
                    started = launch.fork(lambda: _wait(self._config, self._filter), streams, self._config)
            except BaseException:
                ours.close()
                raise
        ours.setblocking(False)
        self._waiting.append(Spare(started, ours))

    def give(self, job: Job, payload: bytes, bulk: bytes) -> Child | None:
        """A child that becomes this program, if there is a spare. `payload` and `bulk` are the request as it came.

        OSError: no memory or no descriptor to be had.
        """
        message = json.dumps({"uid": job.uid, "scratch": job.scratch, "payload": len(payload)}).encode("ascii")
        with launch.standard_input(job.start.stdin) as stdin:
            request = launch.in_memory("request", payload, bulk)
            try:
                while self._waiting:
                    spare = self._waiting.pop(0)
                    try:
                        socket.send_fds(spare.control, [message], [request, stdin])
                    except OSError:
                        spare.close()
                    else:
                        spare.control.close()
                        return spare.child
            finally:
                os.close(request)
        return None

    def died(self, pid: int) -> bool:
        """Whether this was a spare, which is then forgotten."""
        for spare in self._waiting:
            if spare.child.pid == pid:
                self._waiting.remove(spare)
                spare.close()
                return True
        return False


def _wait(config: Config, filter_: Filter) -> NoReturn:
    child.prepare()
    _warm_up()
    control = socket.socket(fileno=child.SPARE_CONTROL)
    message, descriptors, _, _ = socket.recv_fds(control, 4096, 2)
    control.close()
    if not message:
        os._exit(0)
    request, stdin = descriptors
    os.dup2(stdin, child.STDIN)
    with open(request, "rb") as file:  # noqa: PTH123 - a descriptor
        content = file.read()
    os.close(stdin)
    head = json.loads(message)
    start = decode_start(content[: head["payload"]], content[head["payload"] :])
    job = Job(start, head["uid"], head["scratch"], filter_)
    child.hand_over(job, config, child.become(job, config), prepared=True)


def _warm_up() -> None:
    """Go the way once: a forked process pays for each page that it touches first, so pay before anybody waits."""
    start = Start("", "", child.PYTHON, ("python3", "{file}"), _SAMPLE, name="main.py")
    data, request = encode_start(0, start, bytes(TOKEN_BYTES))
    decode_start(request[HEADER.size :], data[HEADER.size :])
    child.Report(resident_bytes=resident_bytes()).encode()
    os.environ.update(environment.own("/", "/"))
    exec(compile(_SAMPLE.encode(), "main.py", "exec", dont_inherit=True), {"__name__": "__main__"})  # noqa: S102
    gc.collect()
