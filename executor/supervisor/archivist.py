"""Brings out what has changed in the workspace, as records (see `executor.tree`), from a process of its own.

Programs may run meanwhile, and be hostile. Nothing is followed or waited for, each step goes through the descriptor of
the folder before it, and everything is bounded: depth, names, content, time. What a bound or its kind keeps behind is
counted. What changes while it is read is read again the next time, for it has another ctime then.

The *mark* is a list of what the archive has, for each path inode, ctime, digest and, for a further name of a file, that
file's path. An entry with the same inode and ctime is unchanged: programs cannot set the ctime, and a moved folder
gives its entries other paths. Otherwise the content decides, so in another container nothing goes over the wire that is
in the archive already. A file that a program wrote through a shared mapping keeps its ctime; `thorough` finds that.
"""

import errno
import json
import os
import stat
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from executor.frames import Kind, encode
from executor.messages import Kept, Save, encode_message
from executor.supervisor.guise import Guise
from executor.supervisor.paths import DIRECTORY, write_all
from executor.tree import (
    HEAD,
    MAX_PATH,
    PIECE,
    Entry,
    EntryKind,
    encode_close,
    encode_content,
    encode_entry,
    encode_gone,
    encode_mark,
    new_digest,
)
from executor.types import MIB

DEEPEST: Final = 64
_MOST_SECONDS: Final = 20.0
_MOST_NAMES: Final = 16 * MIB
_UNSETTLED_NS: Final = 20_000_000  # ticks of the clock of file times are shorter
_BUFFER: Final = 256 * 1024


class Known(NamedTuple):
    inode: int
    ctime_ns: int
    digest: str
    target: str = ""


@dataclass(frozen=True, slots=True)
class Order:
    """What to bring out, and whose the uids are."""

    save: Save
    mark: bytes
    workspace: str
    gid: int
    owners: Mapping[int, str]


class _Enough(Exception):
    """A bound is met: what has come out is good, the rest is for the next time."""


def bring_out(run: int, order: Order, pipe: int) -> None:
    """Write TREE frames, and last KEPT."""
    os.nice(5)
    sink = _Sink(run, pipe)
    try:
        kept = _Walk(order, sink).walk()
    except OSError as error:
        kept = Kept(error=f"the workspace cannot be read: {error}", complete=False)
    sink.flush()
    write_all(pipe, encode(Kind.KEPT, run, encode_message(kept)))


class _Sink:
    def __init__(self, run: int, pipe: int) -> None:
        self._run = run
        self._pipe = pipe
        self._buffer = bytearray()

    def put(self, record: bytes) -> None:
        self._buffer += record
        if len(self._buffer) >= _BUFFER:
            self.flush()

    def flush(self) -> None:
        if self._buffer:
            write_all(self._pipe, encode(Kind.TREE, self._run, bytes(self._buffer)))
            self._buffer.clear()


