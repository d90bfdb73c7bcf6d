"""An engine in memory whose containers hold a supervisor that follows a script; both speak the real protocol.

What a block does is its text, one instruction a line: `out TEXT`, `err TEXT`, `file PATH TEXT`, `wait` (until it is
cancelled or something sets `FakeSupervisor.go_on`), `exit N`, `end REASON`, `refuse ERROR`, `silence` (no answer to
anything about this run), `garbage` (no frame).
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import get_args

from executor import naming
from executor.engine import Container, NameTaken
from executor.errors import EngineUnavailable, ImageMissing, SandboxUnavailable
from executor.frames import Frame, Garbage, Kind, SupervisorDecoder, Sync, encode, encode_answer, encode_bulk
from executor.hardening import CreateOptions
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
    decode_start,
    encode_message,
)

REASONS: dict[str, Reason] = {reason: reason for reason in get_args(Reason)}
ERRORS: dict[str, RefusedError] = {error: error for error in get_args(RefusedError)}


async def until(condition: Callable[[], object], timeout_s: float = 5.0) -> None:
    async with asyncio.timeout(timeout_s):
        while not condition():  # noqa: ASYNC110 - any condition, not one that could set an event
            await asyncio.sleep(0)


class FakeSupervisor:
    """Lives as long as its container; a wire at a time is attached to it."""

    def __init__(self, token: str) -> None:
        self._token = bytes.fromhex(token)
        self._decoder = SupervisorDecoder(self._token)
        self._bulk: dict[int, bytes] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self.wire: FakeWire | None = None
        self.deaf = False
        self.started: list[Start] = []
        self.runs: dict[int, str] = {}
        self.cancelled: set[int] = set()
        self.stubborn: set[str] = set()
        self.go_on = asyncio.Event()

    def receive(self, data: bytes) -> None:
        if self.deaf:
            return
        for item in self._decoder.feed(data):
            match item:
                case Sync(nonce):
                    running = tuple(Running(run, name, "running") for run, name in self.runs.items())
                    self._send(encode_answer(self._token, nonce))
                    self.send(Kind.READY, 0, encode_message(Ready("3.11", running)))
                case Frame(kind, run, payload):
                    self._take(kind, run, payload)
                case Garbage(text):
                    raise AssertionError(text)

    def send(self, kind: Kind, run: int, payload: bytes = b"") -> None:
        self._send(encode(kind, run, payload))

    def _send(self, data: bytes) -> None:
        if self.wire is not None and not self.deaf:
            self.wire.push(data)

    def _take(self, kind: Kind, run: int, payload: bytes) -> None:
        match kind:
            case Kind.PING:
                self.send(Kind.PONG, 0, payload)
            case Kind.DATA:
                self._bulk[run] = self._bulk.get(run, b"") + payload
            case Kind.CANCEL if run in self.runs:
                self.cancelled.add(run)
                if self.runs[run] not in self.stubborn:
                    self._exit(run, Exit(signal=9, reason="cancelled"))
            case Kind.START:
                start = decode_start(payload, self._bulk.pop(run, b""))
                self.started.append(start)
                self.runs[run] = start.id
                self._tasks[run] = asyncio.create_task(self._run(run, start))
            case _:
                pass

    def _exit(self, run: int, end: Exit) -> None:
        del self.runs[run]
        if run in self._tasks:
            self._tasks.pop(run).cancel()
        self.send(Kind.EXIT, run, encode_message(end))

    async def _run(self, run: int, start: Start) -> None:
        self.send(Kind.STARTED, run, encode_message(Started(1)))
        for line in start.code.splitlines():
            word, _, rest = line.partition(" ")
            match word:
                case "out" | "err":
                    self.send(Kind.STDOUT if word == "out" else Kind.STDERR, run, rest.encode() + b"\n")
                case "file":
                    path, _, text = rest.partition(" ")
                    self.send(Kind.ARTIFACT, run, encode_message(ArtifactHead(path, len(text))))
                    for frame in encode_bulk(Kind.DATA, run, text.encode()):
                        self._send(frame)
                case "wait":
                    await self.go_on.wait()
                case "exit":
                    return self._exit(run, Exit(exit_code=int(rest)))
                case "end":
                    return self._exit(run, Exit(signal=9, reason=REASONS[rest]))
                case "refuse":
                    del self.runs[run]
                    return self.send(Kind.REFUSED, run, encode_message(Refused(ERRORS[rest], rest)))
                case "silence":
                    self.stubborn.add(start.id)
                    return None
                case "garbage":
                    self._send(b"no frame at all")
                case _:
                    pass
        return self._exit(run, Exit(exit_code=0, duration_ms=1.0, cpu_ms=1.0, peak_memory_bytes=1))


class FakeWire:
    def __init__(self, supervisor: FakeSupervisor) -> None:
        self._supervisor = supervisor
        self._pieces: asyncio.Queue[bytes] = asyncio.Queue()
        self._ended = False
        self.complaints = ""
        supervisor.wire = self

    def push(self, data: bytes) -> None:
        self._pieces.put_nowait(data)

    def end(self) -> None:
        self._ended = True
        self._pieces.put_nowait(b"")

    async def read(self) -> bytes:
        return await self._pieces.get()

    async def write(self, data: bytes) -> None:
        if self._ended:
            raise ConnectionResetError("the stream is closed")
        self._supervisor.receive(data)

    async def close(self) -> None:
        self._ended = True
        if self._supervisor.wire is self:
            self._supervisor.wire = None


class FakeContainer:
    def __init__(self, number: int, name: str, options: CreateOptions) -> None:
        self.id = f"{number:064x}"
        self.name = name
        self.options = options
        self.state = "created"
        self.labels: dict[str, str] = options["Labels"]
        self.supervisor = FakeSupervisor(self.labels.get(naming.LABEL_TOKEN, "00" * 32))

    def end(self, state: str = "exited") -> None:
        self.state = state
        if self.supervisor.wire is not None:
            self.supervisor.wire.end()


class FakeEngine:
    """`down` makes every call fail; `before` is awaited in front of every call, with its name."""

    def __init__(self) -> None:
        self.rows: dict[str, FakeContainer] = {}
        self.disk: dict[str, dict[str, str]] = {}
        self.images = {"image": "sha256:1"}
        self.down = False
        self.mute = False
        self.calls: list[str] = []
        self.before: Callable[[str], Awaitable[None]] | None = None
        self._count = 0

    def named(self, name: str) -> FakeContainer:
        return next(row for row in self.rows.values() if row.name == name)

    @property
    def only(self) -> FakeContainer:
        (row,) = self.rows.values()
        return row

    async def _call(self, name: str) -> None:
        self.calls.append(name)
        if self.before is not None:
            await self.before(name)
        await asyncio.sleep(0)
        if self.down:
            raise EngineUnavailable("Docker does not answer on this machine.")

    async def create(self, name: str, options: CreateOptions) -> str:
        await self._call("create")
        if any(row.name == name for row in self.rows.values()):
            raise NameTaken(name)
        self._count += 1
        row = FakeContainer(self._count, name, options)
        self.rows[row.id] = row
        for mount in options["HostConfig"]["Mounts"]:
            self.disk[mount["Source"]] = mount["VolumeOptions"]["Labels"]
        return row.id

    async def start(self, container: str) -> None:
        await self._call("start")
        self.rows[container].state = "running"

    async def attach(self, container: str) -> FakeWire:
        await self._call("attach")
        if container not in self.rows:
            raise SandboxUnavailable("The sandbox could not be reached.")
        row = self.rows[container]
        row.supervisor.deaf = self.mute
        wire = FakeWire(row.supervisor)
        if row.state not in {"created", "running"}:
            wire.end()
        return wire

    async def rename(self, container: str, name: str) -> None:
        await self._call("rename")
        self.rows[container].name = name

    async def inspect(self, container: str) -> Container | None:
        await self._call("inspect")
        return next((row for row in await self.containers("") if row.id == container), None)

    async def containers(self, label: str) -> tuple[Container, ...]:
        await self._call("containers")
        key, _, value = label.partition("=")
        return tuple(
            Container(row.id, row.name, row.state, 0.0, row.labels)
            for row in self.rows.values()
            if not label or (key in row.labels and value in {"", row.labels[key]})
        )

    async def remove(self, container: str) -> None:
        await self._call("remove")
        row = self.rows.pop(container, None)
        if row is not None:
            row.end()

    async def volumes(self, label: str) -> tuple[str, ...]:
        await self._call("volumes")
        key, _, value = label.partition("=")
        return tuple(name for name, labels in self.disk.items() if labels.get(key) == value)

    async def remove_volume(self, name: str) -> None:
        await self._call("remove_volume")
        if not any(row.labels.get(naming.LABEL_VOLUME) == name for row in self.rows.values()):
            self.disk.pop(name, None)

    async def image_id(self, image: str) -> str:
        await self._call("image_id")
        try:
            return self.images[image]
        except KeyError:
            raise ImageMissing(f"The sandbox image {image} is missing.") from None

    async def close(self) -> None:
        return None


class ManualClock:
    """Time that a test moves with `advance`."""

    def __init__(self) -> None:
        self._now = 1000.0
        self._moved = asyncio.Event()

    def now(self) -> float:
        return self._now

    def advance(self, seconds: float) -> None:
        self._now += seconds
        self._moved.set()
        self._moved = asyncio.Event()

    async def wait(self, event: asyncio.Event, timeout_s: float | None) -> None:
        due = None if timeout_s is None else self._now + timeout_s
        while not event.is_set() and (due is None or self._now < due):
            waits = [asyncio.create_task(event.wait()), asyncio.create_task(self._moved.wait())]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in waits:
                    task.cancel()
