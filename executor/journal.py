"""Workspaces in a folder, a journal for each: what changed is appended.

When a journal has become twice as long as what it began with, what still counts is written into a new one, which then
takes its place. File names in a workspace are data in here; none becomes a name on the host's disk.
"""

import asyncio
import contextlib
import logging
import os
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO, Final

from executor.archive import PIECE, ArchiveUnavailable, Saving, Stored
from executor.journalfile import Span, State, begin, commit, compact, generation_of, mark_of, opened, read
from executor.tree import HEAD, Record, RecordReader, TreeError, decode_entry
from executor.types import MIB

logger = logging.getLogger(__name__)

_SLACK: Final = 4 * MIB
_WRONG: Final = "The channel's files cannot be kept or fetched just now."


class FolderArchive:
    """See `executor.archive.WorkspaceArchive`. The folder is made when it is first needed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def generation(self, key: str) -> str:
        with _explained(key):
            return await asyncio.to_thread(generation_of, self._path(key))

    async def mark(self, key: str) -> bytes:
        with _explained(key):
            return await asyncio.to_thread(mark_of, self._path(key))

    @asynccontextmanager
    async def saving(self, key: str, generation: str) -> AsyncIterator[Saving]:
        writer = _Writer(self._path(key))
        try:
            yield writer
            with _explained(key):
                await asyncio.to_thread(writer.commit, generation)
        finally:
            await asyncio.to_thread(writer.close)

    @asynccontextmanager
    async def loading(self, key: str) -> AsyncIterator[Stored]:
        with _explained(key):
            file, index = await asyncio.to_thread(opened, self._path(key))
        try:
            spans = index.ordered
            owners = tuple(sorted({span.owner for span in spans}))
            yield Stored(index.state.generation, owners, len(spans), _pieces(key, file, spans))
        finally:
            if file is not None:
                file.close()

    async def forget(self, key: str) -> None:
        with _explained(key):
            await asyncio.to_thread(self._path(key).unlink, missing_ok=True)

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.journal"


class _Writer:
    """One batch. Nothing is touched before something is added."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._reader = RecordReader()
        self._file: BinaryIO | None = None
        self._state = State(b"")
        self._marks: int | None = None
        self._checksum = 0
        self._added = 0

    async def add(self, data: bytes) -> None:
        for kind, payload in self._reader.feed(data):
            if kind is Record.ENTRY:
                decode_entry(payload)
            if kind is Record.MARK and self._marks is None:
                self._marks = self._added
            self._added += HEAD.size + len(payload)
        with _explained(self._path.stem):
            await asyncio.to_thread(self._append, data)

    def _append(self, data: bytes) -> None:
        if self._file is None:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self._file = os.fdopen(descriptor, "r+b")
            self._state = begin(self._file)
        self._checksum = zlib.crc32(data, self._checksum)
        self._file.write(data)

    def commit(self, generation: str) -> None:
        if self._file is None:
            return
        if not self._reader.between:
            raise TreeError("half a record at the end")
        start, end = self._state.end, self._file.tell()
        first = self._state.first or end
        marks = start + (self._added if self._marks is None else self._marks)
        self._file.write(commit(self._state.key, (generation, start, marks, first, self._checksum)))
        self._file.flush()
        os.fsync(self._file.fileno())
        if end > 2 * first + _SLACK:
            compact(self._file, self._path)

    def close(self) -> None:
        """What was not committed stays behind the last COMMIT, where it counts for nothing."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()
            self._file = None


async def _pieces(key: str, file: BinaryIO | None, spans: list[Span]) -> AsyncIterator[bytes]:
    """Neighbours are read together; an entry that is longer than a piece comes in several."""
    if file is None:
        return
    waiting = bytearray()
    for span in spans:
        for at in range(span.start, span.end, PIECE):
            length = min(PIECE, span.end - at)
            if len(waiting) + length > PIECE:
                yield bytes(waiting)
                waiting.clear()
            with _explained(key):
                waiting += await asyncio.to_thread(read, file, at, length)
    if waiting:
        yield bytes(waiting)


@contextlib.contextmanager
def _explained(key: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        logger.exception("workspace archive failed", extra={"key": key})
        raise ArchiveUnavailable(_WRONG) from error
