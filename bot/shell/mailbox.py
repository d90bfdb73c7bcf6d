"""One channel's events, strictly in order: load, step, save, and only then let anything come of it.

The state that was saved last is kept, so most events cost one transaction and no read. A step that changes nothing and
owes nothing is not saved. Nothing is taken for done before it is on disk: replies are given and effects handed on
after the save, and after a failed one the state is read again, since nobody knows whether it was written.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from bot.core.commands import looks_back
from bot.core.deadlines import next_deadline
from bot.core.events import AnyEvent, ButtonPressed, CommandIssued, MessageDeleted, MessageEdited
from bot.core.keys import ChannelKey
from bot.core.machine import Step, step
from bot.core.replies import Reply
from bot.core.retention import recall
from bot.core.state import ChannelState, Request
from bot.ports import Commit, DuplicateEvent, Loaded, Owed, Store, StoreUnavailable, VersionConflict
from bot.shell.reference import new_reference
from bot.shell.sites import Sites

CAPACITY = 200
"""Events that may wait in one channel; whoever brings more is told to come back."""

ATTEMPTS = 5
"""How often an event is stepped again because another process saved the channel in between."""

RECENT_EVENTS = 256

log = structlog.get_logger()

After = Callable[[ChannelKey, tuple[Owed, ...], float | None], None]
"""Told after each step: what is owed now, and when the channel's next deadline is."""


class StepFailed(Exception):
    """The event was not carried out; `reference` finds the cause in the log. `again` says whether trying the same
    event once more can help.
    """

    def __init__(self, reference: str, *, again: bool) -> None:
        super().__init__(f"Something went wrong on our side (reference {reference}). Nothing was done.")
        self.reference = reference
        self.again = again


class MailboxFull(Exception):
    """More is waiting in this channel than it may."""


@dataclass(frozen=True, slots=True)
class Job:
    """An event with the owed effects that it settles and the requests that it is about, beside those it names."""

    event: AnyEvent
    settles: tuple[int, ...]
    about: tuple[str, ...]
    done: asyncio.Future[tuple[Reply, ...]]


