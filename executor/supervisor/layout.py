"""Lays a workspace out from records (see `executor.tree`), from a process of its own, before any program has run.

Each entry is made with the rights of its owner, so nothing has to be given away afterwards. Folders are open to the
group until everything lies in them; then, from the innermost out, they get their mode and time. What cannot be made is
counted and left out, and the rest goes on.
"""

import contextlib
import errno
import os
import signal
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from executor.frames import Kind, encode
from executor.messages import Kept, encode_message
from executor.supervisor.guise import Guise, into
from executor.supervisor.paths import DIRECTORY, write_all
from executor.tree import Entry, Record, RecordReader, TreeError, decode_content, decode_entry

_PIECE: Final = 256 * 1024
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OPEN: Final = 0o2777


@dataclass(frozen=True, slots=True)
class Order:
    """`owners` has the uid of each requester, and of "", which is nobody in particular."""

    workspace: str
    gid: int
    owners: Mapping[str, int]


def lay(run: int, order: Order, source: int, pipe: int) -> None:
    """Read records from `source` to its end and write one KEPT frame."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    os.umask(0)
    try:
        root = os.open(order.workspace, DIRECTORY)
        layout = _Layout(root, order.gid, order.owners)
        reader = RecordReader()
        while data := os.read(source, _PIECE):
            for kind, payload in reader.feed(data):
                layout.take(kind, payload)
        kept = layout.finish()
    except (OSError, TreeError) as error:
        kept = Kept(error=f"the workspace cannot be laid out: {error}", complete=False)
    write_all(pipe, encode(Kind.KEPT, run, encode_message(kept)))


class _Layout:
    def __init__(self, root: int, gid: int, owners: Mapping[str, int]) -> None:
        self._root = root
        self._owners = owners
        self._guise = Guise(gid)
        self._head: Entry | None = None
        self._file = -1
        self._folders: list[Entry] = []
        self._further: list[Entry] = []
        self._made = 0
        self._left: Counter[str] = Counter()
        self._parent: tuple[list[str], int] = ([], os.dup(root))

    def take(self, kind: Record, payload: bytes) -> None:
        match kind:
            case Record.ENTRY:
                self._begin(decode_entry(payload))
            case Record.CONTENT:
                self._write(*decode_content(payload))
            case Record.CLOSE:
                self._end()
            case _:
                raise TreeError(f"{kind.name} does not belong into a whole workspace")

    def finish(self) -> Kept:
        for entry in self._further:
            self._attempt(self._link, entry)
        for entry in reversed(self._folders):
            self._attempt(self._settle, entry)
        return Kept(self._made, left=dict(self._left))

    def _begin(self, head: Entry) -> None:
        self._drop()
        self._head = head
        match head.kind:
            case "same":
                self._further.append(head)
            case "file":
                self._attempt(self._create, head)
            case "folder":
                self._attempt(self._folder, head)
            case "link":
                self._attempt(self._symlink, head)

    def _attempt(self, step: Callable[[Entry], None], entry: Entry) -> None:
        try:
            step(entry)
        except OSError as error:
            self._left[errno.errorcode.get(error.errno or 0, "OSError")] += 1

    def _create(self, head: Entry) -> None:
        folder, name = self._place(head)
        self._file = os.open(name, _NEW, 0o600, dir_fd=folder)

    def _folder(self, head: Entry) -> None:
        folder, name = self._place(head)
        os.mkdir(name, _OPEN, dir_fd=folder)
        self._folders.append(head)

    def _symlink(self, head: Entry) -> None:
        folder, name = self._place(head)
        os.symlink(head.target, name, dir_fd=folder)
        os.utime(name, ns=(head.mtime_ns, head.mtime_ns), dir_fd=folder, follow_symlinks=False)
        self._made += 1

    def _link(self, entry: Entry) -> None:
        *parts, first = entry.target.split("/")
        source = into(self._root, parts)
        try:
            self._guise.of(os.stat(first, dir_fd=source, follow_symlinks=False).st_uid)
            folder, name = self._folder_of(entry.path)
            os.link(first, name, src_dir_fd=source, dst_dir_fd=folder, follow_symlinks=False)
        finally:
            os.close(source)
        self._made += 1

    def _write(self, offset: int, data: bytes) -> None:
        if self._file < 0:
            return
        try:
            while data:
                written = os.pwrite(self._file, data, offset)
                offset, data = offset + written, data[written:]
        except OSError as error:
            self._left[errno.errorcode.get(error.errno or 0, "OSError")] += 1
            self._drop()

    def _end(self) -> None:
        if self._file >= 0 and self._head is not None:
            self._attempt(self._finish_file, self._head)
        self._drop(keep=True)

    def _finish_file(self, head: Entry) -> None:
        os.ftruncate(self._file, head.size)
        os.fchmod(self._file, head.mode)
        os.utime(self._file, ns=(head.mtime_ns, head.mtime_ns))
        self._made += 1

    def _settle(self, entry: Entry) -> None:
        self._guise.of(self._owner(entry))
        folder = into(self._root, entry.path.split("/"))
        try:
            os.fchmod(folder, entry.mode)
            os.utime(folder, ns=(entry.mtime_ns, entry.mtime_ns))
        finally:
            os.close(folder)
        self._made += 1

    def _drop(self, *, keep: bool = False) -> None:
        """Be done with a file; one that is not whole goes."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
            if not keep and self._head is not None:
                with contextlib.suppress(OSError):
                    folder, name = self._place(self._head)
                    os.unlink(name, dir_fd=folder)

    def _place(self, entry: Entry) -> tuple[int, str]:
        self._guise.of(self._owner(entry))
        return self._folder_of(entry.path)

    def _owner(self, entry: Entry) -> int:
        return self._owners.get(entry.owner, self._owners[""])

    def _folder_of(self, path: str) -> tuple[int, str]:
        """Where it lies, and its name there. Most entries lie where the one before them does."""
        *parts, name = path.split("/")
        if parts != self._parent[0]:
            inner = into(self._root, parts)
            os.close(self._parent[1])
            self._parent = (parts, inner)
        return self._parent[1], name
