"""The attach stream against a server that answers as an engine does, over both kinds of address."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from executor.attach import attach, engine_address
from executor.errors import EngineUnavailable, SandboxUnavailable

Answer = Callable[[bytes, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

SWITCHED = b"HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\n\r\n"


def frame(stream: int, data: bytes) -> bytes:
    return bytes([stream, 0, 0, 0]) + len(data).to_bytes(4, "big") + data


@pytest.fixture(params=["unix", "tcp"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@asynccontextmanager
async def serving(answer: Answer, kind: str, folder: Path) -> AsyncIterator[str]:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await answer(await reader.readuntil(b"\r\n\r\n"), reader, writer)
        finally:
            writer.close()

    if kind == "unix":
        path = folder / "engine.sock"
        server = await asyncio.start_unix_server(connected, path)
        address = f"unix://{path}"
    else:
        server = await asyncio.start_server(connected, "127.0.0.1", 0)
        address = f"tcp://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield address


async def test_bytes_go_both_ways(kind: str, tmp_path: Path) -> None:
    async def answer(head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert head.startswith(b"POST /containers/abc/attach?stream=1&stdin=1&stdout=1&stderr=1 HTTP/1.1\r\n")
        assert b"Upgrade: tcp\r\n" in head
        writer.write(SWITCHED + frame(1, b"first"))
        heard = await reader.readexactly(5)
        writer.write(frame(2, b"a complaint") + frame(1, heard.upper()))
        await writer.drain()

    async with serving(answer, kind, tmp_path) as address:
        wire = await attach(engine_address(address), "abc", 5)
        assert await wire.read() == b"first"
        await wire.write(b"hello")
        assert await wire.read() == b"HELLO"
        assert wire.complaints == "a complaint"
        assert await wire.read() == b""
        await wire.close()
        with pytest.raises(ConnectionError):
            await wire.write(b"more")


@pytest.mark.parametrize("status", ["404 Not Found", "409 Conflict", "500 Internal Server Error"])
async def test_a_refusal_means_no_sandbox(kind: str, tmp_path: Path, status: str) -> None:
    async def answer(head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\n{{}}".encode())

    async with serving(answer, kind, tmp_path) as address:
        with pytest.raises(SandboxUnavailable) as caught:
            await attach(engine_address(address), "abc", 5)
    assert status in str(caught.value.__cause__)


async def test_silence_and_hanging_up_mean_no_engine(kind: str, tmp_path: Path) -> None:
    over = asyncio.Event()

    async def silent(head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await over.wait()

    async def hung_up(head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        return

    for answer in (silent, hung_up):
        async with serving(answer, kind, tmp_path / ".") as address:
            with pytest.raises(EngineUnavailable, match="Docker does not answer"):
                await attach(engine_address(address), "abc", 0.1)
            over.set()
        (tmp_path / "engine.sock").unlink(missing_ok=True)


async def test_nobody_there(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable):
        await attach(engine_address(f"unix://{tmp_path / 'no.sock'}"), "abc", 1)
