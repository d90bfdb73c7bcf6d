"""Which host uids a container's programs get.

RLIMIT_NPROC and the kernel's kill-by-uid count per uid of the machine, not per container, so no two containers on an
engine may share one. A container owns the `SPAN` uids from its base on; bases of all our containers, of every instance,
are read from their labels. Among the free ones the choice is random: two processes that choose at the same moment
collide with a probability of one in millions, without a lock that could stay behind after a crash.
"""

import secrets
from collections.abc import Callable, Collection

from executor.errors import SandboxUnavailable

SPAN = 256
FIRST = 100_000
COUNT = 4_000_000
"""Bases up to 1 024 100 000: far above accounts, below 2**31."""

_ATTEMPTS = 64


def free_base(
    taken: Collection[int],
    *,
    first: int = FIRST,
    count: int = COUNT,
    choose: Callable[[int], int] = secrets.randbelow,
) -> int:
    """A base that nobody has. A small range (rootless engines map 65 536 uids) may be full: SandboxUnavailable."""
    for _ in range(_ATTEMPTS):
        base = first + SPAN * choose(count)
        if base not in taken:
            return base
    free = [base for base in range(first, first + SPAN * count, SPAN) if base not in taken]
    if not free:
        raise SandboxUnavailable("All user ids set aside for sandboxes are in use.")
    return free[choose(len(free))]
