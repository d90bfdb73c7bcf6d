"""A workspace as a stream of records: what comes out of a sandbox, what an archive keeps, what a new sandbox is laid
out from. Pure; runs on both sides.

A record is kind u8, length u32 (big endian), then at most `MAX_RECORD` bytes.

    ENTRY      the head of a file, folder, link or further name of a file, as JSON (see `Entry`)
    CONTENT    u64 offset, then bytes of the file whose head came last; what no CONTENT covers is a hole
    CLOSE      the end of an entry: a digest of its ENTRY and CONTENT
    GONE       the path of an entry that is no longer there
    MARK       a piece of what the sandbox wants to be given the next time, to tell what has changed since

Names are bytes on disk and need not be text: they are text here as Python has them (UTF-8 with surrogate escapes), and
JSON keeps that. Paths are data: nothing on the host ever opens a file under one.
"""

import hashlib
import json
import struct
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from enum import IntEnum
from typing import Final, Literal

from executor.types import KIB

HEAD: Final = struct.Struct(">BI")
MAX_RECORD: Final = 64 * KIB
PIECE: Final = MAX_RECORD - 8
MAX_PATH: Final = 4000
DIGEST_BYTES: Final = 16
_OFFSET: Final = struct.Struct(">Q")

EntryKind = Literal["file", "folder", "link", "same"]
_KINDS: Final = frozenset({"file", "folder", "link", "same"})


class Record(IntEnum):
    ENTRY = 1
    CONTENT = 2
    CLOSE = 3
    GONE = 4
    MARK = 5


class TreeError(ValueError):
    """The bytes are no records of a workspace."""


@dataclass(frozen=True, slots=True)
class Entry:
    """`owner` is the requester's key, since uids differ from one sandbox to the next; "" where there is none. `target`
    is what a link says, or the path of which this is a further name. `mode` is of permissions alone.
    """

    path: str
    kind: EntryKind
    mode: int = 0
    owner: str = ""
    mtime_ns: int = 0
    size: int = 0
    target: str = ""

    def __post_init__(self) -> None:
        parts = self.path.split("/")
        if {"", ".", ".."} & set(parts) or "\0" in self.path or len(self.path) > MAX_PATH:
            raise TreeError(f"no path of a workspace: {self.path[:100]!r}")
        if self.kind not in _KINDS or not 0 <= self.mode <= 0o3777 or self.size < 0:
            raise TreeError(f"no entry of a workspace: {self.kind} {self.mode:o} {self.size}")


def encode_entry(entry: Entry) -> bytes:
    return _record(Record.ENTRY, json.dumps(astuple(entry), separators=(",", ":")).encode("ascii"))


def encode_content(offset: int, data: bytes) -> bytes:
    return _record(Record.CONTENT, _OFFSET.pack(offset) + data)


def encode_close(digest: bytes) -> bytes:
    return _record(Record.CLOSE, digest)


def encode_gone(path: str) -> bytes:
    return _record(Record.GONE, path.encode("utf-8", "surrogateescape"))


def encode_mark(mark: bytes) -> Iterator[bytes]:
    for at in range(0, len(mark), MAX_RECORD):
        yield _record(Record.MARK, mark[at : at + MAX_RECORD])


def decode_entry(payload: bytes) -> Entry:
    try:
        path, kind, mode, owner, mtime_ns, size, target = json.loads(payload)
        texts, numbers = (path, kind, owner, target), (mode, mtime_ns, size)
        if not all(isinstance(text, str) for text in texts) or not all(type(number) is int for number in numbers):
            raise TreeError("an entry's head is of other types")
        return Entry(path, kind, mode, owner, mtime_ns, size, target)
    except TreeError:
        raise
    except (ValueError, TypeError) as error:
        raise TreeError(f"an entry's head cannot be understood: {error}") from error


def decode_content(payload: bytes) -> tuple[int, bytes]:
    if len(payload) < _OFFSET.size:
        raise TreeError("content without its place")
    return _OFFSET.unpack_from(payload)[0], payload[_OFFSET.size :]


def decode_gone(payload: bytes) -> str:
    return payload.decode("utf-8", "surrogateescape")


def new_digest(head: bytes) -> "hashlib.blake2b":
    """Of an entry: begun with the payload of its ENTRY, to be fed those of its CONTENT."""
    return hashlib.blake2b(head, digest_size=DIGEST_BYTES)


class RecordReader:
    """Records out of a stream, however it was cut."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    @property
    def between(self) -> bool:
        """Whether the last record is whole."""
        return not self._buffer

    def feed(self, data: bytes) -> list[tuple[Record, bytes]]:
        """Kind and payload of every record that `data` completes. TreeError."""
        self._buffer += data
        records: list[tuple[Record, bytes]] = []
        at = 0
        while len(self._buffer) - at >= HEAD.size:
            number, length = HEAD.unpack_from(self._buffer, at)
            if not Record.ENTRY <= number <= Record.MARK or length > MAX_RECORD:
                raise TreeError(f"no record of a workspace: kind {number}, {length} bytes")
            end = at + HEAD.size + length
            if len(self._buffer) < end:
                break
            records.append((Record(number), bytes(self._buffer[at + HEAD.size : end])))
            at = end
        del self._buffer[:at]
        return records


def _record(kind: Record, payload: bytes) -> bytes:
    if len(payload) > MAX_RECORD:
        raise TreeError(f"a record of {len(payload)} bytes is above {MAX_RECORD}")
    return HEAD.pack(kind, len(payload)) + payload