class Mailbox:
    """A worker runs in `group` while there is something to do, so an idle mailbox is a few values and no task."""

    def __init__(self, channel: ChannelKey, store: Store, sites: Sites, after: After, group: asyncio.TaskGroup) -> None:
        self._channel = channel
        self._store = store
        self._sites = sites
        self._after = after
        self._group = group
        self._jobs: deque[Job] = deque()
        self._worker: asyncio.Task[None] | None = None
        self._loading = asyncio.Lock()
        self._loaded: Loaded | None = None
        self._recent: OrderedDict[str, None] = OrderedDict()
        self._readers = 0

    @property
    def worker(self) -> asyncio.Task[None] | None:
        return self._worker

    @property
    def is_idle(self) -> bool:
        return self._worker is None and self._readers == 0

    async def submit(
        self, event: AnyEvent, settles: tuple[int, ...] = (), about: tuple[str, ...] = (), *, bounded: bool = True
    ) -> tuple[Reply, ...]:
        """Step the event in its turn. Raises StepFailed, and MailboxFull if `bounded`."""
        if bounded and len(self._jobs) >= CAPACITY:
            raise MailboxFull(str(self._channel))
        job = Job(event, settles, about, asyncio.get_running_loop().create_future())
        self._jobs.append(job)
        if self._worker is None:
            self._worker = self._group.create_task(self._work(), name=f"mailbox {self._channel}")
        return await job.done

    async def state(self) -> ChannelState:
        """The state as it was saved last."""
        self._readers += 1
        try:
            return (await self._load()).state
        finally:
            self._readers -= 1

    async def _work(self) -> None:
        try:
            while self._jobs:
                await self._handle(self._jobs.popleft())
        finally:
            self._worker = None
            for job in self._jobs:
                job.done.cancel()
            self._jobs.clear()

    async def _handle(self, job: Job) -> None:
        """The loop that must survive: a failing event is logged and answered, and the next one has its turn."""
        try:
            replies = await self._process(job)
        except Exception as error:
            self._loaded = None
            failure = StepFailed(new_reference(), again=isinstance(error, StoreUnavailable | VersionConflict))
            log.exception(
                "event not carried out",
                channel=str(self._channel),
                kind=type(job.event).__name__,
                event_id=job.event.id,
                reference=failure.reference,
            )
            if not job.done.done():
                job.done.set_exception(failure)
        except BaseException:
            job.done.cancel()
            raise
        else:
            if not job.done.done():
                job.done.set_result(replies)

    async def _process(self, job: Job) -> tuple[Reply, ...]:
        if job.event.id in self._recent:
            return await self._drop_duplicate(job)
        for _ in range(ATTEMPTS):
            try:
                return await self._step(job)
            except VersionConflict:
                log.warning("channel was saved by another process", channel=str(self._channel))
                self._loaded = None
            except DuplicateEvent:
                return await self._drop_duplicate(job)
        raise VersionConflict(f"{self._channel}: {ATTEMPTS} attempts")

    async def _step(self, job: Job) -> tuple[Reply, ...]:
        event = job.event
        loaded = await self._load()
        before = await self._recalled(loaded.state, job)
        made = step(before, event, self._sites(self._channel))
        owed: tuple[Owed, ...] = ()
        if made.effects or (made.state is not before and made.state != loaded.state):
            owed = await self._store.save(self._commit(job, before, loaded.version, made))
            self._loaded = Loaded(made.state, loaded.version + 1)
        else:
            if await self._store.seen(event.id):
                raise DuplicateEvent(event.id)
            await self._settle(job)
        self._remember(event.id)
        self._after(self._channel, owed, next_deadline(made.state))
        return made.replies

    def _commit(self, job: Job, before: ChannelState, version: int, made: Step) -> Commit:
        known = {request.id: request for request in before.requests}
        return Commit(
            channel=self._channel,
            base_version=version,
            state=made.state,
            event_id=job.event.id,
            at=job.event.at,
            effects=made.effects,
            requests=tuple(r for r in made.state.requests if known.get(r.id) is not r),
            settles=job.settles,
        )

    async def _load(self) -> Loaded:
        async with self._loading:
            if self._loaded is None:
                self._loaded = await self._store.load(self._channel)
            return self._loaded

    async def _recalled(self, state: ChannelState, job: Job) -> ChannelState:
        """The state with the archived requests that this event is about."""
        found: list[Request] = []
        if isinstance(job.event, MessageEdited | MessageDeleted):
            found.extend(await self._store.find_by_source(self._channel, job.event.message))
        if isinstance(job.event, CommandIssued) and (count := looks_back(job.event.text)):
            found.extend(request for _, request in await self._store.recent_requests(self._channel, count))
        named = (job.event.request, *job.about) if isinstance(job.event, ButtonPressed) else job.about
        for request_id in named:
            if state.request(request_id) is None:
                stored = await self._store.find_request(request_id)
                if stored is not None and stored[0] == self._channel:
                    found.append(stored[1])
        return recall(state, found)

    async def _drop_duplicate(self, job: Job) -> tuple[Reply, ...]:
        """It was stepped before. What it settles is settled all the same, and what is owed is handed on again: the
        save may have worked where its answer got lost.
        """
        await self._settle(job)
        if job.event.id not in self._recent:
            self._remember(job.event.id)
            owed = tuple(o for o in await self._store.owed() if o.channel == self._channel)
            self._after(self._channel, owed, next_deadline((await self._load()).state))
        return ()

    async def _settle(self, job: Job) -> None:
        for seq in job.settles:
            await self._store.settle(seq)

    def _remember(self, event_id: str) -> None:
        self._recent[event_id] = None
        if len(self._recent) > RECENT_EVENTS:
            self._recent.popitem(last=False)
