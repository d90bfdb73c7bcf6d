"""Children that wait for a program: forking is the dearest part of a short run, so it is done ahead.

A spare still is root and out of reach for user code, since it cannot know whose it will be. It gets its block as files
in memory through a socket: one message that never blocks, however large the block. A spare may have died (out of
memory) before that, or die of it; whoever hands a block over has to be ready to do it again with another.
"""

import contextlib
import gc
import io
import json
import os
import select
import signal
import socket
from dataclasses import dataclass
from typing import Final, NoReturn

from executor.frames import HEADER, TOKEN_BYTES
from executor.messages import Start, decode_start, encode_start
from executor.supervisor import child, environment, script
from executor.supervisor.child import Job
from executor.supervisor.config import Config
from executor.supervisor.requests import Request
from executor.supervisor.seccomp import Filter
from executor.supervisor.system import resident_bytes

_ANYBODYS: Final = 0o622
"""Of pipes that programs write to: they are root's, and could not be opened by the name /dev/stdout otherwise."""

_SAMPLE: Final = """
import sys
def main(n):
    return [f"{i}" for i in range(n)]
main(2)
"""


@dataclass(slots=True)
class Ends:
    """Of a child's pipes. Ours do not block; `theirs` are in the order of `child.STDOUT` to `child.CONTROL`."""

    stdout: int
    stderr: int
    report: int
    control: int
    theirs: list[int]

    @classmethod
    def open(cls) -> "Ends":
        """OSError: no descriptor to be had."""
        opened: list[int] = []
        try:
            for _ in range(3):
                opened += os.pipe2(os.O_CLOEXEC)
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            opened += [ours.detach(), theirs.detach()]
        except BaseException:
            _close(opened)
            raise
        for descriptor in opened[::2]:
            os.set_blocking(descriptor, False)
        for descriptor in opened[1:4:2]:
            os.fchmod(descriptor, _ANYBODYS)
        stdout, stderr, report, control = opened[::2]
        return cls(stdout, stderr, report, control, opened[1::2])

    def close_theirs(self) -> None:
        _close(self.theirs)
        self.theirs = []

    def close(self) -> None:
        _close([self.stdout, self.stderr, self.report, self.control, *self.theirs])
        self.stdout = self.stderr = self.report = self.control = -1
        self.theirs = []


@dataclass(frozen=True, slots=True)
class Spare:
    """`handle` (a pidfd) means this process even once its number is another's; -1 where there is no such thing."""

    pid: int
    ends: Ends
    handle: int

    @classmethod
    def of(cls, pid: int, ends: Ends) -> "Spare":
        try:
            return cls(pid, ends, os.pidfd_open(pid))
        except OSError:
            return cls(pid, ends, -1)

    def close(self) -> None:
        """Without work, it ends."""
        self.ends.close()
        if self.handle >= 0:
            os.close(self.handle)

    def kill(self) -> None:
        """The process itself, whoever it is by now. It must not have been closed."""
        with contextlib.suppress(ProcessLookupError):
            if self.handle >= 0:
                signal.pidfd_send_signal(self.handle, signal.SIGKILL)
            else:
                os.kill(self.pid, signal.SIGKILL)

    def give(self, request: Request, uid: int, scratch: str, *, settled: bool) -> None:
        """Make it this program. Not `settled`: files have been changed only just now.

        Raises:
            BrokenPipeError, ConnectionResetError: it has died.
            OSError: no memory or no descriptor to be had.
        """
        values = {"uid": uid, "scratch": scratch, "settled": settled, "payload": len(request.payload)}
        message = json.dumps(values).encode("ascii")
        with contextlib.ExitStack() as stack:
            content = in_memory(request.payload, request.bulk)
            stack.callback(os.close, content)
            stdin = request.start.stdin
            given = os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC) if stdin is None else in_memory(stdin)
            stack.callback(os.close, given)
            with socket.socket(fileno=os.dup(self.ends.control)) as control:
                socket.send_fds(control, [message], [content, given])


def live(streams: dict[int, int], config: Config, instructions: Filter) -> NoReturn:
    """The life of a spare, from its fork to the end of the program that it becomes."""
    try:
        child.detach(streams, config.open_files)
    except BaseException:  # noqa: BLE001 - there is no way to report yet but to end
        os._exit(125)
    try:
        _wait(config, instructions)
    except BaseException as error:  # noqa: BLE001 - never back into the frames of the process it was forked from
        child.refuse(error)


def _wait(config: Config, instructions: Filter) -> NoReturn:
    control = socket.socket(fileno=child.CONTROL)
    script.diverge()
    if not select.select([control], [], [], 0)[0]:  # else somebody waits already
        _warm_up()
    message, descriptors, _, _ = socket.recv_fds(control, 4096, 2)
    control.close()
    if not message:
        os._exit(0)
    request, stdin = descriptors
    os.dup2(stdin, child.STDIN)
    os.close(stdin)
    with io.FileIO(request) as file:
        content = file.read()
    head = json.loads(message)
    start = decode_start(content[: head["payload"]], content[head["payload"] :])
    job = Job(start, head["uid"], head["scratch"], head["settled"], instructions)
    child.hand_over(job, config, child.become(job, config))


def _warm_up() -> None:
    """Go the way once: a forked process pays for each page that it touches first, so pay before anybody waits."""
    start = Start("", "", child.PYTHON, ("python3", "{file}"), _SAMPLE, name="main.py")
    data, request = encode_start(0, start, bytes(TOKEN_BYTES))
    decode_start(request[HEADER.size :], data[HEADER.size :])
    child.Report(resident_bytes=resident_bytes()).encode()
    os.environ.update(environment.own("/", "/"))
    exec(compile(_SAMPLE.encode(), "main.py", "exec", dont_inherit=True), {"__name__": "__main__"})  # noqa: S102
    gc.collect()


def in_memory(*parts: bytes) -> int:
    """A file without a place, to be read from its beginning. OSError: no memory or no descriptor to be had."""
    descriptor = os.memfd_create("fencepost", os.MFD_CLOEXEC)
    try:
        for part in parts:
            view = memoryview(part)
            while view:
                view = view[os.write(descriptor, view) :]
        os.lseek(descriptor, 0, os.SEEK_SET)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _close(descriptors: list[int]) -> None:
    for descriptor in descriptors:
        with contextlib.suppress(OSError):
            os.close(descriptor)
