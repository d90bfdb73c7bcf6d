"""Standard input line by line, without stopping the event loop.

A thread reads one line at a time when it is asked for one. It is a daemon, since a read from a terminal cannot be
called off: the process ends over it.
"""

import asyncio
import queue
import sys
import threading
from collections.abc import AsyncIterator


async def stdin_lines() -> AsyncIterator[bytes]:
    """Lines as they are, line ends included."""
    loop = asyncio.get_running_loop()
    wanted: queue.SimpleQueue[asyncio.Future[bytes]] = queue.SimpleQueue()

    def settle(future: asyncio.Future[bytes], line: bytes) -> None:
        if not future.cancelled():
            future.set_result(line)

    def read() -> None:
        while True:
            future = wanted.get()
            try:
                line = sys.stdin.buffer.readline()
            except (OSError, ValueError):
                line = b""
            try:
                loop.call_soon_threadsafe(settle, future, line)
            except RuntimeError:  # the loop is closed: nobody waits any more
                return

    threading.Thread(target=read, name="stdin", daemon=True).start()
    while True:
        future: asyncio.Future[bytes] = loop.create_future()
        wanted.put(future)
        line = await future
        if not line:
            return
        yield line
