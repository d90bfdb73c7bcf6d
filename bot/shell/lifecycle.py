"""The bot from start to stop: recover first, then listen; stop listening first, then end.

A start lets every channel know that nobody watches what ran before, and does again what is owed. Only then do the
platforms bring events. A stop is a cancellation of `run`: gateways end, steps that were begun are finished and saved,
and whatever the outside has not taken yet stays owed. Executions that run at the stop are reported at the next start.
"""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack

import structlog

from bot.core.events import BotStarted
from bot.core.keys import ChannelKey
from bot.ports import Blobs, Clock, Gateway, Owed, Sandboxes, Store
from bot.shell.backoff import Backoff
from bot.shell.deadlines import Deadlines
from bot.shell.dispatcher import Dispatcher
from bot.shell.mailbox import StepFailed
from bot.shell.outside import Outside
from bot.shell.performer import Performer, open_performer
from bot.shell.reference import new_event_id
from bot.shell.sites import SiteOf, Sites
from bot.shell.tasks import task_group

RECOVERING_AT_ONCE = 50
RECOVERY_ATTEMPTS = 3

SERVED_WELL_S = 300.0
"""A gateway that was up for this long starts with the shortest patience again."""

log = structlog.get_logger()


class Bot:
    """Store, blobs and sandboxes are open already and are closed by whoever opened them, after `run`."""

    def __init__(
        self,
        *,
        store: Store,
        blobs: Blobs,
        sandboxes: Sandboxes,
        gateways: Sequence[Gateway],
        clock: Clock,
        site_of: SiteOf,
    ) -> None:
        by_platform = {gateway.platform: gateway for gateway in gateways}
        self._outside = Outside(store, blobs, sandboxes, by_platform, clock)
        self._sites = Sites(site_of)
        self._dispatcher = Dispatcher(store, self._sites, self._after_step)
        self._deadlines = Deadlines(clock, self._dispatcher.deliver)
        self._performer: Performer | None = None
        self.started = asyncio.Event()

    async def run(self) -> None:
        """Until cancelled. `started` is set once everything owed is on its way and the gateways are being served."""
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._dispatcher.open())
            await stack.enter_async_context(self._deadlines.open())
            await self._recover(stack)
            async with task_group() as group:
                for gateway in self._outside.gateways.values():
                    group.create_task(self._serve(gateway), name=f"gateway {gateway.platform}")
                self.started.set()

    async def _recover(self, stack: AsyncExitStack) -> None:
        """Every channel hears of the start before anything else; what its step owes is then in the store with the
        rest, and all of it is taken up in one go.
        """
        store = self._outside.store
        self._sites.halted_by = await store.halted_by()
        channels = await store.live_channels()
        gate = asyncio.Semaphore(RECOVERING_AT_ONCE)
        async with task_group() as group:
            for channel in channels:
                group.create_task(self._tell_start(channel, gate))
        performer = await stack.enter_async_context(open_performer(self._dispatcher, self._outside, self._sites))
        self._performer = performer
        owed = await store.owed()
        performer.take(owed)
        log.info("recovered", channels=len(channels), owed=len(owed), halted_by=self._sites.halted_by)

    async def _tell_start(self, channel: ChannelKey, gate: asyncio.Semaphore) -> None:
        """Now or not at all: once other events came, what runs may have somebody watching it."""
        backoff = Backoff(self._outside.clock)
        async with gate:
            for attempt in range(RECOVERY_ATTEMPTS):
                event = BotStarted(id=new_event_id("start"), channel=channel, at=self._outside.clock.now())
                try:
                    await self._dispatcher.deliver(event)
                    return
                except StepFailed as failure:
                    log.warning("channel not recovered", channel=str(channel), reference=failure.reference)
                    if not failure.again or attempt + 1 == RECOVERY_ATTEMPTS:
                        return
                await backoff.wait()

    def _after_step(self, channel: ChannelKey, owed: tuple[Owed, ...], next_deadline: float | None) -> None:
        self._deadlines.arm(channel, next_deadline)
        if self._performer is not None:
            self._performer.take(owed)

    async def _serve(self, gateway: Gateway) -> None:
        """Serve a platform for good: one that ends is served again, with patience."""
        backoff = Backoff(self._outside.clock)
        while True:
            began = self._outside.clock.now()
            [ended] = await asyncio.gather(gateway.serve(self._dispatcher.dispatch), return_exceptions=True)
            log.error(
                "gateway ended",
                platform=gateway.platform,
                exc_info=ended if isinstance(ended, BaseException) else None,
            )
            if self._outside.clock.now() - began > SERVED_WELL_S:
                backoff = Backoff(self._outside.clock)
            await backoff.wait()
