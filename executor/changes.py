"""How a channel comes by its sandbox and how that goes again: the changes of a `Place`, one task at a time for each.

`Sandboxes` decides when; here is what happens. Whatever fails leaves something that the next settlement finds.
"""

import asyncio
import logging
from collections.abc import Coroutine

from executor import naming
from executor.archive import ArchiveUnavailable
from executor.clock import Clock
from executor.containers import Containers, Sandbox
from executor.errors import ExecutorError, SandboxLost, SandboxUnavailable
from executor.keeper import Keeper
from executor.places import Place, PoolLimits, least_recently_used

logger = logging.getLogger(__name__)

_PAUSE_S = 30.0
"""Before the reserve is filled again after that has failed."""

_KEPT_S = 0.5
"""Before another one is put to sleep, after one could not be."""

_LAST_S = 10.0
_PARTING_S = 3.0
"""So long a workspace may take to be saved at the end of the process, and out of a sandbox that is suspect."""


class Changes:
    """`settled` is False once something may have been left behind; `changed` is set with every change.

    `fill_at` is when the reserve may be filled again.
    """

    def __init__(
        self,
        containers: Containers,
        keeper: Keeper,
        instance: str,
        limits: PoolLimits,
        clock: Clock,
    ) -> None:
        self.containers = containers
        self.keeper = keeper
        self.places: dict[str, Place] = {}
        self.changed = asyncio.Event()
        self.settled = False
        self.fill_at = 0.0
        self._instance = instance
        self._limits = limits
        self._clock = clock
        self._settling = asyncio.Lock()
        self._moving: set[str] = set()

    async def renew(self, place: Place) -> None:
        sandbox = place.sandbox
        if sandbox is None or not self.keeper.is_bare(sandbox) or not await sandbox.answers():
            sandbox = await self._replace(place)
        try:
            await self._furnish(place, sandbox)
        except BaseException:
            await self._remove(place.take())
            raise

    async def _replace(self, place: Place) -> Sandbox:
        old, place.sandbox = place.sandbox, None
        uncertain = old is not None or not self.settled
        try:
            if old is not None:
                await self._give_up(place, old)
            if uncertain:
                await self.settle(place)
            if place.sandbox is None:
                await self._take_reserve(place)
            if place.sandbox is None:
                await self._room_for(place)
                place.sandbox = await self.containers.make(place.name)
        except ExecutorError:
            self.settled = False
            raise
        finally:
            place.granted = False
        if old is not None and old.unsaved and old.container != place.sandbox.container:
            logger.error("workspace changes lost", extra={"channel": place.channel, "container": old.container})
        return place.sandbox

    async def _give_up(self, place: Place, old: Sandbox) -> None:
        logger.warning("sandbox given up", extra={"container": old.container, "reason": old.client.suspect})
        if old.client.suspect and not old.client.lost and old.unsaved:
            await self._save(place.name, old, _PARTING_S)
        await old.client.close()
        if old.client.suspect:
            await self.containers.remove(old)

    async def settle(self, own: Place | None) -> None:
        """With `own`, the place that is being changed by the caller is settled too."""
        async with self._settling:
            self.settled = False  # until then, whoever begins to change a place waits
            skip = {place.name for place in self.places.values() if place is not own and not place.empty}
            skip |= self._moving
            for name, sandbox in (await self.containers.settle(skip)).items():
                reserve = naming.is_reserve_name(self._instance, name)
                if sandbox.client.generations if reserve else not await self.keeper.follows(name, sandbox):
                    logger.warning("sandbox of an older workspace removed", extra={"container_name": name})
                    await self._remove(sandbox)
                    continue
                place = self.places.setdefault(name, Place(name, reserve=reserve))
                place.sandbox, place.used_at = sandbox, self._clock.now()
                if not reserve:
                    self.keeper.soon(name, sandbox)
            self.settled = True
            self.changed.set()

    async def _room_for(self, place: Place) -> None:
        """Wait until there is room for one more container, by putting to sleep what was not used for longest."""
        try:
            async with asyncio.timeout(self._limits.wait_s):
                while self.held() >= self._limits.most:
                    if (victim := least_recently_used(self.places.values())) is not None:
                        await self._make_room(victim)
                    else:
                        self.changed.clear()
                        await self.changed.wait()
        except TimeoutError:
            raise SandboxUnavailable("All sandboxes are in use; try again in a moment.") from None
        place.granted = True

    async def _make_room(self, victim: Place) -> None:
        before = victim.sandbox
        await asyncio.shield(self.put_to_sleep(victim))
        if victim.sandbox is before:  # it could not be saved
            await asyncio.sleep(_KEPT_S)

    async def _take_reserve(self, place: Place) -> None:
        """One that has died while it waited is no reason to fail: the next, or a new one, will do."""
        while spares := [other for other in self.places.values() if other.reserve and other.idle]:
            spare = spares[0]
            sandbox = spare.take()
            place.granted = True
            self._moving.add(spare.name)
            self.note(spare)
            try:
                if await self._took_over(place, sandbox):
                    return
            finally:
                self._moving.discard(spare.name)

    async def _took_over(self, place: Place, sandbox: Sandbox) -> bool:
        try:
            if await sandbox.answers():
                await self._take_over(place, sandbox)
                return True
        except (SandboxUnavailable, SandboxLost) as error:
            logger.info("reserve lost", extra={"container": sandbox.container, "reason": repr(error.__cause__)})
        except BaseException:
            await sandbox.client.close()
            self.settled = False
            raise
        await self._remove(sandbox)
        place.granted = False
        return False

    async def _take_over(self, place: Place, sandbox: Sandbox) -> None:
        """Name and workspace at the same time; with one of them only, it is removed by whoever comes upon it."""
        furnished = asyncio.create_task(self._furnish(place, sandbox))
        try:
            await self.containers.rename(sandbox, place.name)
        finally:
            await asyncio.wait([furnished])
            failure = furnished.exception()
        if failure is not None:
            raise failure
        place.sandbox = sandbox

    async def _furnish(self, place: Place, sandbox: Sandbox) -> None:
        if self.keeper.is_bare(sandbox):
            await self.keeper.restore(place.name, sandbox)

    async def fill(self, place: Place) -> None:
        place.granted = True
        try:
            place.sandbox = await self.containers.make(place.name)
        except ExecutorError as error:
            self.fill_at = self._clock.now() + _PAUSE_S
            logger.warning("reserve not filled", extra={"reason": str(error)})
        finally:
            place.granted = False

    def put_to_sleep(self, place: Place) -> asyncio.Task[None]:
        return self.begin(place, self._retire(place, place.take()))

    async def _retire(self, place: Place, sandbox: Sandbox) -> None:
        if sandbox.client.lost and not sandbox.client.suspect and sandbox.unsaved:
            await sandbox.client.close()
            await self.settle(place)  # taken over again, to be saved, if it lives after all
        elif await self._save(place.name, sandbox):
            await self._remove(sandbox)
        else:
            place.sandbox, place.used_at = sandbox, self._clock.now()  # until next time

    async def _save(self, name: str, sandbox: Sandbox, seconds: float | None = None) -> bool:
        """Whether it may go now; what cannot be saved any more is said."""
        try:
            async with asyncio.timeout(seconds):
                await self.keeper.save(name, sandbox, last=True)
        except ArchiveUnavailable:
            return False
        except (ExecutorError, TimeoutError) as error:
            if sandbox.unsaved:
                facts = {"container": sandbox.container, "reason": repr(error)}
                logger.error("workspace changes lost", extra=facts)  # noqa: TRY400 - a fact, no traceback
        return True

    async def _remove(self, sandbox: Sandbox) -> None:
        try:
            await self.containers.remove(sandbox)
        except ExecutorError as error:
            self.settled = False  # the next settlement finds it
            logger.warning("sandbox not removed", extra={"container": sandbox.container, "reason": str(error)})

    async def forget(self, place: Place, channel: str) -> None:
        await self.keeper.forget(channel)
        if place.sandbox is not None:
            await self._remove(place.take())

    async def let_go(self, name: str, sandbox: Sandbox, *, keep: bool) -> None:
        saved = await self._save(name, sandbox, _LAST_S)
        if keep or not saved:
            await sandbox.client.close()
        else:
            await self._remove(sandbox)

    def held(self) -> int:
        return sum(place.holds for place in self.places.values())

    def begin(self, place: Place, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        async def change() -> None:
            try:
                await work
            finally:  # in the task itself: whoever finds `change` set can wait for it, it is never done already
                place.change = None
                self.note(place)

        def done(task: asyncio.Task[None]) -> None:
            if not task.cancelled():
                task.exception()  # those who wait are told; with nobody waiting there is nobody to tell

        place.change = task = asyncio.create_task(change(), name=f"sandbox-{place.name}")
        task.add_done_callback(done)
        return task

    def note(self, place: Place) -> None:
        if place.empty and self.places.get(place.name) is place:
            del self.places[place.name]
        self.changed.set()
