"""Which files of the workspace a program has created or changed, and how they come out.

A file counts as changed if its status changed since the program began (ctime). Unlike times of modification, a program
cannot set that one, so `cp -p`, `tar` and `touch -d` hide nothing, and no list of what was there before is needed.

Everything here runs with the requester's rights, after the requester's last process has died. Files are opened from
directory to directory without following links, never waited for, and read only if what was opened is a regular file.
Names beginning with a dot and caches are not brought out; a name that is not printable text stays behind and is
counted.

Figures that the program has shown lie in its own directory (see `executor.supervisor.figures`) and come first. One is
called as no changed file of the workspace is.
"""

import contextlib
import os
import stat
import time
from collections.abc import Generator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from executor.frames import Kind, encode, encode_bulk
from executor.messages import FIGURE, ArtifactHead, Exit, encode_message
from executor.supervisor.paths import DIRECTORY, write_all
from executor.types import Limits

FIGURES: Final = "figures"
_CACHES: Final = frozenset({"__pycache__", "node_modules"})
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_DEEPEST: Final = 16
_MOST_ENTRIES: Final = 10_000
_MOST_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Order:
    """What to bring out: figures in `scratch`, and files of the workspace (None: not its own) that were changed since
    `since` (ns), except those the bot laid under the names in `known`.
    """

    scratch: str
    workspace: str | None
    since: int
    known: frozenset[str]
    limits: Limits


def changed(order: Order) -> Generator[str | None, None, None]:
    """Paths of changed files; None for each other entry that was looked at."""
    if order.workspace is None:
        return
    try:
        root = os.open(order.workspace, DIRECTORY)
    except OSError:
        return
    try:
        yield from _walk(root, "", order)
    finally:
        os.close(root)


def any_figures(scratch: str) -> bool:
    """Whether there may be."""
    try:
        os.close(_below(scratch, FIGURES))
    except OSError:
        return False
    return True


def _figures(scratch: str) -> list[str]:
    """Their names, in the order in which they were shown."""
    try:
        directory = _below(scratch, FIGURES)
    except OSError:
        return []
    try:
        with os.scandir(directory) as entries:
            names = [entry.name for entry in islice(entries, _MOST_ENTRIES) if FIGURE.fullmatch(entry.name)]
        return sorted(names, key=lambda name: (len(name), name))
    finally:
        os.close(directory)


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
    if order.workspace is not None:
        _share(order.workspace, paths)
    out = _Out(run, order.limits, pipe)
    names = _figures(order.scratch)
    taken = set(paths)
    for name in names:
        if out.full or time.monotonic() > until:
            break
        path = _free(name, taken)
        taken.add(path)
        out.put(path, read(order.scratch, f"{FIGURES}/{name}", out.room))
    for path in sorted(paths):
        if out.full or time.monotonic() > until:
            break
        if path.isprintable():
            out.put(path, read(order.workspace or "", path, out.room))
    left = len(names) + len(paths) - out.count
    write_all(pipe, encode(Kind.EXIT, run, encode_message(Exit(artifacts_left=left))))


def _share(workspace: str, paths: list[str]) -> None:
    """Give the workspace's group what was moved into it, with its group, from elsewhere (`mv`, `cp -p`)."""
    gid = os.getegid()
    for path in paths:
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            with contextlib.suppress(OSError):
                file = _below(workspace, "/".join(parts[:depth]), _READ)
                try:
                    status = os.fstat(file)
                    if status.st_uid == os.geteuid() and status.st_gid != gid:
                        os.fchown(file, -1, gid)
                        if stat.S_ISDIR(status.st_mode):
                            os.fchmod(file, stat.S_IMODE(status.st_mode) | stat.S_ISGID)
                finally:
                    os.close(file)


class _Out:
    """Files on their way to the host, and what the limits leave."""

    def __init__(self, run: int, limits: Limits, pipe: int) -> None:
        self._run = run
        self._limits = limits
        self._pipe = pipe
        self._total = 0
        self.count = 0

    @property
    def full(self) -> bool:
        return self.count >= self._limits.artifact_count

    @property
    def room(self) -> int:
        """For one more file."""
        return min(self._limits.artifact_bytes, self._limits.artifact_total_bytes - self._total)

    def put(self, path: str, data: bytes | None) -> None:
        if data is not None:
            head = encode(Kind.ARTIFACT, self._run, encode_message(ArtifactHead(path, len(data))))
            write_all(self._pipe, b"".join([head, *encode_bulk(Kind.DATA, self._run, data, 64 * 1024)]))
            self.count += 1
            self._total += len(data)


def _free(name: str, taken: set[str]) -> str:
    """The name, or the next number that none of `taken` has."""
    match = FIGURE.fullmatch(name)
    number = int(match[1]) if match else 1
    while (path := f"figure-{number}.png") in taken:
        number += 1
    return path


def read(root: str, path: str, most: int) -> bytes | None:
    """The content, None if it is too large or not a file after all."""
    try:
        return _content(_below(root, path, _READ), most)
    except OSError:
        return None


def _content(file: int, most: int) -> bytes | None:
    """And closes it."""
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


def _below(root: str, path: str, flags: int = DIRECTORY) -> int:
    *directories, name = path.split("/")
    directory = os.open(root, DIRECTORY)
    try:
        for part in directories:
            inner = os.open(part, DIRECTORY, dir_fd=directory)
            os.close(directory)
            directory = inner
        return os.open(name, flags, dir_fd=directory)
    finally:
        os.close(directory)
