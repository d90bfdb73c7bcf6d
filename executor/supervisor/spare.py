"""Children that were forked ahead and wait for a program: forking is the dearest part of a short run.

A spare still is the supervisor's, root and out of reach for user code, since it cannot know whose it will be. It gets
its block as files in memory through a socket: one message that never blocks, however large the block. A spare that
died (out of memory) is noticed when it is wanted, or when it is waited for.
"""

import json
import os
import socket
from dataclasses import dataclass
from typing import NoReturn

from executor.messages import decode_start
from executor.supervisor import child, launch
from executor.supervisor.child import Job
from executor.supervisor.config import Config
from executor.supervisor.launch import Child


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
    def __init__(self, config: Config, instructions: bytes) -> None:
        self._config = config
        self._filter = instructions
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


def _wait(config: Config, instructions: bytes) -> NoReturn:
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
    job = Job(start, head["uid"], head["scratch"], instructions)
    child.hand_over(job, config, child.become(job, config))
