"""Forks a child with its pipes, and leaves nothing open where that fails."""

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NoReturn

from executor.supervisor import child
from executor.supervisor.child import Job
from executor.supervisor.config import Config


@dataclass(frozen=True, slots=True)
class Child:
    """A child, and the ends of its pipes that are ours, none of which blocks."""

    pid: int
    stdout: int
    stderr: int
    report: int


def start(job: Job, config: Config) -> Child:
    """A child that becomes this program. OSError: no process or no descriptor to be had."""

    def program() -> NoReturn:
        child.hand_over(job, config, child.become(job, config))

    with standard_input(job.start.stdin) as stdin:
        return fork(program, {child.STDIN: stdin}, config)


def fork(program: Callable[[], NoReturn], streams: dict[int, int], config: Config) -> Child:
    """A child that has left the supervisor (see `child.detach`) and does `program`, with `streams` besides its own."""
    with contextlib.ExitStack() as theirs, contextlib.ExitStack() as ours:
        ends: list[int] = []
        streams = dict(streams)
        for target in (child.STDOUT, child.STDERR, child.REPORT):
            reading, streams[target] = os.pipe2(os.O_CLOEXEC)
            ours.callback(os.close, reading)
            theirs.callback(os.close, streams[target])
            os.set_blocking(reading, False)
            ends.append(reading)
        pid = os.fork()
        if pid == 0:
            _be(program, streams, config)
        ours.pop_all()
        return Child(pid, *ends)


def _be(program: Callable[[], NoReturn], streams: dict[int, int], config: Config) -> NoReturn:
    """Never returns into the supervisor's own frames, whatever happens."""
    try:
        child.detach(streams, config.open_files)
    except BaseException:  # noqa: BLE001 - there is no way to report yet but to end
        os._exit(125)
    try:
        program()
    except BaseException as error:  # noqa: BLE001
        child.refuse(error)


@contextlib.contextmanager
def standard_input(data: bytes | None) -> Iterator[int]:
    """A descriptor to read it from; None is an input at its end."""
    descriptor = os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC) if data is None else in_memory("stdin", data)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def in_memory(name: str, *parts: bytes) -> int:
    """A file without a place, to be read from its beginning."""
    descriptor = os.memfd_create(name, os.MFD_CLOEXEC)
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
