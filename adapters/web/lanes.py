"""The way into the core: one lane a channel, in the order of what happened, each event owed until it is saved.

An event that the core cannot take is tried again for `PATIENCE_S`; its channel waits meanwhile. What happens then is
for people to understand: of a new message or a command its author is told that nothing was done, and that is the end
of it, since code that runs hours later surprises more than code that did not run. An edit or a deletion stays owed,
because it takes something back: it is tried before every later event, every now and then, and at the next start.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from http import HTTPStatus

import structlog

from adapters.web.answers import Refused
from adapters.web.bell import Bell
from adapters.web.inbound import event_of
from adapters.web.message import Owed, OwedKind
from adapters.web.people import PLATFORM
from bot.core.events import AnyEvent
from bot.core.keys import Actor, ChannelKey
from bot.core.replies import Reply, ReplyKind
from bot.ports import Clock, Dispatch, PlatformUnavailable

log = structlog.get_logger()

MOST_WAITING = 500
"""Events of a channel that may wait for the core; whoever brings more waits with them."""

CAUGHT_UP_S = 5.0
"""How long a click waits for what was said before it, and what is said for room."""

PATIENCE_S = 10.0
FIRST_WAIT_S = 0.05
LONGEST_WAIT_S = 2.0
ASIDE_S = 30.0

TAKES_BACK = frozenset({OwedKind.EDITED, OwedKind.DELETED})

Told = tuple[Reply, ...]
Settle = Callable[[Owed, Told], Awaitable[None]]


@dataclass(slots=True)
class Lane:
    """`aside` are events that stay owed and wait for the core to work again."""

    key: ChannelKey
    errands: asyncio.Queue[Callable[[], Awaitable[None]]] = field(default_factory=asyncio.Queue)
    aside: list[Owed] = field(default_factory=list)
    moved: Bell = field(default_factory=Bell)

    @property
    def has_room(self) -> bool:
        return self.errands.qsize() + len(self.aside) < MOST_WAITING

    def waits_for(self, message: str | None) -> bool:
        return any(owed.message == message for owed in self.aside)


class Lanes:
    """`look_up` gives the author as they stand at that moment; `settle` keeps that the event needs no more trying."""

    def __init__(
        self,
        keys: dict[str, ChannelKey],
        dispatch: Dispatch,
        look_up: Callable[[str, str], Actor],
        settle: Settle,
        clock: Clock,
    ) -> None:
        self._lanes = {channel: Lane(key) for channel, key in keys.items()}
        self._dispatch = dispatch
        self._look_up = look_up
        self._settle = settle
        self._clock = clock

    def start(self, tasks: asyncio.TaskGroup) -> None:
        for lane in self._lanes.values():
            tasks.create_task(self._walk(lane), name=f"web lane {lane.key}")

    async def room(self, channel: str) -> bool:
        """Whether there is room now, or soon: whoever brings much is slowed down before anything is turned away."""
        lane = self._lanes[channel]
        try:
            async with asyncio.timeout(CAUGHT_UP_S):
                while not lane.has_room:
                    await lane.moved.next.wait()
        except TimeoutError:
            return False
        return True

    def owe(self, owed: Owed) -> asyncio.Future[Told]:
        """Put it at the end of its lane; the future has what its author is to be told.

        Call it in the same breath as the commit, so that lanes keep the order of the store.
        """
        told: asyncio.Future[Told] = asyncio.get_running_loop().create_future()
        lane = self._lanes[owed.channel]
        lane.errands.put_nowait(lambda: self._deliver(lane, owed, told))
        return told

    async def now(self, event: AnyEvent, about: str | None) -> Told:
        """Hand in a click, after all that was said before it; `about` is the message that the clicked one answers.

        Raises Refused, having done nothing, if that lasts.
        """
        lane = self._lanes[event.channel.channel]
        passed: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

        async def pass_by() -> None:
            await self._try_aside(lane)
            if not passed.done():
                passed.set_result(not lane.waits_for(about))

        lane.errands.put_nowait(pass_by)
        try:
            async with asyncio.timeout(CAUGHT_UP_S):
                is_clear = await passed
        except TimeoutError:
            is_clear = False
        if not is_clear:
            raise Refused(
                HTTPStatus.SERVICE_UNAVAILABLE, "Fencepost is behind in this channel; nothing was done. Try again."
            )
        return await self._dispatch(event)

    async def _walk(self, lane: Lane) -> None:
        while True:
            try:
                async with asyncio.timeout(ASIDE_S if lane.aside else None):
                    errand = await lane.errands.get()
            except TimeoutError:
                await self._try_aside(lane)
            else:
                await errand()
            lane.moved.ring()

    async def _deliver(self, lane: Lane, owed: Owed, told: asyncio.Future[Told]) -> None:
        await self._try_aside(lane)
        replies: Told = ()
        if lane.waits_for(owed.message):
            lane.aside.append(owed)
        else:
            replies = await self._patiently(lane, owed)
            if _failed(replies) and owed.kind in TAKES_BACK:
                lane.aside.append(owed)
            else:
                await self._until_settled(owed, replies)
        if not told.cancelled():
            told.set_result(replies)

    async def _try_aside(self, lane: Lane) -> None:
        """One try for each that waits aside; those about the same message keep their order."""
        waiting, lane.aside = lane.aside, []
        for owed in waiting:
            replies = () if lane.waits_for(owed.message) else await self._try(lane, owed)
            if lane.waits_for(owed.message) or _failed(replies):
                lane.aside.append(owed)
            else:
                await self._until_settled(owed, replies)

    async def _patiently(self, lane: Lane, owed: Owed) -> Told:
        end, wait = self._clock.now() + PATIENCE_S, FIRST_WAIT_S
        while _failed(replies := await self._try(lane, owed)) and self._clock.now() < end:
            log.warning("event not taken", channel=str(lane.key), event_id=owed.id, wait_s=wait, said=replies[-1].text)
            await self._clock.sleep_until(self._clock.now() + wait)
            wait = min(2 * wait, LONGEST_WAIT_S)
        return replies

    async def _try(self, lane: Lane, owed: Owed) -> Told:
        try:
            return await self._dispatch(
                event_of(owed, lane.key, self._look_up(f"{PLATFORM}:{owed.author}", owed.channel))
            )
        except Exception:  # a lane must survive an event; it is reported
            reference = secrets.token_hex(4)
            log.exception("event failed", channel=str(lane.key), event_id=owed.id, reference=reference)
            text = f"Something broke in Fencepost; nothing was done. (Reference {reference}, for whoever reads its log)"
            return (Reply(ReplyKind.FAILED, text),)

    async def _until_settled(self, owed: Owed, replies: Told) -> None:
        """The core has it, or its author is told that it has not; until that is kept, nothing else goes this way."""
        wait = FIRST_WAIT_S
        while True:
            try:
                return await self._settle(owed, replies)
            except PlatformUnavailable as error:
                log.warning("event not settled", event_id=owed.id, wait_s=wait, error=str(error))
            await self._clock.sleep_until(self._clock.now() + wait)
            wait = min(2 * wait, LONGEST_WAIT_S)


def _failed(replies: Told) -> bool:
    """Whether the core says that it has not taken the event."""
    return any(reply.kind is ReplyKind.FAILED for reply in replies)
