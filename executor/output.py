"""What a program writes, bounded while it arrives.

A `Capture` takes the raw bytes of one block in the order in which they came. Each stream has a decoder of its own that
waits for the rest of a character, so a chunk never ends inside one; bytes that are not UTF-8 become U+FFFD. The text is
kept three times, stdout, stderr and both as they came, each as `HeadTail`: the first and the last half of
`Limits.output_bytes` and nothing in between. Memory is therefore at most three times that limit, whatever comes.

Nothing here touches a file. `Capture` is handed a `Sink` that is opened only once more came than is kept, is then given
all that was kept so far (nothing is missing from it at that moment) and everything that follows.
"""

import codecs
from typing import Protocol

from executor.types import Output, Stream

_NEWLINE = 0x0A
_NEAR = 1024
"""So many bytes are given up, on either side of a cut, to cut between lines."""


class Sink(Protocol):
    """Where the full text goes when it is more than is kept; see `executor.spool`."""

    def write(self, data: bytes) -> None: ...


class HeadTail:
    """The beginning and the end of a text of any length, in at most `budget` bytes of UTF-8."""

    def __init__(self, budget: int) -> None:
        self._head_size = budget // 2
        self._tail_size = budget - self._head_size
        self._head = bytearray()
        self._tail = bytearray()
        self._tail_starts_a_line = False
        self._newlines = 0
        self._total = 0

    @property
    def truncated(self) -> bool:
        return self._total > len(self._head) + len(self._tail)

    def append(self, data: bytes) -> None:
        self._total += len(data)
        self._newlines += data.count(b"\n")
        room = self._head_size - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        excess = len(self._tail) - self._tail_size
        if excess > 0:
            self._tail_starts_a_line = self._tail[excess - 1] == _NEWLINE
            del self._tail[:excess]

    def kept(self) -> bytes:
        return bytes(self._head + self._tail)

    def text(self) -> str:
        """All of it; or head, a marker line that says how much is missing, and tail, cut between lines if it can be."""
        if not self.truncated:
            return self.kept().decode()
        head = _whole_characters(self._head[: _line_end_before(self._head)])
        start = 0 if self._tail_starts_a_line else _line_start_after(self._tail)
        tail = _whole_characters(self._tail[start:])
        lines = self._newlines - head.count(b"\n") - tail.count(b"\n")
        if head.endswith(b"\n") and (start or self._tail_starts_a_line):
            gap = f"{_grouped(lines)} {'line' if lines == 1 else 'lines'}"
        else:
            gap = f"{_grouped(self._total - len(head) - len(tail))} bytes"
        newline = "\n" if head and not head.endswith(b"\n") else ""
        return f"{head.decode()}{newline}… {gap} left out …\n{tail.decode()}"


class Capture:
    """The output of one block. `feed` and `finish` return what may be shown at once, decoded."""

    def __init__(self, budget: int, sink: Sink) -> None:
        self._decoders = {name: codecs.getincrementaldecoder("utf-8")("replace") for name in ("stdout", "stderr")}
        self._streams = {name: HeadTail(budget) for name in ("stdout", "stderr")}
        self._both = HeadTail(budget)
        self._budget = budget
        self._sink = sink
        self._spooling = False
        self._text_bytes = 0
        self.total_bytes = 0

    def feed(self, stream: Stream, data: bytes) -> str:
        self.total_bytes += len(data)
        return self._keep(stream, self._decoders[stream].decode(data))

    def finish(self) -> list[tuple[Stream, str]]:
        """The characters that were never completed, as U+FFFD. Call once, after the last `feed`."""
        streams: tuple[Stream, Stream] = ("stdout", "stderr")
        rest = [(name, self._keep(name, self._decoders[name].decode(b"", final=True))) for name in streams]
        return [(name, text) for name, text in rest if text]

    def output(self) -> Output:
        """What is kept; `spool` is for whoever owns the file to fill in."""
        return Output(
            text=self._both.text(),
            stdout=self._streams["stdout"].text(),
            stderr=self._streams["stderr"].text(),
            total_bytes=self.total_bytes,
            truncated=self._both.truncated,
        )

    def _keep(self, stream: Stream, text: str) -> str:
        if not text:
            return text
        data = text.encode()
        self._text_bytes += len(data)
        if not self._spooling and self._text_bytes > self._budget:
            self._spooling = True
            self._sink.write(self._both.kept())
        if self._spooling:
            self._sink.write(data)
        self._streams[stream].append(data)
        self._both.append(data)
        return text


def _line_end_before(head: bytearray) -> int:
    end = head.rfind(b"\n") + 1
    return end if end and len(head) - end <= _NEAR else len(head)


def _line_start_after(tail: bytearray) -> int:
    start = tail.find(b"\n") + 1
    return start if start <= _NEAR and start < len(tail) else 0


def _whole_characters(data: bytes | bytearray) -> bytes:
    """The same without the pieces of characters at either end that cutting by bytes has left."""
    return bytes(data).lstrip(bytes(range(0x80, 0xC0))).decode(errors="ignore").encode()


def _grouped(number: int) -> str:
    return f"{number:,}".replace(",", " ")
