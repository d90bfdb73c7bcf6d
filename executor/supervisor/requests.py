"""Puts requests together from frames, and keeps what a host may send within bounds."""

from dataclasses import dataclass

from executor.frames import Frame
from executor.messages import MAX_BULK, MessageError, Start, decode_start
from executor.supervisor import paths


@dataclass(frozen=True, slots=True)
class Request:
    """A block to run, and the bytes it came in."""

    start: Start
    payload: bytes
    bulk: bytes


class Requests:
    """Bulk that has come in ahead of its START."""

    def __init__(self) -> None:
        self._bulk: dict[int, bytearray | None] = {}

    def add(self, frame: Frame) -> None:
        bulk = self._bulk.setdefault(frame.run, bytearray())
        if bulk is None:
            return
        if sum(len(other) for other in self._bulk.values() if other) + len(frame.payload) > MAX_BULK:
            self._bulk[frame.run] = None
        else:
            bulk += frame.payload

    def complete(self, frame: Frame) -> Request:
        """MessageError: nothing that could be run; the text may be shown to the requester."""
        bulk = self._bulk.pop(frame.run, bytearray())
        if bulk is None:
            raise MessageError("code, input and files together are too large")
        data = bytes(bulk)
        start = decode_start(frame.payload, data)
        _check(start)
        return Request(start, frame.payload, data)

    def take(self, run: int) -> bytes:
        """What came of a run that is no block; nothing if it was too much."""
        return bytes(self._bulk.pop(run, None) or b"")

    def forget(self, run: int | None = None) -> None:
        if run is None:
            self._bulk.clear()
        else:
            self._bulk.pop(run, None)


def _check(start: Start) -> None:
    if not start.command or any("\0" in text for text in (*start.command, *start.args)):
        raise MessageError("an argument contains a zero byte")
    try:
        for text in (*start.command, *start.args):
            text.encode("utf-8", "surrogateescape")
        if "/" in start.name:
            raise MessageError("the code's name is not a plain one")
        for path in (start.name, *(file.path for file in start.files), *filter(None, [start.filename])):
            path.encode("utf-8", "surrogateescape")
            paths.split(path)
    except UnicodeEncodeError as error:
        raise MessageError("an argument or a path is not text") from error
    except paths.PathRefused as error:
        raise MessageError(str(error)) from error
