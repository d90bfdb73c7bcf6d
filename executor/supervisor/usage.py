"""What the processes of a uid use, looked up in /proc, and whether the container has run out of memory.

Limits of memory and of processes belong to an execution, but the kernel's groups for them belong to the container,
where we may not make any. So the supervisor looks: often enough that a program cannot go far beyond its limit between
two looks, seldom enough to cost nothing where it is far away from it. The container's own limit is behind that, and
is big enough for all executions at their limits.

Memory is first counted as resident pages, in which forked processes share much, then, if that is above the limit, as
each process's proportional share (`smaps_rollup`), which is the truth but takes the kernel longer.
"""

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from executor.supervisor.system import acting_as
from executor.types import MIB

KIB: Final = 1024
_FASTEST: Final = 4 * 1024 * MIB  # bytes a second that a program can take
_SHORTEST_S: Final = 0.004
_LONGEST_S: Final = 0.1
_SHARE: Final = 20  # a look may take one part in so many of the time

_OOM_COUNTERS: Final = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")


@dataclass(frozen=True, slots=True)
class Usage:
    """`tasks` are threads of all processes, which is what the limit of processes counts."""

    tasks: int = 0
    resident: int = 0
    processes: tuple[tuple[int, int], ...] = ()  # pid, resident bytes

    def own(self, inherited: int) -> int:
        """Without what each process has of the supervisor's memory since it was forked."""
        return sum(max(0, resident - inherited) for _, resident in self.processes)


def look(uid: int) -> Usage:
    tasks = 0
    processes: list[tuple[int, int]] = []
    for name in os.listdir("/proc"):  # noqa: PTH208 - names only
        if name.isdigit() and (found := _status(int(name), uid)) is not None:
            tasks += found[0]
            processes.append((int(name), found[1]))
    return Usage(tasks, sum(resident for _, resident in processes), tuple(processes))


def proportional(usage: Usage, uid: int, own_gid: int) -> int:
    """Bytes, shared pages divided by their users. A process that hides itself counts in full."""
    total = 0
    with acting_as(uid, own_gid):
        for pid, resident in usage.processes:
            try:
                text = Path(f"/proc/{pid}/smaps_rollup").read_bytes()
                total += int(text.partition(b"\nPss:")[2].split(None, 1)[0]) * KIB
            except PermissionError:
                total += resident
            except (OSError, IndexError, ValueError):
                pass  # it is dying: its memory is gone
    return total


def pause(headroom: int, cost_s: float) -> float:
    """Seconds until the next look, given what is left below the limit and how long the last look took."""
    return max(_SHORTEST_S, min(_LONGEST_S, headroom / _FASTEST), cost_s * _SHARE)


class OutOfMemory:
    """The container's count of processes that the kernel has ended for want of memory (either version of groups)."""

    def __init__(self) -> None:
        self._file = -1
        for path in _OOM_COUNTERS:
            with contextlib.suppress(OSError):
                self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
                break

    def count(self) -> int:
        try:
            _, found, value = os.pread(self._file, 4096, 0).partition(b"oom_kill ")
            return int(value.split(None, 1)[0]) if found else 0
        except (OSError, ValueError, IndexError):
            return 0


def _status(pid: int, uid: int) -> tuple[int, int] | None:
    """Threads and resident bytes of a living process of `uid`."""
    try:
        with open(f"/proc/{pid}/status", "rb") as file:  # noqa: PTH123 - often
            text = file.read()
        if int(text.partition(b"\nUid:")[2].split(None, 1)[0]) != uid:
            return None
        threads = int(text.partition(b"\nThreads:")[2].split(None, 1)[0])
        resident = text.partition(b"\nVmRSS:")[2].split(None, 1)
        return threads, int(resident[0]) * KIB if resident else 0
    except (OSError, IndexError, ValueError):
        return None
