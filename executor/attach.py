"""The attached streams of a container over one hijacked HTTP connection, in asyncio's own streams.

docker-py's attach blocks a thread for as long as a container lives and cannot hand its socket to asyncio, so the
request is made here: `POST /containers/ID/attach` with `Connection: Upgrade`. After the answer the connection carries
raw bytes to the container and, from it, frames of an eight-byte header (stream 1 or 2, three zeros, length in 32 bits
big-endian) and data, as the engine's API reference describes under "Attach to a container".
"""

import asyncio
import contextlib
import os
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from executor.errors import EngineUnavailable, SandboxUnavailable

DEFAULT_ADDRESS = "unix:///var/run/docker.sock"

_HEADER = 8
_STDOUT = 1
_BUFFER = 256 * 1024
_PIECE = 64 * 1024
_COMPLAINTS = 4096
_SWITCHED = (101, 200)
_DEFAULT_PORT = 2375


@dataclass(frozen=True, slots=True)
class Address:
    """Of an engine: `path` of a Unix socket, or host and port."""

    text: str
    path: str | None = None
    host: str = ""
    port: int = 0


def engine_address(text: str | None) -> Address:
    """`unix:///path` or `tcp://host:port`; None is what DOCKER_HOST says, else Docker's own default."""
    text = text or os.environ.get("DOCKER_HOST") or DEFAULT_ADDRESS
    parts = urlsplit(text)
    if parts.scheme == "unix":
        return Address(text, path=parts.netloc + parts.path)
    if parts.scheme in {"tcp", "http"} and parts.hostname:
        return Address(text, host=parts.hostname, port=parts.port or _DEFAULT_PORT)
    raise EngineUnavailable(f"The Docker address {text!r} is neither unix:///path nor tcp://host:port.")


class Demultiplexer:
    """Takes the engine's frames apart, in whatever pieces they come."""

    def __init__(self) -> None:
        self._header = bytearray()
        self._left = 0
        self._stream = 0

    def feed(self, data: bytes) -> tuple[bytes, bytes]:
        """What `data` holds of the container's stdout and stderr."""
        out, err = bytearray(), bytearray()
        at = 0
        while at < len(data):
            if self._left == 0:
                taken = data[at : at + _HEADER - len(self._header)]
                self._header += taken
                at += len(taken)
                if len(self._header) < _HEADER:
                    break
                self._stream, self._left = self._header[0], int.from_bytes(self._header[4:], "big")
                self._header.clear()
            piece = data[at : at + self._left]
            at += len(piece)
            self._left -= len(piece)
            (out if self._stream == _STDOUT else err).extend(piece)
        return bytes(out), bytes(err)


class AttachedWire:
    """See `executor.engine.Wire`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._frames = Demultiplexer()
        self._complaints = b""

    @property
    def complaints(self) -> str:
        return self._complaints.decode(errors="replace").strip()

    async def read(self) -> bytes:
        while True:
            try:
                data = await self._reader.read(_PIECE)
            except OSError:
                return b""
            out, err = self._frames.feed(data)
            self._complaints = (self._complaints + err)[-_COMPLAINTS:]
            if out or not data:
                return out

    async def write(self, data: bytes) -> None:
        if self._writer.is_closing():
            raise ConnectionResetError("the stream is closed")
        self._writer.write(data)
        await self._writer.drain()

    async def close(self) -> None:
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()


async def attach(address: Address, container: str, timeout_s: float) -> AttachedWire:
    """EngineUnavailable where nobody answers, SandboxUnavailable where the engine says no."""
    try:
        async with asyncio.timeout(timeout_s):
            if address.path is not None:
                reader, writer = await asyncio.open_unix_connection(address.path, limit=_BUFFER)
            else:
                reader, writer = await asyncio.open_connection(address.host, address.port, limit=_BUFFER)
            try:
                await _hijack(reader, writer, container)
            except BaseException:
                writer.close()
                raise
    except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:  # TimeoutError is an OSError
        raise EngineUnavailable("Docker does not answer on this machine.") from error
    return AttachedWire(reader, writer)


async def _hijack(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, container: str) -> None:
    path = f"/containers/{quote(container, safe='')}/attach?stream=1&stdin=1&stdout=1&stderr=1"
    fields = "Host: docker\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 0\r\n\r\n"
    writer.write(f"POST {path} HTTP/1.1\r\n{fields}".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    words = head.split(None, 2)
    status = int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
    if status not in _SWITCHED:
        refusal = head.split(b"\r\n", 1)[0].decode(errors="replace")
        raise SandboxUnavailable("The sandbox could not be reached.") from ConnectionError(refusal)
