"""Where workspaces are kept while their sandboxes are not there: the port, and its twin in memory.

An archive knows nothing of sandboxes and little of files: it is given records (see `executor.tree`) and gives them
back. What one `saving` has brought is there whole or not at all. Each save gives the workspace another *generation*, by
which a sandbox that was left behind can be told from one that the archive has followed.

`executor.journal` is the one on disk. Both pass the same contract suite.
"""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol

from executor.errors import ExecutorError
from executor.tree import HEAD, Record, RecordReader, decode_entry, decode_gone

NOTHING = ""
"""The generation of a workspace of which nothing is kept."""

PIECE = 256 * 1024


class ArchiveUnavailable(ExecutorError):
    """The archive cannot be read or written: what it has stays as it is; an operator has to look at its disk."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A workspace as it was last saved. `pieces` are whole records, folders ahead of what lies in them, further names
    of a file behind it, each at most `PIECE` long.
    """

    generation: str
    owners: tuple[str, ...]
    entries: int
    pieces: AsyncIterator[bytes]


class Saving(Protocol):
    async def add(self, data: bytes) -> None:
        """The next piece of the records, cut anywhere. TreeError where they are none, ArchiveUnavailable."""
        ...


class WorkspaceArchive(Protocol):
    """By key (see `executor.naming.channel_key`). Every method may raise ArchiveUnavailable."""

    async def generation(self, key: str) -> str: ...

    async def mark(self, key: str) -> bytes:
        """The MARK of the last save; nothing where there was none."""
        ...

    def saving(self, key: str, generation: str) -> AbstractAsyncContextManager[Saving]:
        """What was added is kept at the end of the block, and nothing of it if the block raises. With nothing added,
        nothing changes. One at a time for each key.
        """
        ...

    def loading(self, key: str) -> AbstractAsyncContextManager[Stored]: ...

    async def forget(self, key: str) -> None: ...


@dataclass
class _Kept:
    generation: str = NOTHING
    entries: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    mark: bytes = b""


class _Batch:
    def __init__(self) -> None:
        self._reader = RecordReader()
        self.records: list[tuple[Record, bytes]] = []

    async def add(self, data: bytes) -> None:
        for kind, payload in self._reader.feed(data):
            if kind is Record.ENTRY:
                decode_entry(payload)
            self.records.append((kind, payload))


class MemoryArchive:
    """See `WorkspaceArchive`."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}

    async def generation(self, key: str) -> str:
        return self._kept.get(key, _Kept()).generation

    async def mark(self, key: str) -> bytes:
        return self._kept.get(key, _Kept()).mark

    @asynccontextmanager
    async def saving(self, key: str, generation: str) -> AsyncIterator[Saving]:
        batch = _Batch()
        yield batch
        if batch.records:
            kept = self._kept.setdefault(key, _Kept())
            kept.generation = generation
            _apply(kept, batch.records)

    @asynccontextmanager
    async def loading(self, key: str) -> AsyncIterator[Stored]:
        kept = self._kept.get(key, _Kept())
        entries = [data for _, (_, data) in sorted(kept.entries.items(), key=lambda row: _order(row[0], row[1][1]))]
        owners = tuple(sorted({owner for owner, _ in kept.entries.values()}))

        async def pieces() -> AsyncIterator[bytes]:
            for data in entries:
                for at in range(0, len(data), PIECE):
                    yield data[at : at + PIECE]

        yield Stored(kept.generation, owners, len(entries), pieces())

    async def forget(self, key: str) -> None:
        self._kept.pop(key, None)


def _apply(kept: _Kept, records: list[tuple[Record, bytes]]) -> None:
    marks: list[bytes] = []
    current = bytearray()
    path = owner = ""
    for kind, payload in records:
        match kind:
            case Record.MARK:
                marks.append(payload)
            case Record.GONE:
                kept.entries.pop(decode_gone(payload), None)
            case Record.ENTRY:
                head = decode_entry(payload)
                path, owner = head.path, head.owner
                current = bytearray()
            case _:
                pass
        if kind in {Record.ENTRY, Record.CONTENT, Record.CLOSE}:
            current += HEAD.pack(kind, len(payload)) + payload
        if kind is Record.CLOSE:
            kept.entries[path] = (owner, bytes(current))
    kept.mark = b"".join(marks)


def _order(path: str, data: bytes) -> tuple[bool, str]:
    ((_, payload), *_) = RecordReader().feed(data)
    return decode_entry(payload).kind == "same", path
