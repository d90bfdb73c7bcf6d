"""Halt and resume: one word in the store, and every channel hears of it."""

import structlog

from bot.core.effects import ChangeHalt
from bot.core.events import HaltChanged
from bot.ports import Owed
from bot.shell.dispatcher import Dispatcher
from bot.shell.mailbox import StepFailed
from bot.shell.outside import Outside
from bot.shell.reference import new_event_id
from bot.shell.sites import Sites

log = structlog.get_logger()


class Halting:
    def __init__(self, dispatcher: Dispatcher, outside: Outside, sites: Sites) -> None:
        self._dispatcher = dispatcher
        self._store = outside.store
        self._clock = outside.clock
        self._sites = sites

    async def change(self, owed: Owed, effect: ChangeHalt) -> None:
        """Save it first: whatever starts from here on is held, and stays so after a restart. A channel that cannot
        take the news does not keep it from the others.
        """
        halted_by = effect.by if effect.halted else None
        await self._store.set_halted(halted_by)
        self._sites.halted_by = halted_by
        log.info("halt changed", halted=effect.halted, by=effect.by)
        failed: StepFailed | None = None
        for channel in await self._store.live_channels():
            event = HaltChanged(
                id=new_event_id("halt"), channel=channel, at=self._clock.now(), halted=effect.halted, by=effect.by
            )
            try:
                await self._dispatcher.deliver(event)
            except StepFailed as failure:
                failed = failure
        if failed is not None and failed.again:
            raise failed
        await self._store.settle(owed.seq)
