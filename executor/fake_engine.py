"""An engine in memory: containers, volumes and streams as dictionaries and queues, each container with a
`FakeSupervisor` inside. For tests of whatever uses an engine, and below `executor.fake`.
"""

import asyncio
from collections.abc import Awaitable, Callable

from executor import naming
from executor.clock import Clock, MonotonicClock
from executor.engine import Container, NameTaken
from executor.errors import EngineUnavailable, ImageMissing, SandboxUnavailable
from executor.fake_supervisor import FakeSupervisor, Script
from executor.frames import TOKEN_BYTES
from executor.hardening import CreateOptions
from executor.types import MIB


class FakeWire:
    """See `executor.engine.Wire`."""

    def __init__(self, supervisor: FakeSupervisor) -> None:
        self._supervisor = supervisor
        self._pieces: asyncio.Queue[bytes] = asyncio.Queue()
        self._ended = False
        self.complaints = ""
        supervisor.mouth = self

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
        if self._supervisor.mouth is self:
            self._supervisor.mouth = None


class FakeContainer:
    """`end` it as a kill from outside would."""

    def __init__(self, number: int, name: str, options: CreateOptions, script: Script, clock: Clock) -> None:
        self.id = f"{number:064x}"
        self.name = name
        self.options = options
        self.state = "created"
        self.labels: dict[str, str] = options["Labels"]
        token = bytes.fromhex(self.labels.get(naming.LABEL_TOKEN, "")) or bytes(TOKEN_BYTES)
        self.supervisor = FakeSupervisor(token, script, clock, self.end)

    def end(self, state: str = "exited") -> None:
        self.state = state
        self.break_stream()
        self.supervisor.stop()

    def break_stream(self) -> None:
        """As an engine that restarts does."""
        if isinstance(wire := self.supervisor.mouth, FakeWire):
            wire.end()


class FakeEngine:
    """See `executor.engine.Engine`. `down` makes every call fail, `mute` new containers not answer; `before` is awaited
    in front of every call, with its name; no container gets more than `most_memory` later on.
    """

    def __init__(self, script: Script, clock: Clock | None = None) -> None:
        self._script = script
        self._clock = clock or MonotonicClock()
        self._count = 0
        self.rows: dict[str, FakeContainer] = {}
        self.disk: dict[str, dict[str, str]] = {}
        self.images = {"image": "sha256:1"}
        self.down = False
        self.mute = False
        self.most_memory = 64 * 1024 * MIB
        self.calls: list[str] = []
        self.before: Callable[[str], Awaitable[None]] | None = None

    def named(self, name: str) -> FakeContainer:
        return next(row for row in self.rows.values() if row.name == name)

    @property
    def only(self) -> FakeContainer:
        (row,) = self.rows.values()
        return row

    async def create(self, name: str, options: CreateOptions) -> str:
        await self._called("create")
        if any(row.name == name for row in self.rows.values()):
            raise NameTaken(f"A container named {name} exists.")
        self._count += 1
        row = FakeContainer(self._count, name, options, self._script, self._clock)
        self.rows[row.id] = row
        for mount in options["HostConfig"]["Mounts"]:
            self.disk[mount["Source"]] = mount["VolumeOptions"]["Labels"]
        return row.id

    async def start(self, container: str) -> None:
        await self._called("start")
        self.rows[container].state = "running"

    async def attach(self, container: str) -> FakeWire:
        await self._called("attach")
        if container not in self.rows:
            raise SandboxUnavailable("The sandbox could not be reached.")
        row = self.rows[container]
        row.supervisor.deaf = row.supervisor.deaf or self.mute
        wire = FakeWire(row.supervisor)
        if row.state not in {"created", "running"}:
            wire.end()
        return wire

    async def rename(self, container: str, name: str) -> None:
        await self._called("rename")
        if any(row.name == name for row in self.rows.values()):
            raise NameTaken(f"A container named {name} exists.")
        if container not in self.rows:
            raise SandboxUnavailable("Docker could not provide a sandbox.")
        self.rows[container].name = name

    async def inspect(self, container: str) -> Container | None:
        await self._called("inspect")
        row = self.rows.get(container)
        return Container(row.id, row.name, row.state, 0.0, row.labels) if row else None

    async def containers(self, label: str) -> tuple[Container, ...]:
        await self._called("containers")
        rows = [row for row in self.rows.values() if _has(row.labels, label)]
        return tuple(Container(row.id, row.name, row.state, 0.0, row.labels) for row in rows)

    async def memory(self, container: str) -> int | None:
        await self._called("memory")
        row = self.rows.get(container)
        return 21 * MIB if row is not None and row.state == "running" else None

    async def resize(self, container: str, memory_bytes: int) -> None:
        await self._called("resize")
        if memory_bytes > self.most_memory:
            raise SandboxUnavailable("Docker could not provide a sandbox.")
        self.rows[container].options["HostConfig"] |= {"Memory": memory_bytes, "MemorySwap": memory_bytes}

    async def remove(self, container: str) -> None:
        await self._called("remove")
        if (row := self.rows.pop(container, None)) is not None:
            row.end()

    async def volumes(self, label: str) -> tuple[str, ...]:
        await self._called("volumes")
        return tuple(name for name, labels in self.disk.items() if _has(labels, label))

    async def remove_volume(self, name: str) -> None:
        await self._called("remove_volume")
        if not any(row.labels.get(naming.LABEL_VOLUME) == name for row in self.rows.values()):
            self.disk.pop(name, None)

    async def image_id(self, image: str) -> str:
        await self._called("image_id")
        try:
            return self.images[image]
        except KeyError:
            raise ImageMissing(f"The sandbox image {image} is not on this machine.") from None

    async def close(self) -> None:
        for row in self.rows.values():
            row.end()

    async def _called(self, name: str) -> None:
        self.calls.append(name)
        if self.before is not None:
            await self.before(name)
        await asyncio.sleep(0)
        if self.down:
            raise EngineUnavailable("Docker does not answer on this machine.")


def _has(labels: dict[str, str], label: str) -> bool:
    name, _, value = label.partition("=")
    return name in labels and value in {"", labels[name]}
