"""How much memory sandboxes have in use, as of a moment ago.

An engine may take a second to say so (Docker 20.10 waits for its next sample), so nobody waits for it: looking gives
what was read last, and has it read again in the background if that was a while ago. Few are read at a time, so an
engine that hangs costs few of its threads; and nothing is read while nobody looks.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import structlog

from bot.ports import Clock, SandboxRegister
from bot.shell.tasks import task_group
from executor.errors import ExecutorError

AT_ONCE = 3
FRESH_S = 4.0
KEPT_S = 60.0
"""A reading that is older is not shown any more."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _Reading:
    at: float
    bytes: int | None


class MemoryReadings:
    """Usable within `open`."""

    def __init__(self, sandboxes: SandboxRegister, clock: Clock) -> None:
        self._sandboxes = sandboxes
        self._clock = clock
        self._readings: dict[str, _Reading] = {}
        self._wanted: dict[str, None] = {}
        self._asked = asyncio.Event()

    @asynccontextmanager
    async def open(self) -> AsyncIterator["MemoryReadings"]:
        async with task_group() as group:
            readers = [group.create_task(self._read(), name=f"memory of sandboxes {n}") for n in range(AT_ONCE)]
            try:
                yield self
            finally:
                for reader in readers:
                    reader.cancel()

    def of(self, containers: Collection[str]) -> Mapping[str, int]:
        """Bytes by container; one that has not been read, or could not be, is not there."""
        now = self._clock.now()
        self._readings = {name: reading for name, reading in self._readings.items() if now - reading.at < KEPT_S}
        for name in containers:
            reading = self._readings.get(name)
            if reading is None or now - reading.at >= FRESH_S:
                self._wanted[name] = None
                self._asked.set()
        found = {name: self._readings[name].bytes for name in containers if name in self._readings}
        return {name: in_use for name, in_use in found.items() if in_use is not None}

    async def _read(self) -> None:
        """Those that are wanted, one after the other; one that is being read is wanted no more."""
        while True:
            await self._asked.wait()
            if not self._wanted:
                self._asked.clear()
                continue
            container = next(iter(self._wanted))
            del self._wanted[container]
            before = self._readings.get(container)
            self._readings[container] = _Reading(self._clock.now(), before.bytes if before else None)
            self._readings[container] = _Reading(self._clock.now(), await self._memory(container))

    async def _memory(self, container: str) -> int | None:
        try:
            return await self._sandboxes.memory(container)
        except ExecutorError as error:
            log.debug("memory not read", container=container, error=str(error))
            return None
