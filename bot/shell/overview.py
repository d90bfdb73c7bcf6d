"""`bot.ports.Overview` over the table of requests and the sandboxes: reads, and makes views of what it has read."""

from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

from bot.core.keys import Actor, ChannelKey
from bot.core.overview import ActiveExecution, Approval, ChannelPolicy, HistoryLine, RuleUse, SandboxLine
from bot.core.policy.approvers import groups_of, is_lead_or_admin
from bot.core.state import ChannelState, Request
from bot.core.views import overview as views
from bot.ports import Clock, Ledger, SandboxRegister
from bot.shell.memory_readings import MemoryReadings
from bot.shell.sites import SiteOf
from executor.status import SandboxStatus

DAY_S = 24 * 3600.0
HISTORY_S = DAY_S
RULES_S = 7 * DAY_S


class StoredOverview:
    """Made by `open_overview`."""

    def __init__(
        self, ledger: Ledger, sandboxes: SandboxRegister, readings: MemoryReadings, site_of: SiteOf, clock: Clock
    ) -> None:
        self._ledger = ledger
        self._sandboxes = sandboxes
        self._readings = readings
        self._site_of = site_of
        self._clock = clock

    async def approvals(self, viewer: Actor, channels: Collection[ChannelKey]) -> Sequence[Approval]:
        live = await self._ledger.live_requests(channels)
        found = [views.approval(channel, request, self._site_of(channel), viewer) for channel, request in live]
        return [approval for approval in found if approval is not None]

    async def executions(self, viewer: Actor, channels: Collection[ChannelKey]) -> Sequence[ActiveExecution]:
        halted_by = await self._ledger.halted_by()
        by_channel: defaultdict[ChannelKey, list[Request]] = defaultdict(list)
        for channel, request in await self._ledger.live_requests(channels):
            by_channel[channel].append(request)
        lines: list[ActiveExecution] = []
        for channel in channels:
            state = ChannelState(channel=str(channel), requests=tuple(by_channel[channel]))
            site = replace(self._site_of(channel), halted=halted_by)
            lines.extend(views.executions(state, channel, site, viewer))
        return lines

    async def sandboxes(self, channels: Collection[ChannelKey]) -> Sequence[SandboxLine]:
        seen = [(_key(status), status) for status in self._sandboxes.list()]
        seen = [(key, status) for key, status in seen if status.channel is None or key in channels]
        memory = self._readings.of([status.container for _, status in seen if status.container is not None])
        lines = [
            SandboxLine(
                channel=key,
                name=_name(status),
                state=status.state,
                age_s=status.age_s,
                executions=len(status.executions),
                memory_bytes=memory.get(status.container) if status.container is not None else None,
            )
            for key, status in seen
        ]
        return sorted(lines, key=lambda line: (line.channel is None, str(line.channel), line.name))

    async def policies(self, channels: Collection[ChannelKey]) -> Sequence[ChannelPolicy]:
        now = self._clock.now()
        uses: defaultdict[ChannelKey, list[RuleUse]] = defaultdict(list)
        for use in await self._ledger.rule_uses(channels, now - RULES_S):
            uses[use.channel].append(use)
        return [
            views.channel_policy(
                channel, self._site_of(channel), (await self._ledger.load(channel)).state, uses[channel], now
            )
            for channel in channels
        ]

    async def history(self, channels: Collection[ChannelKey], limit: int) -> Sequence[HistoryLine]:
        since = self._clock.now() - HISTORY_S
        ended = await self._ledger.ended_since(channels, since, limit)
        return [views.history_line(channel, request, self._site_of(channel)) for channel, request in ended]

    def groups(self, person: Actor, channel: ChannelKey) -> frozenset[str]:
        return groups_of(person, self._site_of(channel).policy)

    def leads(self, person: Actor, channel: ChannelKey) -> bool:
        return is_lead_or_admin(person, self._site_of(channel).policy)


@asynccontextmanager
async def open_overview(
    ledger: Ledger, sandboxes: SandboxRegister, site_of: SiteOf, clock: Clock
) -> AsyncIterator[StoredOverview]:
    async with MemoryReadings(sandboxes, clock).open() as readings:
        yield StoredOverview(ledger, sandboxes, readings, site_of, clock)


def _name(status: SandboxStatus) -> str:
    """A container's name tells its channel, so it is for those who may see that: else its id is enough to find it."""
    if status.channel is not None or status.state == "reserve":
        return status.name
    return (status.container or "")[:12]


def _key(status: SandboxStatus) -> ChannelKey | None:
    """None too for a channel that is named in another way, as the one of a shell command."""
    if status.channel is None:
        return None
    with suppress(ValueError):
        return ChannelKey.parse(status.channel)
    return None
