"""Ends every process of a uid, however it forked, detached or ignored signals, and nothing else.

The supervisor sets its uids to (real K, effective U, saved 0), where U is the requester's and K belongs to nobody, and
calls `kill(-1, SIGKILL)`. The kernel walks all processes under a lock that fork takes too, so no process slips
through by forking, and it may signal exactly those of U (the effective uid is not 0, so no capability is in force).
None of them can signal back: our real uid is K and our saved uid is 0. It needs no new process, so it works with the
limit of processes exhausted; and since the saved uid is 0, the way back is always open.

`kill(-1)` answers "fine" even where it could signal nobody. Whether somebody is left says
`getpriority(PRIO_USER, U)`: ESRCH means that the kernel knows no process of U, not even one that is dead but not yet
waited for. gVisor answers this for any uid; there /proc is read instead, which is safe because signal and scan repeat
until both agree.
"""

import os
import signal
from collections.abc import Callable
from pathlib import Path


class Killer:
    def __init__(self, nobody: int) -> None:
        """`nobody` is the uid K: of no process at all."""
        self._nobody = nobody
        self.alive: Callable[[int], bool] = _known_to_kernel
        """Whether any process of a uid exists, dead ones that nobody waited for included."""
        if _known_to_kernel(nobody):
            self.alive = _listed

    def kill(self, uid: int) -> None:
        """One round; those that it hit may take a moment to die. Repeat until `alive` says no."""
        if uid <= 0 or uid == self._nobody:
            raise ValueError(f"uid {uid} is not a requester's")
        os.setresuid(self._nobody, uid, 0)
        try:
            os.kill(-1, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass  # nobody to signal: `alive` decides
        finally:
            os.setresuid(0, 0, 0)


def owner(pid: int) -> int | None:
    """The real uid of a process, dead ones included, None if it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_bytes()
        return int(status.partition(b"\nUid:")[2].split(None, 1)[0])
    except (OSError, IndexError, ValueError):
        return None


def _known_to_kernel(uid: int) -> bool:
    try:
        os.getpriority(os.PRIO_USER, uid)
    except ProcessLookupError:
        return False
    return True


def _listed(uid: int) -> bool:
    return any(owner(int(name)) == uid for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH208 - names only
