"""How much memory sandboxes have in use, as of a moment ago.

The engine is asked for one container after the other, by one task and only while somebody looks, so that an engine that
hangs costs one of its threads and nobody's patience: whoever looks waits for a short while and takes what there is.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import structlog

from bot.ports import Clock, SandboxRegister
from bot.shell.tasks import task_group
from executor.errors import ExecutorError

FRESH_S = 3.0
KEPT_S = 15.0
"""A reading that is older is not shown any more."""

WAIT_S = 0.3

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
        self._wanted = asyncio.Event()
        self._done = asyncio.Event()

    @asynccontextmanager
    async def open(self) -> AsyncIterator["MemoryReadings"]:
        async with task_group() as group:
            reading = group.create_task(self._keep_reading(), name="memory of sandboxes")
            try:
                yield self
            finally:
                reading.cancel()

    async def of(self, containers: Collection[str]) -> Mapping[str, int]:
        """Bytes by container; one that could not be read is not there."""
        if any(self._is_old(container, FRESH_S) for container in containers):
            self._done.clear()
            self._wanted.set()
            try:
                async with asyncio.timeout(WAIT_S):
                    await self._done.wait()
            except TimeoutError:
                pass
        kept = {name: reading for name in containers if (reading := self._readings.get(name)) is not None}
        return {
            name: reading.bytes
            for name, reading in kept.items()
            if reading.bytes is not None and not self._is_old(name, KEPT_S)
        }

    def _is_old(self, container: str, age_s: float) -> bool:
        reading = self._readings.get(container)
        return reading is None or self._clock.now() - reading.at >= age_s

    async def _keep_reading(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            there = [status.container for status in self._sandboxes.list() if status.container is not None]
            self._readings = {name: reading for name, reading in self._readings.items() if name in there}
            for container in there:
                if self._is_old(container, FRESH_S):
                    self._readings[container] = _Reading(self._clock.now(), await self._read(container))
            self._done.set()

    async def _read(self, container: str) -> int | None:
        try:
            return await self._sandboxes.memory(container)
        except ExecutorError as error:
            log.debug("memory not read", container=container, error=str(error))
            return None
