"""Clears a requester's files out of the places that executions share, /tmp and /dev/shm.

It runs with the requester's rights and after the requester's last process has died, so it can remove exactly what the
requester could, and the only others that move things meanwhile are other requesters, in directories that they may
write to; every step goes through a descriptor of the directory before it and follows no link, so they can make it miss
something but not make it remove anything elsewhere. Directories of others are looked into as well, for what was put
there.
"""

import contextlib
import os
from collections.abc import Generator
from typing import Final

from executor.supervisor.paths import DIRECTORY

PLACES: Final = ("/tmp", "/dev/shm", "/dev/mqueue")  # noqa: S108 - the sandbox's own
_DEEPEST: Final = 200


def clear(uid: int) -> Generator[bool, None, None]:
    """Remove everything of `uid`, one entry a step. True: what comes next needs a process of its own (see below)."""
    for place in PLACES:
        with contextlib.suppress(OSError):
            directory = os.open(place, DIRECTORY)
            try:
                yield from _clear(directory, uid, 0)
            finally:
                os.close(directory)


def _clear(directory: int, uid: int, depth: int) -> Generator[bool, None, None]:
    with os.scandir(directory) as entries:
        for entry in entries:
            yield False
            with contextlib.suppress(OSError):
                mine = entry.stat(follow_symlinks=False).st_uid == uid
                if entry.is_dir(follow_symlinks=False):
                    if depth < _DEEPEST:
                        yield from _enter(directory, entry.name, uid, depth, mine=mine)
                    if mine:
                        os.rmdir(entry.name, dir_fd=directory)
                elif mine:
                    os.unlink(entry.name, dir_fd=directory)


def _enter(directory: int, name: str, uid: int, depth: int, *, mine: bool) -> Generator[bool, None, None]:
    if mine and os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode & 0o700 != 0o700:
        yield True
        _open_up(directory, name)
    inner = os.open(name, DIRECTORY, dir_fd=directory)
    try:
        yield from _clear(inner, uid, depth + 1)
    finally:
        os.close(inner)


def _open_up(directory: int, name: str) -> None:
    """A directory that was made unreadable for its owner.

    The way through /proc follows no link, but is open only to a process that is dumpable: an errand.
    """
    handle = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=directory)
    try:
        os.chmod(f"/proc/self/fd/{handle}", 0o700)  # noqa: PTH101
    finally:
        os.close(handle)
