"""A supervisor in memory that follows a script instead of running code. It speaks the real protocol.

What a block does is looked up by its text: a tuple of steps, carried out in order; after the last one the program ends
with exit code 0. Time is the clock's, so a script can run into its limit without anybody waiting for it.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from executor.clock import Clock
from executor.fake_workspace import FakeWorkspace
from executor.frames import Frame, Garbage, Kind, SupervisorDecoder, Sync, encode, encode_answer, encode_bulk
from executor.messages import (
    ArtifactHead,
    Exit,
    Ready,
    Reason,
    Refused,
    RefusedError,
    Running,
    Start,
    Started,
    decode_lay,
    decode_save,
    decode_start,
    encode_message,
)
from executor.types import MIB, Stream

_PIECE = 64 * 1024


@dataclass(frozen=True, slots=True)
class Say:
    """Write to a stream; bytes need not be UTF-8."""

    data: str | bytes
    stream: Stream = "stdout"


@dataclass(frozen=True, slots=True)
class Write:
    """Write a file of the workspace, and bring it out."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Read:
    """Say what is in a file of the workspace, or end with exit code 1 where there is none."""

    path: str


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove a file of the workspace."""

    path: str


@dataclass(frozen=True, slots=True)
class Sleep:
    """Take time."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Hold:
    """Go on once the event is set."""

    event: asyncio.Event


@dataclass(frozen=True, slots=True)
class End:
    """End now: `End(3)`, `End(None, 11)` or `End(None, 9, "memory")`; `value` is told where it is asked for."""

    exit_code: int | None = 0
    signal: int | None = None
    reason: Reason | None = None
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Refuse:
    """Do not begin."""

    error: RefusedError
    text: str = "refused by the script"


@dataclass(frozen=True, slots=True)
class Ignore:
    """Never end and never answer about this run again, not even to CANCEL."""


@dataclass(frozen=True, slots=True)
class Babble:
    """Send what is no frame."""


@dataclass(frozen=True, slots=True)
class Die:
    """Take the whole container along."""


Step = Say | Write | Read | Remove | Sleep | Hold | End | Refuse | Ignore | Babble | Die
Script = Callable[[Start], tuple[Step, ...]]


class Mouth(Protocol):
    """The wire that is attached at the moment."""

    def push(self, data: bytes) -> None: ...


