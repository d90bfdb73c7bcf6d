"""Why a program ended: from what was seen of it to one reason.

The kernel does not say when a limit of processes stops a fork, or whose process it ended for want of memory. What can
be seen is put together here: how many tasks there were at most, what the program complained about last, and whether
the container's count of such endings has grown. A program that ended well has met no limit, whatever it saw and
handled on its way, unless it left a bomb behind. Python ignores the signal of a file that grows too large and raises
an error: then its last words are all there is to go by.
"""

import signal
from dataclasses import dataclass
from typing import Final

from executor.messages import Reason

TAIL_BYTES: Final = 2048
_TOO_LARGE: Final = (b"[Errno 27] File too large", b": File too large")
_NO_THREAD: Final = b"can't start new thread"
_COMPLAINTS: Final = (b"Resource temporarily unavailable", _NO_THREAD)
_KILLED_IN_SHELL: Final = 128 + signal.SIGKILL


@dataclass(frozen=True, slots=True)
class Seen:
    """`imposed` is why we ended it, if we did; `deaths` how many processes were seen dead, `leftovers` how many of them
    had to be ended after the main one; `tail` is the end of stderr.
    """

    imposed: Reason | None
    exit_code: int | None
    signal: int | None
    most_tasks: int
    allowed_tasks: int
    deaths: int
    leftovers: int
    ran_out_of_memory: bool
    tail: bytes


def reason(seen: Seen) -> Reason | None:
    if seen.imposed not in {None, "timeout"}:
        return seen.imposed
    if seen.imposed is None and seen.exit_code == 0:
        return "processes" if _left_a_bomb(seen) else None
    if seen.ran_out_of_memory and (seen.signal == signal.SIGKILL or seen.exit_code == _KILLED_IN_SHELL):
        return "memory"
    if _met_the_limit_of_processes(seen):
        return "processes"
    if seen.imposed is not None:
        return seen.imposed
    if seen.signal == signal.SIGXCPU:
        return "cpu"
    return "file_size" if seen.signal == signal.SIGXFSZ or _failed_at_a_file(seen) else None


def _met_the_limit_of_processes(seen: Seen) -> bool:
    if seen.exit_code and _NO_THREAD in _last_line(seen):
        return True  # threads end with their process, often before they were counted
    if any(text in seen.tail for text in _COMPLAINTS):
        return max(seen.most_tasks, seen.deaths) >= seen.allowed_tasks // 2
    return seen.most_tasks >= seen.allowed_tasks


def _left_a_bomb(seen: Seen) -> bool:
    return seen.leftovers >= seen.allowed_tasks // 4 and _met_the_limit_of_processes(seen)


def _failed_at_a_file(seen: Seen) -> bool:
    return bool(seen.exit_code) and any(words in _last_line(seen) for words in _TOO_LARGE)


def _last_line(seen: Seen) -> bytes:
    return seen.tail.rstrip().rpartition(b"\n")[2]
