"""The file of one workspace: batches of records (see `executor.tree`), each with a COMMIT behind it. Blocking.

Whenever the process ends, even in the middle of a write, everything up to the last COMMIT is a whole workspace; what
stands behind that is cut off by whoever appends next. A COMMIT carries a checksum of its batch, for a machine that
loses its power, and a seal by a key that is the file's own: no content of a file can pass for one, so whoever finds a
sealed COMMIT at the very end need not read the rest.
"""

import hashlib
import hmac
import logging
import os
import secrets
import struct
import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, Final

from executor.archive import NOTHING, PIECE
from executor.tree import HEAD, MAX_RECORD, Record, RecordReader, TreeError, decode_entry, decode_gone

logger = logging.getLogger(__name__)

_MAGIC: Final = b"fencepost workspace 1\n"
_KEY_BYTES: Final = 16
_BEGIN: Final = len(_MAGIC) + _KEY_BYTES
_COMMIT: Final = 0x43
_TAIL: Final = struct.Struct(">16sQQQI")  # generation; where batch and MARK begin; end of the first batch; checksum
_SEAL_BYTES: Final = 16
_TAIL_BYTES: Final = HEAD.size + _TAIL.size + _SEAL_BYTES


@dataclass(frozen=True, slots=True)
class Span:
    start: int
    end: int
    owner: str
    further: bool


@dataclass(frozen=True, slots=True)
class State:
    """A journal as of its last COMMIT, which ends at `end`. `marks` is where that one's MARK records lie."""

    key: bytes
    generation: str = NOTHING
    marks: tuple[int, int] = (0, 0)
    first: int = 0
    end: int = _BEGIN


@dataclass(frozen=True, slots=True)
class Index:
    state: State
    entries: dict[str, Span] = field(default_factory=dict)

    @property
    def ordered(self) -> list[Span]:
        return [span for _, span in sorted(self.entries.items(), key=lambda row: (row[1].further, row[0]))]


def begin(file: BinaryIO) -> State:
    """Ready to append. A journal that never had a COMMIT begins anew."""
    state = last(file)
    if not state.generation:
        state = State(secrets.token_bytes(_KEY_BYTES))
        file.seek(0)
        file.truncate()
        file.write(_MAGIC + state.key)
    file.seek(state.end)
    file.truncate()
    return state


def commit(key: bytes, fields: tuple[str, int, int, int, int]) -> bytes:
    generation, *numbers = fields
    tail = _TAIL.pack(generation.encode("ascii"), *numbers)
    return HEAD.pack(_COMMIT, len(tail) + _SEAL_BYTES) + tail + _seal(key, tail)


def _seal(key: bytes, tail: bytes) -> bytes:
    return hashlib.blake2b(tail, key=key, digest_size=_SEAL_BYTES).digest()


def _committed(key: bytes, payload: bytes, at: int) -> tuple[State, int, int] | None:
    """From the COMMIT at `at`: the state after it, where its batch begins, and that one's checksum."""
    tail, seal = payload[: _TAIL.size], payload[_TAIL.size :]
    if len(payload) != len(tail) + _SEAL_BYTES or not hmac.compare_digest(seal, _seal(key, tail)):
        return None
    generation, start, marks, first, checksum = _TAIL.unpack(tail)
    name = generation.rstrip(b"\0").decode("ascii")
    return State(key, name, (marks, at), first, at + _TAIL_BYTES), start, checksum


def last(file: BinaryIO) -> State:
    """By the COMMIT at the very end, or else by reading everything."""
    key = _key(file)
    at = file.seek(0, os.SEEK_END) - _TAIL_BYTES
    if key and at > _BEGIN:
        file.seek(at)
        head, payload = file.read(HEAD.size), file.read()
        if HEAD.unpack(head)[0] == _COMMIT and (found := _committed(key, payload, at)) is not None:
            return found[0]
    return scan(file).state


def _key(file: BinaryIO) -> bytes:
    """None, where the file has hardly begun."""
    file.seek(0)
    magic, key = file.read(len(_MAGIC)), file.read(_KEY_BYTES)
    return key if magic == _MAGIC else b""


def scan(file: BinaryIO) -> Index:
    """Everything up to the last COMMIT that is as it was written."""
    scanned = _Scan(_key(file))
    while scanned.state.key and len(head := file.read(HEAD.size)) == HEAD.size:
        number, length = HEAD.unpack(head)
        payload = file.read(length) if length <= MAX_RECORD else b""
        if len(payload) != length or not scanned.take(number, head, payload):
            break
    return Index(scanned.state, {path: span for path, span in scanned.entries.items() if span is not None})


class _Scan:
    def __init__(self, key: bytes) -> None:
        self.state = State(key)
        self.entries: dict[str, Span | None] = {}
        self._batch: dict[str, Span | None] = {}
        self._at = _BEGIN
        self._checksum = 0
        self._path = ""
        self._span = Span(0, 0, "", further=False)

    def take(self, number: int, head: bytes, payload: bytes) -> bool:
        """Whether the record can be believed."""
        if number == _COMMIT:
            found = _committed(self.state.key, payload, self._at)
            if found is None or found[1:] != (self.state.end, self._checksum):
                return False
            self.state = found[0]
            self.entries |= self._batch
            self._batch.clear()
            self._checksum = 0
        else:
            self._checksum = zlib.crc32(payload, zlib.crc32(head, self._checksum))
            try:
                self._note(number, payload)
            except TreeError:
                return False
        self._at += HEAD.size + len(payload)
        return True

    def _note(self, number: int, payload: bytes) -> None:
        match number:
            case Record.ENTRY:
                entry = decode_entry(payload)
                self._path = entry.path
                self._span = Span(self._at, self._at, entry.owner, entry.kind == "same")
            case Record.CLOSE:
                self._batch[self._path] = replace(self._span, end=self._at + HEAD.size + len(payload))
            case Record.GONE:
                self._batch[decode_gone(payload)] = None
            case _:
                pass


def opened(path: Path) -> tuple[BinaryIO | None, Index]:
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return None, Index(State(b""))
    try:
        index = scan(file)
        if index.state.end < path.stat().st_size:
            logger.warning("end of a workspace's journal left out", extra={"journal": path.name})
    except BaseException:
        file.close()
        raise
    return file, index


def generation_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return last(file).generation
    except FileNotFoundError:
        return NOTHING


def mark_of(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            start, end = last(file).marks
            return b"".join(payload for _, payload in RecordReader().feed(read(file, start, end - start)))
    except FileNotFoundError:
        return b""


def compact(old: BinaryIO, path: Path) -> None:
    index = scan(old)
    key = secrets.token_bytes(_KEY_BYTES)
    beside = path.with_suffix(".new")
    with os.fdopen(os.open(beside, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "r+b") as new:
        new.write(_MAGIC + key)
        checksum = 0
        marks_at = _BEGIN + sum(span.end - span.start for span in index.entries.values())
        for start, end in (*((span.start, span.end) for span in index.ordered), index.state.marks):
            for at in range(start, end, PIECE):
                data = read(old, at, min(PIECE, end - at))
                checksum = zlib.crc32(data, checksum)
                new.write(data)
        new.write(commit(key, (index.state.generation, _BEGIN, marks_at, new.tell(), checksum)))
        new.flush()
        os.fsync(new.fileno())
    beside.replace(path)


def read(file: BinaryIO, start: int, length: int) -> bytes:
    file.seek(start)
    return file.read(length)
