"""Memory of a container, for executions that were allowed more than the channel's others.

A container has room for as many executions as it has slots, each at the channel's limit. One with a limit of its own
above that would meet the container's long before its own, and be told a limit that it never had. So the container
grows first, by what goes beyond; it does not shrink again, since each execution's own limit is kept inside.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from executor.engine import Engine
from executor.errors import InvalidExecution, SandboxUnavailable
from executor.hardening import memory_bytes
from executor.types import MIB, Execution, SandboxLimits


class Room:
    def __init__(self, engine: Engine, container: str, limits: SandboxLimits) -> None:
        self._engine = engine
        self._container = container
        self._limits = limits
        self._extra_mb: dict[str, int] = {}
        self._bytes = memory_bytes(limits)
        self._growing = asyncio.Lock()

    @asynccontextmanager
    async def of(self, execution: Execution) -> AsyncIterator[None]:
        """There is room for it inside the block. InvalidExecution where the engine gives none, EngineUnavailable."""
        extra = execution.limits.memory_mb - self._limits.execution.memory_mb
        if extra <= 0:
            yield
            return
        self._extra_mb[execution.id] = extra
        try:
            async with self._growing:
                await self._grow(execution.limits.memory_mb)
            yield
        finally:
            del self._extra_mb[execution.id]

    async def _grow(self, wanted_mb: int) -> None:
        needed = memory_bytes(self._limits) + sum(self._extra_mb.values()) * MIB
        if needed <= self._bytes:
            return
        try:
            await self._engine.resize(self._container, needed)
        except SandboxUnavailable as error:
            if await self._engine.inspect(self._container) is None:
                raise
            raise InvalidExecution(f"The engine does not give a sandbox {wanted_mb} MB of memory.") from error
        self._bytes = needed
