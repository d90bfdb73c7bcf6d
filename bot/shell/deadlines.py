"""One timer a channel, for the earliest time at which its state has something due."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import structlog

from bot.core.events import AnyEvent, DeadlinePassed
from bot.core.keys import ChannelKey
from bot.core.replies import Reply
from bot.ports import Clock
from bot.shell.mailbox import StepFailed
from bot.shell.reference import new_event_id
from bot.shell.tasks import task_group

AGAIN_S = 1.0
"""Least time until a deadline that has passed and is still there is announced again."""

FAILED_AGAIN_S = 10.0

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _Timer:
    at: float
    task: asyncio.Task[None]


class Deadlines:
    """Usable within `open`; before and after it `arm` does nothing."""

    def __init__(self, clock: Clock, deliver: Callable[[AnyEvent], Awaitable[tuple[Reply, ...]]]) -> None:
        self._clock = clock
        self._deliver = deliver
        self._timers: dict[ChannelKey, _Timer] = {}
        self._passed: dict[ChannelKey, float] = {}
        self._group: asyncio.TaskGroup | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator["Deadlines"]:
        async with task_group() as group:
            self._group = group
            try:
                yield self
            finally:
                self._group = None
                for timer in self._timers.values():
                    timer.task.cancel()

    def arm(self, channel: ChannelKey, at: float | None) -> None:
        """Set the channel's timer in place of the one it has; None stops it."""
        if self._group is None:
            return
        timer = self._timers.get(channel)
        if at is None:
            self._passed.pop(channel, None)
        elif at <= self._passed.get(channel, at - 1):
            at = self._clock.now() + AGAIN_S if timer is None else min(timer.at, self._clock.now() + AGAIN_S)
        if timer is not None:
            if timer.at == at:
                return
            timer.task.cancel()
            del self._timers[channel]
        if at is not None:
            task = self._group.create_task(self._wait(channel, at), name=f"deadline {channel}")
            self._timers[channel] = _Timer(at, task)

    async def _wait(self, channel: ChannelKey, at: float) -> None:
        await self._clock.sleep_until(at)
        del self._timers[channel]
        self._passed[channel] = at
        event = DeadlinePassed(id=new_event_id("deadline"), channel=channel, at=max(at, self._clock.now()))
        try:
            await self._deliver(event)
        except StepFailed as failure:
            log.warning("deadline postponed", channel=str(channel), reference=failure.reference)
            if channel not in self._timers:
                self.arm(channel, self._clock.now() + FAILED_AGAIN_S)
