"""Which files of the workspace a program has created or changed, and how they come out.

A file counts as changed if its status changed since the program began (ctime). Unlike times of modification, a program
cannot set that one, so `cp -p`, `tar` and `touch -d` hide nothing, and no list of what was there before is needed.

Everything here runs with the requester's rights, after the requester's last process has died. Files are opened from
directory to directory without following links, never waited for, and read only if what was opened is a regular file.
Names beginning with a dot and caches are not brought out; a name that is not printable text stays behind and is
counted.
"""

import os
import stat
import time
from collections.abc import Generator
from dataclasses import dataclass
from typing import Final

from executor.frames import Kind, encode, encode_bulk
from executor.messages import ArtifactHead, Exit, encode_message
from executor.supervisor.paths import DIRECTORY, write_all
from executor.types import Limits

_CACHES: Final = frozenset({"__pycache__", "node_modules"})
_DEEPEST: Final = 16
_MOST_ENTRIES: Final = 10_000
_MOST_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Order:
    """What to bring out: files changed since `since` (ns), except those the bot laid under the names in `known`."""

    workspace: str
    since: int
    known: frozenset[str]
    limits: Limits


def changed(order: Order) -> Generator[str | None, None, None]:
    """Paths of changed files; None for each other entry that was looked at."""
    try:
        root = os.open(order.workspace, DIRECTORY)
    except OSError:
        return
    try:
        yield from _walk(root, "", order)
    finally:
        os.close(root)


def _walk(directory: int, prefix: str, order: Order) -> Generator[str | None, None, None]:
    with os.scandir(directory) as entries:
        for entry in entries:
            yield None
            if entry.name.startswith(".") or entry.name in _CACHES:
                continue
            path = prefix + entry.name
            try:
                if entry.is_dir(follow_symlinks=False):
                    if path.count("/") < _DEEPEST:
                        inner = os.open(entry.name, DIRECTORY, dir_fd=directory)
                        try:
                            yield from _walk(inner, path + "/", order)
                        finally:
                            os.close(inner)
                elif _is_changed(entry, path, order):
                    yield path
            except OSError:
                continue  # gone, or not readable for the requester


def _is_changed(entry: os.DirEntry[str], path: str, order: Order) -> bool:
    if path in order.known or not entry.is_file(follow_symlinks=False):
        return False
    return entry.stat(follow_symlinks=False).st_ctime_ns >= order.since


def bring_out(run: int, order: Order, pipe: int) -> None:
    """Write ARTIFACT and DATA frames, and last an EXIT that counts what stayed behind, which the supervisor takes."""
    until = time.monotonic() + _MOST_SECONDS
    paths: list[str] = []
    for seen, path in enumerate(changed(order)):
        if path is not None:
            paths.append(path)
        if seen >= _MOST_ENTRIES or time.monotonic() > until:
            break
    count, room = 0, order.limits.artifact_total_bytes
    for path in sorted(paths):
        if count >= order.limits.artifact_count or time.monotonic() > until:
            break
        data = _read(order.workspace, path, min(room, order.limits.artifact_bytes))
        if data is not None:
            head = encode(Kind.ARTIFACT, run, encode_message(ArtifactHead(path, len(data))))
            write_all(pipe, b"".join([head, *encode_bulk(Kind.DATA, run, data, 64 * 1024)]))
            count, room = count + 1, room - len(data)
    write_all(pipe, encode(Kind.EXIT, run, encode_message(Exit(artifacts_left=len(paths) - count))))


def _read(workspace: str, path: str, most: int) -> bytes | None:
    """The content, None if it is too large, not a file after all, or has a name that nobody should be shown."""
    if not path.isprintable():
        return None
    try:
        file = _open(workspace, path)
    except OSError:
        return None
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_size > most:
            return None
        data = bytearray()
        while len(data) <= most and (piece := os.read(file, min(1 << 20, most + 1 - len(data)))):
            data += piece
        return bytes(data) if len(data) <= most else None
    except OSError:
        return None
    finally:
        os.close(file)


def _open(workspace: str, path: str) -> int:
    *directories, name = path.split("/")
    directory = os.open(workspace, DIRECTORY)
    try:
        for part in directories:
            inner = os.open(part, DIRECTORY, dir_fd=directory)
            os.close(directory)
            directory = inner
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
    finally:
        os.close(directory)
