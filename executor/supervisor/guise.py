"""Files of several requesters, each touched with its owner's rights, by one process that has no capability for it.

CAP_DAC_OVERRIDE and CAP_CHOWN are dropped, so root is nobody special to the file system, and what a member has hidden
from the others only that member's uid can read. A process whose real and saved uid are 0 may take any effective one,
and loses every capability meanwhile; nobody gains a right over it by that, for signals and tracing go by real and saved
uids.

What lies in a folder that its owner may not enter is reached step by step: `handle` is taken (O_PATH) with the rights
of the folder's owner, then opened by its own owner through /proc, which asks the file alone. What its owner may not
read is made readable for that moment.
"""

import contextlib
import os
import stat
from collections.abc import Iterator
from typing import Final

from executor.supervisor.paths import DIRECTORY

_HANDLE: Final = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


class Guise:
    """Of this process, for good: nothing else may run in it that needs to be root."""

    def __init__(self, gid: int) -> None:
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        self._uid = 0

    def of(self, uid: int) -> None:
        if uid != self._uid:
            os.setresuid(-1, 0, -1)
            if uid:
                os.setresuid(-1, uid, -1)
            self._uid = uid

    @contextlib.contextmanager
    def reading(self, folder: int, name: str, owner: int) -> Iterator[tuple[int, os.stat_result]]:
        """A file or folder open for reading, as it is now; `owner` is the folder's. OSError."""
        self.of(owner)
        handle = os.open(name, _HANDLE, dir_fd=folder)
        try:
            status = os.fstat(handle)
            self.of(status.st_uid)
            with self._readable(handle, status) as opened:
                yield opened, status
        finally:
            os.close(handle)

    @contextlib.contextmanager
    def _readable(self, handle: int, status: os.stat_result) -> Iterator[int]:
        is_folder = stat.S_ISDIR(status.st_mode)
        if not is_folder and not stat.S_ISREG(status.st_mode):
            raise OSError("neither a file nor a folder")
        path = f"/proc/self/fd/{handle}"
        flags = _READ | (os.O_DIRECTORY if is_folder else 0)
        needed = 0o500 if is_folder else 0o400
        hidden = status.st_mode & needed != needed
        if hidden:
            os.chmod(path, stat.S_IMODE(status.st_mode) | needed)  # noqa: PTH101
        try:
            opened = os.open(path, flags)
            try:
                yield opened
            finally:
                os.close(opened)
        finally:
            if hidden:
                self.of(status.st_uid)
                os.chmod(path, stat.S_IMODE(status.st_mode))  # noqa: PTH101


def into(root: int, parts: list[str]) -> int:
    """The folder below `root`, opened step by step without following links. OSError."""
    folder = os.dup(root)
    for part in parts:
        try:
            inner = os.open(part, DIRECTORY, dir_fd=folder)
        finally:
            os.close(folder)
        folder = inner
    return folder
