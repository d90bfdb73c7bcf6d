"""Clears a requester's files out of the places that executions share, /tmp and /dev/shm.

It runs with the requester's rights and after the requester's last process has died, so it can remove exactly what the
requester could, and the only others that move things meanwhile are other requesters, in directories that they may
write to; every step goes through a descriptor of the directory before it and follows no link, so they can make it miss
something but not make it remove anything elsewhere. Directories of others are looked into as well, for what was put
there. What lies deeper than is gone at once is brought up first.
"""

import contextlib
import os
import secrets
from collections.abc import Generator
from typing import Final

from executor.supervisor.paths import DIRECTORY

PLACES: Final = ("/tmp", "/dev/shm", "/dev/mqueue")  # noqa: S108 - the sandbox's own
_DEEPEST: Final = 100


def clear(uid: int) -> Generator[bool, None, None]:
    """Remove everything of `uid`, one entry a step. True: what comes next needs a process of its own (see below)."""
    for place in PLACES:
        with contextlib.suppress(OSError):
            directory = os.open(place, DIRECTORY)
            try:
                while (yield from _clear(directory, directory, uid, 0)):
                    pass
            finally:
                os.close(directory)


def _clear(place: int, directory: int, uid: int, depth: int) -> Generator[bool, None, bool]:
    """Whether something that lay too deep was brought up into the place, so that it has to be gone through again."""
    again = False
    with os.scandir(directory) as entries:
        for entry in entries:
            yield False
            with contextlib.suppress(OSError):
                mine = entry.stat(follow_symlinks=False).st_uid == uid
                if not entry.is_dir(follow_symlinks=False):
                    if mine:
                        os.unlink(entry.name, dir_fd=directory)
                elif depth < _DEEPEST:
                    again |= yield from _enter(place, directory, entry.name, uid, depth, mine=mine)
                    if mine:
                        os.rmdir(entry.name, dir_fd=directory)
                elif mine:
                    _open_up(directory, entry.name)
                    os.rename(entry.name, secrets.token_hex(8), src_dir_fd=directory, dst_dir_fd=place)
                    again = True
    return again


def _enter(place: int, directory: int, name: str, uid: int, depth: int, *, mine: bool) -> Generator[bool, None, bool]:
    if mine and (
        depth == _DEEPEST - 1 or os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode & 0o700 != 0o700
    ):
        yield True
        _open_up(directory, name)
    inner = os.open(name, DIRECTORY, dir_fd=directory)
    try:
        return (yield from _clear(place, inner, uid, depth + 1))
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
