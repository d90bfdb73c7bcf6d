"""Sandboxes by channel: leased, kept warm, put to sleep, replaced.

A channel's `Place` is empty, has a sandbox, or *changes*: one task at a time makes, replaces or removes its container,
and every lease waits for that same task. A lease that is cancelled leaves the task alone, so a container is never half
made, and the next lease finds it ready.

A sandbox is checked at each lease: one that is lost, paused, dead or suspect is let go. `Containers.settle` then takes
it over again if it lives after all (an engine that restarted under it), or removes it, before a new one is made. The
same `settle` runs at the start and after every time the engine did not answer.

The reserve is containers that wait under names of no channel; a channel that has none takes one over by renaming it.

Not here yet: saving the workspace. `_put_to_sleep` and the end of `_renew` are where an archive belongs.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Coroutine
from types import TracebackType
from typing import Self

from executor import naming
from executor.clock import Clock, MonotonicClock
from executor.containers import Containers, Equipment, Sandbox
from executor.engine import Engine
from executor.errors import ExecutorError, SandboxUnavailable
from executor.places import Place, PoolLimits, least_recently_used
from executor.status import SandboxStatus

__all__ = ["PoolLimits", "SandboxStatus", "Sandboxes"]

logger = logging.getLogger(__name__)

_ATTEMPTS = 3


_PAUSE_S = 30.0
"""Before the reserve is filled again after that has failed."""


class Sandboxes:
    """The sandboxes of one instance on one engine. With `keep` its containers stay when it closes, to be taken over."""

    def __init__(
        self,
        engine: Engine,
        instance: str,
        equipment: Equipment,
        limits: PoolLimits | None = None,
        *,
        keep: bool = False,
        clock: Clock | None = None,
    ) -> None:
        self._containers = Containers(engine, instance, equipment)
        self._instance = instance
        self._limits = limits or PoolLimits()
        self._keep = keep
        self._clock = clock or MonotonicClock()
        self._places: dict[str, Place] = {}
        self._changed = asyncio.Event()
        self._settling = asyncio.Lock()
        self._settled = False
        self._closed = False
        self._fill_at = 0.0
        self._tidier: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Take over what a predecessor left. An engine that does not answer is no reason not to start."""
        try:
            await self._settle(None)
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

        EngineUnavailable, ImageMissing, SandboxUnavailable.
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
            if place.idle and place.sandbox is not None and place.sandbox.client.worn and not self._closed:
                self._put_to_sleep(place)
            self._note(place)

    async def cancel(self, execution_id: str) -> bool:
        """End it now, with the outcome cancelled for whoever awaits it; False where it is not running here."""
        for place in list(self._places.values()):
            if place.sandbox is not None and await place.sandbox.client.cancel(execution_id):
                return True
        return False

    async def memory(self, container: str) -> int | None:
        """Bytes in use; None where the engine cannot say. EngineUnavailable, SandboxUnavailable."""
        return await self._containers.memory(container)

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
        held = [place.sandbox for place in self._places.values() if place.sandbox is not None]
        self._places.clear()
        if keep:
            await asyncio.gather(*(sandbox.client.close() for sandbox in held))
        else:
            await asyncio.gather(*(self._remove(sandbox) for sandbox in held))

    async def _ready(self, place: Place) -> Sandbox:
        for _ in range(_ATTEMPTS):
            while place.change is not None:
                await asyncio.shield(place.change)
            sandbox = place.sandbox
            if sandbox is not None and await sandbox.answers():
                return sandbox
            if place.sandbox is sandbox and place.change is None:
                if self._closed:
                    break
                await asyncio.shield(self._begin(place, self._renew(place)))
        raise SandboxUnavailable("The sandbox could not be started.")

    async def _renew(self, place: Place) -> None:
        old, place.sandbox = place.sandbox, None
        uncertain = old is not None or not self._settled
        try:
            if old is not None:
                logger.warning("sandbox given up", extra={"container": old.container, "reason": old.client.suspect})
                await old.client.close()
                if old.client.suspect:
                    await self._containers.remove(old)
            if uncertain:
                await self._settle(place)
            if place.sandbox is None:
                await self._take_reserve(place)
            if place.sandbox is None:
                await self._room_for(place)
                place.sandbox = await self._containers.make(place.name)
        except ExecutorError:
            self._settled = False
            raise
        finally:
            place.granted = False

    async def _settle(self, own: Place | None) -> None:
        """With `own`, the place that is being changed by the caller is settled too."""
        async with self._settling:
            skip = {place.name for place in self._places.values() if place is not own and not place.empty}
            for name, sandbox in (await self._containers.settle(skip)).items():
                reserve = naming.is_reserve_name(self._instance, name)
                place = self._places.setdefault(name, Place(name, reserve=reserve))
                place.sandbox, place.used_at = sandbox, self._clock.now()
            self._settled = True
            self._changed.set()

    async def _room_for(self, place: Place) -> None:
        """Wait until there is room for one more container, by putting to sleep what was not used for longest."""
        try:
            async with asyncio.timeout(self._limits.wait_s):
                while self._held() >= self._limits.most:
                    if (victim := least_recently_used(self._places.values())) is not None:
                        await asyncio.shield(self._put_to_sleep(victim))
                    else:
                        self._changed.clear()
                        await self._changed.wait()
        except TimeoutError:
            raise SandboxUnavailable("All sandboxes are in use; try again in a moment.") from None
        place.granted = True

    async def _take_reserve(self, place: Place) -> None:
        spare = next((other for other in self._places.values() if other.reserve and other.idle), None)
        if spare is None:
            return
        sandbox = spare.take()
        place.granted = True
        self._note(spare)
        try:
            await self._containers.rename(sandbox, place.name)
        except ExecutorError:
            await sandbox.client.close()
            self._settled = False
            raise
        place.sandbox = sandbox

    async def _fill(self, place: Place) -> None:
        place.granted = True
        try:
            place.sandbox = await self._containers.make(place.name)
        except ExecutorError as error:
            self._fill_at = self._clock.now() + _PAUSE_S
            logger.warning("reserve not filled", extra={"reason": str(error)})
        finally:
            place.granted = False

    def _put_to_sleep(self, place: Place) -> asyncio.Task[None]:
        return self._begin(place, self._remove(place.take()))

    async def _remove(self, sandbox: Sandbox) -> None:
        try:
            await self._containers.remove(sandbox)
        except ExecutorError as error:
            self._settled = False  # the next settlement finds it
            logger.warning("sandbox not removed", extra={"container": sandbox.container, "reason": str(error)})

    async def _tidy(self) -> None:
        while True:
            now = self._clock.now()
            due: list[float] = []
            for place in [place for place in self._places.values() if place.idle and not place.reserve]:
                if place.used_at + self._limits.sleep_after_s <= now:
                    self._put_to_sleep(place)
                else:
                    due.append(place.used_at + self._limits.sleep_after_s)
            while self._held() > self._limits.most and (victim := least_recently_used(self._places.values())):
                self._put_to_sleep(victim)
            if self._tidy_reserve(now):
                due.append(self._fill_at)
            self._changed.clear()
            await self._clock.wait(self._changed, min(due) - now if due else None)

    def _tidy_reserve(self, now: float) -> bool:
        """Whether to come back when filling it may be tried again."""
        reserve = [place for place in self._places.values() if place.reserve]
        for place in reserve[self._limits.reserve :]:
            if place.idle:
                self._put_to_sleep(place)
        room = self._limits.most - self._held()
        missing = min(self._limits.reserve - len(reserve), room)
        if missing > 0 and now >= self._fill_at:
            name = naming.reserve_name(self._instance)
            place = self._places[name] = Place(name, reserve=True)
            self._begin(place, self._fill(place))
            return False
        return missing > 0

    def _held(self) -> int:
        return sum(place.holds for place in self._places.values())

    def _begin(self, place: Place, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        async def change() -> None:
            try:
                await work
            finally:  # in the task itself: whoever finds `change` set can wait for it, it is never done already
                place.change = None
                self._note(place)

        def done(task: asyncio.Task[None]) -> None:
            if not task.cancelled():
                task.exception()  # those who wait are told; with nobody waiting there is nobody to tell

        place.change = task = asyncio.create_task(change(), name=f"sandbox-{place.name}")
        task.add_done_callback(done)
        return task

    def _note(self, place: Place) -> None:
        if place.empty and self._places.get(place.name) is place:
            del self._places[place.name]
        self._changed.set()
