"""The port below the supervisor's client: what a container engine has to be able to do.

`executor.docker` is one implementation; a remote engine, a Swarm node or a Kubernetes pod can be another. Every method
may raise EngineUnavailable (no answer within the engine's own time-outs) and, where it says no, SandboxUnavailable.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from executor.errors import SandboxUnavailable
from executor.hardening import CreateOptions


class NameTaken(SandboxUnavailable):
    """The engine has a container of that name already: remove it or take it over."""


@dataclass(frozen=True, slots=True)
class Container:
    """A container as the engine reports it. `state` is the engine's word: created, running, paused, exited, dead …"""

    id: str
    name: str
    state: str
    created_at: float
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def running(self) -> bool:
        return self.state == "running"


class Wire(Protocol):
    """The attached streams of a container's own process."""

    async def read(self) -> bytes:
        """The next piece of its standard output, never empty; b"" once the stream has ended for whatever reason."""
        ...

    async def write(self, data: bytes) -> None:
        """To its standard input, waiting while the other side is slow. ConnectionError once the stream has ended."""
        ...

    @property
    def complaints(self) -> str:
        """The last that came on its standard error: a traceback of the supervisor, a runtime's refusal."""
        ...

    async def close(self) -> None: ...


class Engine(Protocol):
    async def create(self, name: str, options: CreateOptions) -> str:
        """The new container's id. ImageMissing; NameTaken where a container of that name exists."""
        ...

    async def start(self, container: str) -> None: ...

    async def attach(self, container: str) -> Wire: ...

    async def rename(self, container: str, name: str) -> None: ...

    async def inspect(self, container: str) -> Container | None:
        """By its full id; None where there is none."""
        ...

    async def containers(self, label: str) -> tuple[Container, ...]:
        """In any state; `label` is `name` or `name=value`."""
        ...

    async def memory(self, container: str) -> int | None:
        """Bytes in use in it, without what the kernel would give back at once; None where that is not known. It may
        take seconds.
        """
        ...

    async def resize(self, container: str, memory_bytes: int) -> None:
        """Let it use so much memory, without swap, while it runs."""
        ...

    async def remove(self, container: str) -> None:
        """Kill and remove it; nothing happens where there is none."""
        ...

    async def volumes(self, label: str) -> tuple[str, ...]: ...

    async def remove_volume(self, name: str) -> None:
        """Nothing happens where there is none or a container still uses it."""
        ...

    async def image_id(self, image: str) -> str:
        """The content-addressed id behind a name. ImageMissing."""
        ...

    async def close(self) -> None: ...