class FakeSupervisor:
    """Lives as long as its container, whoever is attached. `deaf` is one that is frozen."""

    def __init__(self, token: bytes, script: Script, clock: Clock, die: Callable[[], None]) -> None:
        self._token = token
        self._script = script
        self._clock = clock
        self._die = die
        self._decoder = SupervisorDecoder(token)
        self._bulk: dict[int, bytes] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._ignored: set[int] = set()
        self.mouth: Mouth | None = None
        self.deaf = False
        self.started: list[Start] = []
        self.runs: dict[int, str] = {}
        self.workspace = FakeWorkspace()

    def receive(self, data: bytes) -> None:
        if self.deaf:
            return
        for item in self._decoder.feed(data):
            match item:
                case Sync(nonce):
                    running = tuple(Running(run, name, "running") for run, name in self.runs.items())
                    self._push(encode_answer(self._token, nonce))
                    self._send(
                        Kind.READY, 0, encode_message(Ready("3.11", running, workspace=self.workspace.generations))
                    )
                case Frame(kind, run, payload):
                    self._take(kind, run, payload)
                case Garbage(text):
                    raise AssertionError(f"the host does not keep to the protocol: {text}")

    def stop(self) -> None:
        """With the container."""
        self.deaf = True
        for task in self._tasks.values():
            task.cancel()

    def _push(self, data: bytes) -> None:
        if self.mouth is not None and not self.deaf:
            self.mouth.push(data)

    def _send(self, kind: Kind, run: int, payload: bytes = b"") -> None:
        self._push(encode(kind, run, payload))

    def _take(self, kind: Kind, run: int, payload: bytes) -> None:
        match kind:
            case Kind.PING:
                self._send(Kind.PONG, 0, payload)
            case Kind.DATA:
                self._bring(run, payload)
            case Kind.CANCEL if run in self.runs and run not in self._ignored:
                self._tasks.pop(run).cancel()
                self._end(run, Exit(signal=9, reason="cancelled"))
            case Kind.START:
                start = decode_start(payload, self._bulk.pop(run, b""))
                self.started.append(start)
                self.workspace.used()
                self.runs[run] = start.id
                self._tasks[run] = asyncio.create_task(self._run(run, start))
            case Kind.SAVE:
                records, kept = self.workspace.bring_out(decode_save(payload), self._bulk.pop(run, b""))
                for frame in encode_bulk(Kind.TREE, run, records, _PIECE):
                    self._push(frame)
                self._send(Kind.KEPT, run, encode_message(kept))
            case Kind.LAY:
                if (laid := self.workspace.lay_out(run, decode_lay(payload))) is not None:
                    self._send(Kind.KEPT, run, encode_message(laid))
            case _:
                pass

    def _bring(self, run: int, payload: bytes) -> None:
        match self.workspace.feed(run, payload):
            case False:
                self._bulk[run] = self._bulk.get(run, b"") + payload
            case True:
                self._send(Kind.MORE, run)
            case kept:
                self._send(Kind.KEPT, run, encode_message(kept))

    def _end(self, run: int, end: Exit) -> None:
        del self.runs[run]
        self._send(Kind.EXIT, run, encode_message(end))

    async def _run(self, run: int, start: Start) -> None:
        steps = self._script(start)
        if steps and isinstance(steps[0], Refuse):
            del self.runs[run]
            self._send(Kind.REFUSED, run, encode_message(Refused(steps[0].error, steps[0].text)))
            return
        began = self._clock.now()
        self._send(Kind.STARTED, run, encode_message(Started(1)))
        end = await self._play(run, start, steps, began)
        if end is not None:
            lasted_ms = (self._clock.now() - began) * 1000
            self._end(run, replace(end, duration_ms=lasted_ms, cpu_ms=lasted_ms, peak_memory_bytes=MIB))

    async def _play(self, run: int, start: Start, steps: tuple[Step, ...], began: float) -> Exit | None:
        """How it ended; None where nobody is told."""
        said = 0
        for step in steps:
            match step:
                case Remove():
                    self.workspace.files.pop(step.path, None)
                case Read() if step.path not in self.workspace.files:
                    return Exit(1, bytes=said)
                case Read():
                    data = self.workspace.files[step.path][1]
                    said += len(data)
                    self._say(run, "stdout", data)
                case Say():
                    data = step.data.encode() if isinstance(step.data, str) else step.data
                    room = start.limits.file_output_bytes - said
                    said += len(data)
                    self._say(run, step.stream, data[:room])
                    if len(data) > room:
                        return Exit(signal=9, reason="output", bytes=said)
                case Write():
                    self.workspace.files[step.path] = (start.requester, step.data)
                    self._send(Kind.ARTIFACT, run, encode_message(ArtifactHead(step.path, len(step.data))))
                    for frame in encode_bulk(Kind.DATA, run, step.data):
                        self._push(frame)
                case Sleep() | Hold():
                    if not await self._in_time(step, began + start.limits.timeout_s):
                        return Exit(signal=9, reason="timeout", bytes=said)
                case End():
                    value = step.value if start.echo else None
                    return Exit(step.exit_code, step.signal, step.reason, bytes=said, value=value)
                case _:
                    self._misbehave(run, step)
                    return None
        return Exit(0, bytes=said)

    def _say(self, run: int, stream: Stream, data: bytes) -> None:
        kind = Kind.STDOUT if stream == "stdout" else Kind.STDERR
        for frame in encode_bulk(kind, run, data, _PIECE):
            self._push(frame)

    async def _in_time(self, step: Sleep | Hold, due: float) -> bool:
        event = step.event if isinstance(step, Hold) else asyncio.Event()
        until = due if isinstance(step, Hold) else min(due, self._clock.now() + step.seconds)
        await self._clock.wait(event, max(0.0, until - self._clock.now()))
        return event.is_set() or self._clock.now() < due

    def _misbehave(self, run: int, step: Step) -> None:
        match step:
            case Ignore():
                self._ignored.add(run)
            case Babble():
                self._push(b"this is no frame")
            case Die():
                self._die()
            case _:
                raise AssertionError(f"{step} is not possible here")
