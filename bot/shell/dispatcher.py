"""Brings every event to its channel's mailbox, and lets others look at what was saved there.

Mailboxes are made when first needed and dropped, least recently used first, once there are more than `KEPT` and they
have nothing to do.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog

from bot.core.events import AnyEvent
from bot.core.keys import ChannelKey
from bot.core.replies import Reply, ReplyKind
from bot.core.site import Site
from bot.core.state import ChannelState, Request
from bot.ports import Store
from bot.shell.mailbox import After, Mailbox, MailboxFull, StepFailed
from bot.shell.reference import new_reference
from bot.shell.sites import Sites
from bot.shell.tasks import task_group

KEPT = 500
DRAIN_S = 5.0
"""How long a stopping bot waits for the steps that it has begun."""

log = structlog.get_logger()


class Dispatcher:
    """Usable within `open`."""

    def __init__(self, store: Store, sites: Sites, after: After) -> None:
        self._store = store
        self._sites = sites
        self._after = after
        self._mailboxes: OrderedDict[ChannelKey, Mailbox] = OrderedDict()
        self._group: asyncio.TaskGroup | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator["Dispatcher"]:
        """Own the mailboxes. At the end nothing new is taken, and what was taken is stepped to its end."""
        async with task_group() as group:
            self._group = group
            try:
                yield self
            finally:
                self._group = None
                await self._drain()

    async def dispatch(self, event: AnyEvent) -> tuple[Reply, ...]:
        """`bot.ports.Dispatch`: a failure of ours is a reply to whoever caused the event."""
        try:
            return await self._mailbox(event.channel).submit(event)
        except StepFailed as failure:
            return (Reply(ReplyKind.FAILED, str(failure)),)
        except MailboxFull:
            log.warning("event turned away", channel=str(event.channel), kind=type(event).__name__)
            return (Reply(ReplyKind.FAILED, "Too much is waiting in this channel. Try again in a minute."),)

    async def deliver(
        self, event: AnyEvent, *, settles: tuple[int, ...] = (), about: tuple[str, ...] = ()
    ) -> tuple[Reply, ...]:
        """For events of the shell: they are never turned away, and a failure is raised as StepFailed."""
        return await self._mailbox(event.channel).submit(event, settles, about, bounded=False)

    async def state(self, channel: ChannelKey) -> ChannelState:
        return await self._mailbox(channel).state()

    async def look(self, channel: ChannelKey, request_id: str) -> tuple[ChannelState, Request | None]:
        """The channel as saved last, and this request of it, be it archived."""
        state = await self.state(channel)
        request = state.request(request_id)
        if request is None:
            stored = await self._store.find_request(request_id)
            request = stored[1] if stored is not None and stored[0] == channel else None
        return state, request

    def site(self, channel: ChannelKey) -> Site:
        return self._sites(channel)

    def _mailbox(self, channel: ChannelKey) -> Mailbox:
        if self._group is None:
            raise StepFailed(new_reference(), again=False)
        mailbox = self._mailboxes.get(channel)
        if mailbox is None:
            self._make_room()
            mailbox = Mailbox(channel, self._store, self._sites, self._after, self._group)
            self._mailboxes[channel] = mailbox
        self._mailboxes.move_to_end(channel)
        return mailbox

    def _make_room(self) -> None:
        excess = len(self._mailboxes) + 1 - KEPT
        if excess > 0:
            for channel in [c for c, mailbox in self._mailboxes.items() if mailbox.is_idle][:excess]:
                del self._mailboxes[channel]

    async def _drain(self) -> None:
        workers = [mailbox.worker for mailbox in self._mailboxes.values() if mailbox.worker is not None]
        if not workers:
            return
        _, late = await asyncio.wait(workers, timeout=DRAIN_S)
        for worker in late:
            worker.cancel()
        if late:
            log.warning("steps given up at the stop", count=len(late))
