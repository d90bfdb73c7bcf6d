"""Waiting for processes that have died, without waiting."""

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class Used:
    """By a process and all that it had waited for; `peak` is the largest one's resident memory in bytes."""

    cpu_s: float
    peak: int


def wake_on_death() -> int:
    """A descriptor that becomes readable when a child has died."""
    reading, writing = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return reading


def the_dead(owner: Callable[[int], int | None] = lambda _: None) -> Iterator[tuple[int, int, Used, int | None]]:
    """Number, wait status, use and `owner` of each child that has died; `owner` is asked while /proc still knows it."""
    for _ in range(_AT_ONCE):
        try:
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if found is None:
            return
        whose = owner(found.si_pid)
        pid, status, used = os.wait4(found.si_pid, 0)
        yield pid, status, Used(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024), whose
