"""Sandboxes by channel: leased, kept warm, put to sleep, replaced.

A channel's `Place` is empty, has a sandbox, or *changes*: one task at a time makes, replaces or removes its container,
and every lease waits for that same task. A lease that is cancelled leaves the task alone, so a container is never half
made, and the next lease finds it ready.

A sandbox is checked at each lease: one that is lost, paused, dead or suspect is let go. `Containers.settle` then takes
it over again if it lives after all (an engine that restarted under it), or removes it, before a new one is made. The
same `settle` runs at the start and after every time the engine did not answer.

The reserve is containers that wait under names of no channel; a channel that has none takes one over by renaming it.

A sandbox that is as it was made gets the channel's workspace before it is leased, and gives it back before it is
removed (`executor.keeper`); one that cannot give it back for want of an archive is not removed.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Self

from executor import naming
from executor.archive import WorkspaceArchive
from executor.changes import Changes
from executor.clock import Clock, MonotonicClock
from executor.containers import Containers, Equipment, Sandbox
from executor.engine import Engine
from executor.errors import ExecutorError, SandboxBusy, SandboxUnavailable
from executor.keeper import Keeper
from executor.places import Place, PoolLimits, least_recently_used
from executor.status import SandboxStatus

__all__ = ["PoolLimits", "SandboxStatus", "Sandboxes"]

logger = logging.getLogger(__name__)

_ATTEMPTS = 3


class Sandboxes:
    """The sandboxes of one instance on one engine. With `keep` its containers stay when it closes, to be taken over.
    Without an archive, what is in a workspace goes with its container.
    """

    def __init__(
        self,
        engine: Engine,
        instance: str,
        equipment: Equipment,
        limits: PoolLimits | None = None,
        *,
        keep: bool = False,
        clock: Clock | None = None,
        archive: WorkspaceArchive | None = None,
    ) -> None:
        self._instance = instance
        self._limits = limits or PoolLimits()
        self._keep = keep
        self._clock = clock or MonotonicClock()
        containers = Containers(engine, instance, equipment)
        keeper = Keeper(archive, instance, equipment.spec.limits, self._clock)
        self._changes = Changes(containers, keeper, instance, self._limits, self._clock)
        self._places = self._changes.places
        self._closed = False
        self._tidier: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Take over what a predecessor left. An engine that does not answer is no reason not to start."""
        try:
            await self._changes.settle(None)
        except ExecutorError as error:
            logger.warning("sandboxes not settled", extra={"reason": str(error)})
        self._tidier = asyncio.create_task(self._tidy(), name="sandboxes-tidy")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close(keep=self._keep)

    @contextlib.asynccontextmanager
    async def lease(self, channel: str) -> AsyncIterator[Sandbox]:
        """The channel's sandbox, made if need be, and not taken away meanwhile. Any number of leases at once share it.

        EngineUnavailable, ImageMissing, SandboxUnavailable, ArchiveUnavailable.
        """
        name = naming.container_name(self._instance, channel)
        place = self._places.setdefault(name, Place(name))
        place.channel = channel
        place.leases += 1
        try:
            yield await self._ready(place)
        finally:
            place.leases -= 1
            place.used_at = self._clock.now()
            if place.sandbox is not None:
                self._changes.keeper.soon(place.name, place.sandbox)
            if place.idle and place.sandbox is not None and place.sandbox.client.worn and not self._closed:
                self._changes.put_to_sleep(place)
            self._changes.note(place)

    async def cancel(self, execution_id: str) -> bool:
        """End it now, with the outcome cancelled for whoever awaits it; False where it is not running here."""
        for place in list(self._places.values()):
            if place.sandbox is not None and await place.sandbox.client.cancel(execution_id):
                return True
        return False

    async def memory(self, container: str) -> int | None:
        """Bytes in use; None where the engine cannot say. EngineUnavailable, SandboxUnavailable."""
        return await self._changes.containers.memory(container)

    def list(self) -> tuple[SandboxStatus, ...]:
        return tuple(place.status(time.time()) for place in self._places.values() if not place.empty)

    async def close(self, *, keep: bool) -> None:
        """Let the containers go, or remove them. What runs in them is lost to whoever awaits it."""
        self._closed = True
        if self._tidier is not None:
            self._tidier.cancel()
        tasks = [place.change for place in self._places.values() if place.change is not None]
        if pending := [task for task in (*tasks, self._tidier) if task is not None]:
            await asyncio.wait(pending)
        held = [(place.name, place.sandbox) for place in self._places.values() if place.sandbox is not None]
        self._places.clear()
        await asyncio.gather(*(self._changes.let_go(name, sandbox, keep=keep) for name, sandbox in held))
        await self._changes.keeper.close()

    async def forget(self, channel: str) -> None:
        """Its sandbox and its files, for good. SandboxBusy while anybody is in it; ArchiveUnavailable."""
        name = naming.container_name(self._instance, channel)
        place = self._places.setdefault(name, Place(name))
        while place.change is not None:
            await asyncio.shield(place.change)
        if place.leases:
            raise SandboxBusy("Something runs in the channel's sandbox.")
        await asyncio.shield(self._changes.begin(place, self._changes.forget(place, channel)))

    async def _ready(self, place: Place) -> Sandbox:
        for _ in range(_ATTEMPTS):
            while place.change is not None:
                await asyncio.shield(place.change)
            sandbox = place.sandbox
            if sandbox is not None and not self._changes.keeper.is_bare(sandbox) and await sandbox.answers():
                return sandbox
            if place.sandbox is sandbox and place.change is None:
                if self._closed:
                    break
                await asyncio.shield(self._changes.begin(place, self._changes.renew(place)))
        raise SandboxUnavailable("The sandbox could not be started.")

    async def _tidy(self) -> None:
        while True:
            now = self._clock.now()
            due: list[float] = []
            for place in [place for place in self._places.values() if place.idle and not place.reserve]:
                if place.used_at + self._limits.sleep_after_s <= now:
                    self._changes.put_to_sleep(place)
                else:
                    due.append(place.used_at + self._limits.sleep_after_s)
            while self._changes.held() > self._limits.most and (victim := least_recently_used(self._places.values())):
                self._changes.put_to_sleep(victim)
            if self._tidy_reserve(now):
                due.append(self._changes.fill_at)
            self._changes.changed.clear()
            await self._clock.wait(self._changes.changed, min(due) - now if due else None)

    def _tidy_reserve(self, now: float) -> bool:
        """Whether to come back when filling it may be tried again."""
        reserve = [place for place in self._places.values() if place.reserve]
        for number, place in enumerate(reserve):
            if place.idle and (number >= self._limits.reserve or place.is_lost):
                self._changes.put_to_sleep(place)
        room = self._limits.most - self._changes.held()
        missing = min(self._limits.reserve - len(reserve), room)
        if missing > 0 and now >= self._changes.fill_at:
            name = naming.reserve_name(self._instance)
            place = self._places[name] = Place(name, reserve=True)
            self._changes.begin(place, self._changes.fill(place))
            return False
        return missing > 0
