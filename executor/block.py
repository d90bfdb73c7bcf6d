"""One block from START to EXIT.

Time limits are kept inside the sandbox. Here is the guard against a sandbox that does not keep them: if nothing was
heard of a block for `guard_s` after its time was up, and the supervisor does not answer to a ping either, the sandbox
is suspect and the execution lost. A supervisor that does answer is still bringing files out and gets `_PATIENCE` times
as long. Whoever stops waiting (a cancelled task, an `on_text` that raises) has the run ended inside before the
exception goes on.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from executor.artifacts import Incoming
from executor.errors import ExecutorError, InvalidExecution, SandboxBusy, SandboxLost, SandboxUnavailable
from executor.frames import Frame, Kind, encode
from executor.link import Link
from executor.messages import Exit, MessageError, Refused, Start, decode_exit, decode_refused, encode_start
from executor.outcomes import block_result
from executor.output import Capture
from executor.spool import Spool
from executor.types import Artifact, BlockResult, Stream

OnText = Callable[[Stream, str], None]

_LOST = "The sandbox went away while the code was running."
_PATIENCE = 15
"""In `guard_s`: so long a request may take to go out, and a run to end after its time if the supervisor answers."""

_SET_UP_S = 10.0
"""So long the supervisor may take until the program begins, and its time."""


@dataclass(frozen=True, slots=True)
class Finished:
    """What one block left. `left` counts changed files that did not come out."""

    result: BlockResult
    artifacts: tuple[Artifact, ...]
    left: int


class Block:
    """One run. `run` once; `cancel` from anywhere while it lasts."""

    def __init__(self, link: Link, start: Start, on_text: OnText, guard_s: float) -> None:
        self._link = link
        self._start = start
        self._on_text = on_text
        self._guard_s = guard_s
        self._spool = Spool(start.limits.file_output_bytes)
        self._capture = Capture(start.limits.output_bytes, self._spool)
        self._files = Incoming(start.limits)
        self._number, self._inbox = link.open_run()
        self._due = 0.0  # while the request has not gone out whole
        self._cancelled = False

    async def run(self) -> Finished:
        """SandboxLost, SandboxBusy, SandboxUnavailable, InvalidExecution."""
        try:
            frames = encode_start(self._number, self._start, self._link.token)
            return self._finished(await self._follow(frames))
        except MessageError as error:
            raise InvalidExecution(f"This cannot be run: {error}.") from error
        finally:
            self._link.close_run(self._number)
            self._spool.discard()

    async def cancel(self) -> None:
        """A CANCEL in front of its START would be ignored, so it waits for that."""
        self._cancelled = True
        if self._due:
            await self._send([encode(Kind.CANCEL, self._number)])

    async def _follow(self, frames: Iterable[bytes]) -> Exit:
        try:
            await self._send(frames)
            self._due = _now() + self._start.limits.timeout_s + _SET_UP_S
            if self._cancelled:
                await self.cancel()
            while (end := self._take(await self._next())) is None:
                pass
            return end
        except MessageError as error:
            self._link.suspect = str(error)
            raise SandboxLost(_LOST) from error
        except ExecutorError:
            raise
        except BaseException:
            await self._give_up()
            raise

    def _take(self, frame: Frame) -> Exit | None:
        match frame.kind:
            case Kind.STARTED:
                self._due = _now() + self._start.limits.timeout_s
            case Kind.STDOUT:
                self._show("stdout", self._capture.feed("stdout", frame.payload))
            case Kind.STDERR:
                self._show("stderr", self._capture.feed("stderr", frame.payload))
            case Kind.ARTIFACT | Kind.DATA:
                self._files.take(frame)
            case Kind.EXIT:
                return decode_exit(frame.payload)
            case Kind.REFUSED if self._cancelled:  # before it began
                return Exit(reason="cancelled")
            case Kind.REFUSED:
                refused = decode_refused(frame.payload)
                self._link.worn |= refused.error == "too_many_requesters"
                raise _refusal(refused)
            case _:
                pass
        return None

    async def _next(self) -> Frame:
        frame = await self._heard() if self._inbox.empty() else self._inbox.get_nowait()
        if frame is None:
            raise SandboxLost(_LOST) from ConnectionResetError(self._link.complaints or "the stream has ended")
        return frame

    async def _heard(self) -> Frame | None:
        while True:
            try:
                async with asyncio.timeout_at(max(self._due, _now()) + self._guard_s):
                    return await self._inbox.get()
            except TimeoutError as error:
                if _now() < self._due + _PATIENCE * self._guard_s and await self._link.ping(self._guard_s):
                    continue
                self._link.suspect = "a run did not end in time"
                raise SandboxLost("The sandbox stopped answering while the code was running.") from error

    async def _give_up(self) -> None:
        """End the run inside and wait for that, so that its slot is free; without an answer the sandbox is suspect."""
        try:
            async with asyncio.timeout(self._guard_s):
                await self._send([encode(Kind.CANCEL, self._number)])  # also forgets half a request
                while self._due and (frame := await self._inbox.get()) is not None:
                    if frame.kind in {Kind.EXIT, Kind.REFUSED}:
                        return
        except TimeoutError:
            self._link.suspect = "a run could not be cancelled"
        except SandboxLost:
            return

    def _show(self, stream: Stream, text: str) -> None:
        if text:
            self._on_text(stream, text)

    def _finished(self, end: Exit) -> Finished:
        for stream, text in self._capture.finish():
            self._on_text(stream, text)
        if end.reason == "stuck":
            self._link.suspect = "a process in it cannot be ended"
        output = replace(self._capture.output(), total_bytes=max(end.bytes, self._capture.total_bytes))
        output = replace(output, spool=self._spool.keep())
        result = block_result(end, self._start.limits, output)
        return Finished(result, tuple(self._files.files), self._files.left + end.artifacts_left)

    async def _send(self, frames: Iterable[bytes]) -> None:
        try:
            async with asyncio.timeout(_PATIENCE * self._guard_s):
                await self._link.send(frames)
        except OSError as error:  # also TimeoutError and ConnectionError
            raise SandboxLost(_LOST) from error


def _refusal(refused: Refused) -> ExecutorError:
    cause = RuntimeError(refused.text)
    error: ExecutorError
    match refused.error:
        case "busy":
            error = SandboxBusy("The sandbox is busy.")
        case "bad_request":
            error = InvalidExecution(refused.text)
        case "no_such_language":
            error = InvalidExecution("The sandbox's image does not have this language.")
        case "unsupported":
            error = InvalidExecution("The sandbox cannot limit the workspace on this machine.")
        case "too_many_requesters" | "resources":
            error = SandboxUnavailable("The sandbox has no room for this just now.")
    error.__cause__ = cause
    return error


def _now() -> float:
    return asyncio.get_running_loop().time()
