"""The way into the core: one lane a channel, in the order of what happened, each event owed until it is saved.

An event is tried again for as long as the core's store cannot be reached. One that the core fails on for another reason
is set aside after a few tries, so that it does not stop its channel; it is still owed and tried at the next start.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TypeVar

import structlog

from adapters.web.answers import Refused
from adapters.web.inbound import event_of
from adapters.web.message import Owed
from adapters.web.people import PLATFORM
from bot.core.events import AnyEvent
from bot.core.keys import Actor, ChannelKey
from bot.core.replies import Reply, ReplyKind
from bot.ports import Clock, Dispatch, PlatformUnavailable, StoreUnavailable

log = structlog.get_logger()

MOST_WAITING = 500
"""Events of a channel that may wait for the core; then the channel is busy."""

CAUGHT_UP_S = 5.0
"""How long a click waits for what was said before it."""

FIRST_WAIT_S = 0.05
LONGEST_WAIT_S = 5.0
TRIES = 3

T = TypeVar("T")
Told = tuple[Reply, ...]
Settle = Callable[[Owed, Told], Awaitable[None]]


@dataclass(slots=True)
class Lane:
    key: ChannelKey
    errands: asyncio.Queue[Callable[[], Awaitable[None]]] = field(default_factory=asyncio.Queue)

    @property
    def is_full(self) -> bool:
        return self.errands.qsize() >= MOST_WAITING


class Lanes:
    """`look_up` gives the author as they stand at that moment; `settle` keeps that the event is saved."""

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
            tasks.create_task(_walk(lane), name=f"web lane {lane.key}")

    def has_room(self, channel: str) -> bool:
        return not self._lanes[channel].is_full

    def owe(self, owed: Owed) -> asyncio.Future[Told]:
        """Put it at the end of its lane; the future has what its author is to be told.

        Call it in the same breath as the commit, so that lanes keep the order of the store.
        """
        told: asyncio.Future[Told] = asyncio.get_running_loop().create_future()
        lane = self._lanes[owed.channel]
        lane.errands.put_nowait(lambda: self._deliver(lane, owed, told))
        return told

    async def now(self, event: AnyEvent) -> Told:
        """Hand in a click, after all that was said before it. Raises Refused, having done nothing, if that lasts."""
        lane = self._lanes[event.channel.channel]
        passed = asyncio.Event()

        async def mark() -> None:
            passed.set()

        lane.errands.put_nowait(mark)
        try:
            async with asyncio.timeout(CAUGHT_UP_S):
                await passed.wait()
        except TimeoutError:
            raise Refused(
                HTTPStatus.SERVICE_UNAVAILABLE, "Fencepost is behind in this channel; nothing was done. Try again."
            ) from None
        return await self._dispatch(event)

    async def _deliver(self, lane: Lane, owed: Owed, told: asyncio.Future[Told]) -> None:
        try:
            replies = await self._until_saved(lane, owed)
            await self._patiently(lambda: self._settle(owed, replies))
        except Exception as error:
            reference = secrets.token_hex(4)
            log.exception(
                "event set aside",
                channel=str(lane.key),
                event_id=owed.id,
                reference=reference,
                error=type(error).__name__,
            )
            text = f"Something broke in Fencepost. (Reference {reference}, for whoever reads its log)"
            replies = (Reply(ReplyKind.FAILED, text),)
        if not told.cancelled():
            told.set_result(replies)

    async def _until_saved(self, lane: Lane, owed: Owed) -> Told:
        for left in reversed(range(TRIES)):
            try:
                return await self._patiently(
                    lambda: self._dispatch(
                        event_of(owed, lane.key, self._look_up(f"{PLATFORM}:{owed.author}", owed.channel))
                    )
                )
            except Exception as error:
                if not left:
                    raise
                log.warning("event failed", channel=str(lane.key), event_id=owed.id, error=type(error).__name__)
        raise AssertionError(TRIES)

    async def _patiently(self, call: Callable[[], Awaitable[T]]) -> T:
        wait = FIRST_WAIT_S
        while True:
            try:
                return await call()
            except (StoreUnavailable, PlatformUnavailable) as error:
                log.warning("store unavailable", wait_s=wait, error=str(error))
            await self._clock.sleep_until(self._clock.now() + wait)
            wait = min(2 * wait, LONGEST_WAIT_S)


async def _walk(lane: Lane) -> None:
    while True:
        errand = await lane.errands.get()
        await errand()
