"""The stream between the bot and the supervisor inside a sandbox: frames, and how both ends find each other again.

Pure and of the standard library alone: it runs on both sides. What the payloads mean stands in `executor.messages`.

**Frames.** type u8, run u32, length u32 (big endian), then at most `MAX_PAYLOAD` bytes. A run number names one block
that was started; the host counts it up and never uses one twice in the life of a sandbox. Run 0 is the channel itself.

    host → supervisor      DATA*, START   one block to run (see below)
                           CANCEL         end run; no payload, no answer of its own, an unknown run is ignored
                           PING           payload ASCII; PONG brings it back
                           DATA*, SAVE    bring out what has changed in the workspace since the mark in DATA
                           LAY, DATA*     lay the workspace out, before anything has run; an empty DATA ends it
                           MORE           one TREE has been taken in
    supervisor → host      READY          the first frame after each synchronisation (run 0)
                           STARTED        the program has been handed over; always before its output
                           STDOUT STDERR  what the program wrote, as it came, at most 64 KiB
                           ARTIFACT DATA* a file that came out: head, then exactly that many bytes
                           EXIT           the end of a run; nothing follows under its number
                           REFUSED        the run never began; nothing follows under its number
                           PONG
                           LOG            UTF-8 text for the operator (run 0, or the run it is about)
                           TREE           a piece of the records of `executor.tree`
                           KEPT           the end of a SAVE or LAY; nothing follows under its number
                           MORE           one DATA of a LAY has been taken in

Whoever sends a workspace has at most `WINDOW` pieces on the way that no MORE has answered.

A START has to be one frame; its bulk (code, standard input, files) goes ahead as DATA frames of the same run.

**Synchronisation.** The engine keeps the stream open while bots come and go, so neither end knows what the other has
already read: a bot may attach in the middle of a frame, or write after half a frame of its predecessor. Hence the
host begins every attachment with SYNC = mark + token (32 bytes, one per container) + nonce (16 bytes, fresh), outside
of any frame. The supervisor finds mark + token wherever they turn up, forgets half a frame and half a request before
it, drops whatever it had still buffered for sending and answers token + nonce, again outside of any frame, followed
by READY. The host skips all bytes up to that answer.

Why this cannot be forged or missed: the nonce is fresh, so no program can have written the answer before it was
asked for. The token need not stay secret: `executor.messages.encode_start` refuses bulk that contains it, and frame
heads lie between any two payloads. The mark is a byte that neither JSON nor the head of an urgent frame ends in;
that lets the supervisor hold a possible beginning of SYNC back without ever holding back a complete request, so what
is decoded does not depend on how the stream was cut into pieces.
"""

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

PROTOCOL: Final = 2
TOKEN_BYTES: Final = 32
NONCE_BYTES: Final = 16
MAX_PAYLOAD: Final = 1024 * 1024
WINDOW: Final = 8
HEADER: Final = struct.Struct(">BII")
_MARK: Final = b"\xff"


class Kind(IntEnum):
    START = 0x01
    DATA = 0x02
    CANCEL = 0x03
    PING = 0x04
    SAVE = 0x05
    LAY = 0x06
    MORE = 0x07
    READY = 0x11
    STARTED = 0x12
    STDOUT = 0x13
    STDERR = 0x14
    ARTIFACT = 0x15
    EXIT = 0x16
    REFUSED = 0x17
    PONG = 0x18
    LOG = 0x19
    TREE = 0x1A
    KEPT = 0x1B


TO_SUPERVISOR: Final = frozenset({Kind.START, Kind.DATA, Kind.CANCEL, Kind.PING, Kind.SAVE, Kind.LAY, Kind.MORE})
TO_HOST: Final = frozenset(Kind) - TO_SUPERVISOR | {Kind.DATA, Kind.MORE}


class FrameError(ValueError):
    """The bytes are no frames of this protocol; only a new synchronisation helps."""


@dataclass(frozen=True, slots=True)
class Frame:
    kind: Kind
    run: int
    payload: bytes = b""


@dataclass(frozen=True, slots=True)
class Sync:
    """A host has attached and waits for `encode_answer(token, nonce)`."""

    nonce: bytes


@dataclass(frozen=True, slots=True)
class Garbage:
    """What came is no frame; everything up to the next SYNC is skipped. Reported once."""

    text: str


def encode(kind: Kind, run: int, payload: bytes = b"") -> bytes:
    if len(payload) > MAX_PAYLOAD:
        raise FrameError(f"a payload of {len(payload)} bytes is above the {MAX_PAYLOAD} of a frame")
    return HEADER.pack(kind, run, len(payload)) + payload


