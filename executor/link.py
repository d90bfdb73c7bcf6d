"""The one stream to a supervisor: synchronised, taken apart into frames, and these given to whom they are for.

One task reads for as long as the stream lives. Frames of a run go to that run's inbox, the rest is dealt with here.
When the stream ends, however it does, every inbox gets a last None and `lost` is true for good: a new attachment is a
new link.

Inboxes have no size of their own: their readers only ever work on what they got and never wait for anything else, and
the pump cannot read more than the stream's buffer (see `executor.attach`) before they have their turn.
"""

import asyncio
import itertools
import logging
import secrets
from collections.abc import Iterable

from executor.engine import Wire
from executor.errors import SandboxUnavailable
from executor.frames import NONCE_BYTES, Frame, FrameError, HostDecoder, Kind, encode, encode_sync
from executor.messages import MessageError, Ready, decode_exit, decode_ready

logger = logging.getLogger(__name__)

Inbox = asyncio.Queue[Frame | None]


class Link:
    """Made by `open_link`. Owns the wire and the task that reads it; `close` ends both."""

    def __init__(self, wire: Wire, token: bytes) -> None:
        nonce = secrets.token_bytes(NONCE_BYTES)
        self.greeting = encode_sync(token, nonce)
        self.token = token
        self.ready: asyncio.Future[Ready] = asyncio.get_running_loop().create_future()
        self.suspect: str | None = None
        self.worn = False
        self._wire = wire
        self._decoder = HostDecoder(token, nonce)
        self._inboxes: dict[int, Inbox] = {}
        self._pings: dict[bytes, asyncio.Future[None]] = {}
        # A number is never used twice in the life of a sandbox, and nobody remembers what a predecessor has used.
        self._runs = itertools.count(1 + secrets.randbelow(2**31))
        self._pump = asyncio.create_task(self._read(), name="sandbox-link")

    @property
    def lost(self) -> bool:
        return self._pump.done()

    @property
    def complaints(self) -> str:
        return self._wire.complaints

    async def send(self, frames: Iterable[bytes]) -> None:
        """ConnectionError once the stream has ended."""
        for frame in frames:
            await self._wire.write(frame)

    def open_run(self, number: int | None = None) -> tuple[int, Inbox]:
        """A new run's number and what will come under it; `number` is of a run that is under way already."""
        number = next(self._runs) if number is None else number
        inbox = self._inboxes[number] = Inbox()
        if self.lost:
            inbox.put_nowait(None)
        return number, inbox

    def close_run(self, number: int) -> None:
        self._inboxes.pop(number, None)

    async def ping(self, timeout_s: float) -> bool:
        """Whether the supervisor answers in time."""
        if self.lost:
            return False
        payload = secrets.token_hex(8).encode()
        pong = self._pings[payload] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(timeout_s):
                await self.send([encode(Kind.PING, 0, payload)])
                await pong
        except OSError:  # also TimeoutError and ConnectionError
            return False
        finally:
            del self._pings[payload]
        return not self.lost

    async def close(self) -> None:
        self._pump.cancel()
        await asyncio.wait([self._pump])
        await self._wire.close()

    async def _read(self) -> None:
        try:
            while data := await self._wire.read():
                for frame in self._decoder.feed(data):
                    self._route(frame)
        except (FrameError, MessageError) as error:
            self.suspect = str(error)
        finally:
            for inbox in self._inboxes.values():
                inbox.put_nowait(None)
            for pong in self._pings.values():
                if not pong.done():
                    pong.set_exception(ConnectionResetError("the stream has ended"))
            if not self.ready.done():
                self.ready.set_exception(ConnectionResetError("the stream has ended"))
                self.ready.exception()  # somebody has seen it, even if nobody waits

    def _route(self, frame: Frame) -> None:
        match frame.kind:
            case Kind.LOG:
                logger.info("sandbox log", extra={"run": frame.run, "text": frame.payload.decode(errors="replace")})
            case Kind.READY if not self.ready.done():
                self.ready.set_result(decode_ready(frame.payload))
            case Kind.PONG if (pong := self._pings.get(frame.payload)) and not pong.done():
                pong.set_result(None)
            case _:
                if inbox := self._inboxes.get(frame.run):
                    inbox.put_nowait(frame)


async def open_link(wire: Wire, token: bytes, timeout_s: float, bundle: bytes = b"") -> Link:
    """Synchronise, after handing the supervisor over to a new container, and end whatever still runs in an old one.

    SandboxUnavailable if that does not succeed in time; the wire is closed then.
    """
    link = Link(wire, token)
    try:
        async with asyncio.timeout(timeout_s):
            await link.send([bundle + link.greeting])
            ready = await link.ready
            await _end(link, [run.run for run in ready.running])
    except BaseException as error:
        await link.close()
        if isinstance(error, OSError):  # also TimeoutError and ConnectionError
            reason = link.suspect or link.complaints or "no answer"
            raise SandboxUnavailable("The sandbox did not start.") from ConnectionError(reason)
        raise
    return link


async def _end(link: Link, runs: list[int]) -> None:
    inboxes = [link.open_run(run)[1] for run in runs]
    await link.send([encode(Kind.CANCEL, run) for run in runs])
    for run, inbox in zip(runs, inboxes, strict=True):
        while True:
            frame = await inbox.get()
            if frame is None:
                raise ConnectionResetError("the stream has ended")
            if frame.kind is Kind.EXIT:
                if decode_exit(frame.payload).reason == "stuck":
                    raise ConnectionResetError("a process in it cannot be ended")
                break
        link.close_run(run)
