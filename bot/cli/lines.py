"""Standard input line by line, without stopping the event loop.

A thread reads when it is asked to. It is a daemon, since a read from a terminal cannot be called off: the process ends
over it. It therefore reads the descriptor itself; `sys.stdin` has a lock that such a thread would take with it.
"""

import asyncio
import os
import queue
import threading
from collections.abc import AsyncIterator, Awaitable, Callable

STDIN = 0
PIECE = 65536


async def stdin_lines() -> AsyncIterator[bytes]:
    """Lines as they are, line ends included; the last one may lack its own."""
    held = bytearray()
    read = _reader()
    while piece := await read():
        *whole, rest = piece.split(b"\n")
        for line in whole:
            yield bytes(held) + line + b"\n"
            held.clear()
        held += rest
    if held:
        yield bytes(held)


def _reader() -> Callable[[], Awaitable[bytes]]:
    loop = asyncio.get_running_loop()
    wanted: queue.SimpleQueue[asyncio.Future[bytes]] = queue.SimpleQueue()

    def settle(future: asyncio.Future[bytes], piece: bytes) -> None:
        if not future.cancelled():
            future.set_result(piece)

    def run() -> None:
        while True:
            future = wanted.get()
            try:
                piece = os.read(STDIN, PIECE)
            except OSError:  # a terminal that has gone
                piece = b""
            try:
                loop.call_soon_threadsafe(settle, future, piece)
            except RuntimeError:  # the loop is closed: nobody waits any more
                return

    async def read() -> bytes:
        future: asyncio.Future[bytes] = loop.create_future()
        wanted.put(future)
        return await future

    threading.Thread(target=run, name="stdin", daemon=True).start()
    return read