def encode_bulk(kind: Kind, run: int, data: bytes, size: int = MAX_PAYLOAD) -> list[bytes]:
    """Frames that carry `data` in order, none if it is empty."""
    return [encode(kind, run, data[at : at + size]) for at in range(0, len(data), size)]


def encode_sync(token: bytes, nonce: bytes) -> bytes:
    """What the host writes before anything else on every attachment."""
    return _MARK + _checked(token, TOKEN_BYTES) + _checked(nonce, NONCE_BYTES)


def encode_answer(token: bytes, nonce: bytes) -> bytes:
    """What the supervisor answers, in front of READY."""
    return _checked(token, TOKEN_BYTES) + _checked(nonce, NONCE_BYTES)


class FrameReader:
    """Frames out of a stream that begins with a frame."""

    def __init__(self, allowed: frozenset[Kind]) -> None:
        self._allowed = allowed
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Frame]:
        """Every frame that `data` completes.

        Raises:
            FrameError: the stream is no stream of allowed frames. Frames before that point are lost with it, which
                is harmless: whoever sees the error has to synchronise anew.
        """
        self._buffer += data
        frames: list[Frame] = []
        at = 0
        while len(self._buffer) - at >= HEADER.size:
            kind, run, length = HEADER.unpack_from(self._buffer, at)
            if kind not in self._allowed or length > MAX_PAYLOAD:
                self._buffer.clear()
                raise FrameError(f"no frame of this protocol: type {kind}, {length} bytes")
            end = at + HEADER.size + length
            if len(self._buffer) < end:
                break
            frames.append(Frame(Kind(kind), run, bytes(self._buffer[at + HEADER.size : end])))
            at = end
        del self._buffer[:at]
        return frames


class SupervisorDecoder:
    """The supervisor's end: frames and synchronisations, in the order of the stream, however it was cut.

    Until the first SYNC everything is skipped.
    """

    def __init__(self, token: bytes) -> None:
        self._pattern = _MARK + _checked(token, TOKEN_BYTES)
        self._held = bytearray()  # the end of what came, where it may be the beginning of a SYNC
        self._reader: FrameReader | None = None

    def feed(self, data: bytes) -> list[Frame | Sync | Garbage]:
        items: list[Frame | Sync | Garbage] = []
        self._held += data
        while (at := self._held.find(self._pattern)) >= 0:
            items += self._frames(bytes(self._held[:at]))
            end = at + len(self._pattern) + NONCE_BYTES
            if len(self._held) < end:
                del self._held[:at]
                return items
            items.append(Sync(bytes(self._held[end - NONCE_BYTES : end])))
            self._reader = FrameReader(TO_SUPERVISOR)
            del self._held[:end]
        keep = self._beginning()
        items += self._frames(bytes(self._held[: len(self._held) - keep]))
        del self._held[: len(self._held) - keep]
        return items

    def _frames(self, data: bytes) -> list[Frame | Garbage]:
        if self._reader is None or not data:
            return []
        try:
            return [*self._reader.feed(data)]
        except FrameError as error:
            self._reader = None
            return [Garbage(str(error))]

    def _beginning(self) -> int:
        """How many of the last bytes could be the first ones of a SYNC."""
        most = min(len(self._held), len(self._pattern) - 1)
        return next((n for n in range(most, 0, -1) if self._held.endswith(self._pattern[:n])), 0)


class HostDecoder:
    """The host's end of one attachment: skips everything up to the answer to its nonce, then gives frames."""

    def __init__(self, token: bytes, nonce: bytes) -> None:
        self._pattern = encode_answer(token, nonce)
        self._skipped = bytearray()
        self._reader: FrameReader | None = None

    @property
    def synchronised(self) -> bool:
        return self._reader is not None

    def feed(self, data: bytes) -> list[Frame]:
        """Every frame that `data` completes.

        Raises:
            FrameError: the supervisor does not keep to the protocol; the sandbox is suspect.
        """
        if self._reader is not None:
            return self._reader.feed(data)
        self._skipped += data
        at = self._skipped.find(self._pattern)
        if at < 0:
            del self._skipped[: -len(self._pattern)]
            return []
        rest = bytes(self._skipped[at + len(self._pattern) :])
        self._skipped.clear()
        self._reader = FrameReader(TO_HOST)
        return self._reader.feed(rest)


def _checked(value: bytes, length: int) -> bytes:
    if len(value) != length:
        raise ValueError(f"{length} bytes are needed, not {len(value)}")
    return value