class _Walk:
    def __init__(self, order: Order, sink: _Sink) -> None:
        self._order = order
        self._sink = sink
        self._before = decode_mark(order.mark)
        self._now: dict[str, Known] = {}
        self._first: dict[int, str] = {}
        self._left: Counter[str] = Counter()
        self._entries = 0
        self._room = order.save.limit_bytes
        self._names = _MOST_NAMES
        self._until = time.monotonic() + _MOST_SECONDS
        self._guise = Guise(order.gid)

    def walk(self) -> Kept:
        complete = True
        root = os.open(self._order.workspace, DIRECTORY)
        try:
            self._folder(root, os.fstat(root).st_uid, "", 0)
        except _Enough as enough:
            complete = False
            self._left[str(enough)] += 1
        finally:
            os.close(root)
        gone = [path for path in self._before if path not in self._now] if complete else []
        for path in gone:
            self._sink.put(encode_gone(path))
        if self._entries or gone:
            for record in encode_mark(encode_known(self._now if complete else self._before | self._now)):
                self._sink.put(record)
        return Kept(self._entries, len(gone), dict(self._left), complete)

    def _folder(self, folder: int, owner: int, prefix: str, depth: int) -> None:
        self._guise.of(owner)
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries]
        for name in names:
            if time.monotonic() > self._until:
                raise _Enough("time")
            path = prefix + name
            self._names -= len(path)
            if len(path) > MAX_PATH or depth >= DEEPEST or self._names < 0:
                self._left["depth" if self._names >= 0 else "names"] += 1
                continue
            try:
                self._entry(folder, owner, name, path, depth)
            except OSError as error:
                if error.errno != errno.ENOENT:  # else it has gone meanwhile
                    self._left["unreadable"] += 1

    def _entry(self, folder: int, owner: int, name: str, path: str, depth: int) -> None:
        self._guise.of(owner)
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISLNK(status.st_mode):
            target = os.readlink(name, dir_fd=folder)
            self._plain(self._head(path, "link", status, target), status)
        elif stat.S_ISDIR(status.st_mode):
            with self._guise.reading(folder, name, owner) as (inner, now):
                self._plain(self._head(path, "folder", now), now)
                self._folder(inner, now.st_uid, path + "/", depth + 1)
        elif not stat.S_ISREG(status.st_mode):
            self._left["special"] += 1
        elif (first := self._first.get(status.st_ino)) is not None:
            self._plain(Entry(path, "same", target=first), status, first)
        else:
            if not self._unchanged(path, status, ""):
                with self._guise.reading(folder, name, owner) as (file, now):
                    self._file(path, file, now)
            if status.st_nlink > 1:
                self._first[status.st_ino] = path

    def _unchanged(self, path: str, status: os.stat_result, target: str) -> bool:
        """By the file system's word for it; then it is noted as being there."""
        known = self._before.get(path)
        if known is None or self._order.save.thorough or known.target != target:
            return False
        if (known.inode, known.ctime_ns) != (status.st_ino, status.st_ctime_ns):
            return False
        self._now[path] = known
        return True

    def _plain(self, head: Entry, status: os.stat_result, target: str = "") -> None:
        """An entry without content."""
        if self._unchanged(head.path, status, target):
            return
        record = encode_entry(head)
        digest = new_digest(record[HEAD.size :])
        if not self._same_digest(head.path, digest.hexdigest()):
            self._entries += 1
            self._sink.put(record)
            self._sink.put(encode_close(digest.digest()))
        self._note(head.path, status, digest.hexdigest(), target)

    def _file(self, path: str, file: int, status: os.stat_result) -> None:
        head = encode_entry(self._head(path, "file", status))
        if path in self._before:
            digest = new_digest(head[HEAD.size :])
            for record in self._content(file, status.st_size):
                digest.update(record[HEAD.size :])
            if self._same_digest(path, digest.hexdigest()):
                self._note(path, status, digest.hexdigest())
                return
        if status.st_blocks * 512 > self._room:
            raise _Enough("size")
        digest = new_digest(head[HEAD.size :])
        self._sink.put(head)
        for record in self._content(file, status.st_size):
            digest.update(record[HEAD.size :])
            self._room -= len(record)
            self._sink.put(record)
        self._sink.put(encode_close(digest.digest()))
        self._entries += 1
        self._note(path, status, digest.hexdigest())

    def _content(self, file: int, size: int) -> Iterator[bytes]:
        """Its data as far as it was `size` bytes long, without its holes."""
        end = 0
        while end < size:
            try:
                at = os.lseek(file, end, os.SEEK_DATA)
            except OSError:
                return  # a hole up to the end
            end = min(size, os.lseek(file, at, os.SEEK_HOLE))
            while at < end and (data := os.pread(file, min(PIECE, end - at), at)):
                if time.monotonic() > self._until:
                    raise _Enough("time")
                yield encode_content(at, data)
                at += len(data)
            if at < end:
                return  # it was cut meanwhile

    def _same_digest(self, path: str, digest: str) -> bool:
        known = self._before.get(path)
        return known is not None and known.digest == digest

    def _note(self, path: str, status: os.stat_result, digest: str, target: str = "") -> None:
        """A change within the same tick of the clock leaves no trace in the ctime, so a young one is not relied on."""
        young = time.time_ns() - status.st_ctime_ns < _UNSETTLED_NS
        self._now[path] = Known(status.st_ino, 0 if young else status.st_ctime_ns, digest, target)

    def _head(self, path: str, kind: EntryKind, status: os.stat_result, target: str = "") -> Entry:
        mode = stat.S_IMODE(status.st_mode) & (
            0o3777 if kind == "folder" else 0o777
        )  # no setuid, and no setgid program
        owner = self._order.owners.get(status.st_uid, "")
        return Entry(path, kind, mode, owner, status.st_mtime_ns, status.st_size if kind == "file" else 0, target)


def encode_known(known: Mapping[str, Known]) -> bytes:
    rows = [[path, *row] for path, row in known.items()]
    return zlib.compress(json.dumps(rows, separators=(",", ":")).encode("ascii"), 1)


def decode_mark(mark: bytes) -> dict[str, Known]:
    """A mark that nobody can read is one of nothing: then everything comes out."""
    try:
        rows = json.loads(zlib.decompress(mark)) if mark else []
        return {path: Known(*row) for path, *row in rows}
    except (ValueError, TypeError, zlib.error):
        return {}
