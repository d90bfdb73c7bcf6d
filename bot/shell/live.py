"""What running programs write, as it comes: bounded tails, shown at the platform's pace, and given up first.

Output never waits for a platform: `feed` only keeps the last lines. One pacer a workspace edits one answer at a time,
the one that has waited longest, at most once in the platform's interval, and rests while the platform asks for patience
or anything else of the workspace is being retried. What is not shown live is shown at the end.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from bot.core.keys import ChannelKey
from bot.core.views.answer import Live
from bot.shell.outside import Outside
from executor.types import OnOutput, OutputChunk

CLOCK_S = 10.0
"""The clock of an answer moves at least this often, also while its program is silent."""

TAIL_LINES = 40
TAIL_CHARS = 4_000

Workspace = tuple[str, str]
Show = Callable[[ChannelKey, str], Awaitable[float]]
"""Edit the answer of this request of this channel; 0, or for how long not to try again where it was not shown."""


def workspace_of(channel: ChannelKey) -> Workspace:
    return (channel.platform, channel.workspace)


class Watch:
    """One running execution's tail. `feed` is called for every chunk and costs the same whatever came before."""

    def __init__(self, channel: ChannelKey, request: str, started: float) -> None:
        self.channel = channel
        self.request = request
        self.started = started
        self.block = 0
        self.is_fresh = False
        self.shown_at = started
        self._text = ""

    def feed(self, chunk: OutputChunk) -> None:
        if chunk.block != self.block:
            self.block = chunk.block
            self._text = ""
        self._text = (self._text + chunk.text[-TAIL_CHARS:])[-TAIL_CHARS:]
        self.is_fresh = True

    @property
    def tail(self) -> str:
        return "".join(self._text.splitlines(keepends=True)[-TAIL_LINES:])


class LiveViews:
    """The pacers are tasks of `group`; they show by means of `show`."""

    def __init__(self, outside: Outside, show: Show, group: asyncio.TaskGroup) -> None:
        self._clock = outside.clock
        self._gateways = outside.gateways
        self._show = show
        self._group = group
        self._watches: dict[str, Watch] = {}
        self._pacers: dict[Workspace, asyncio.Task[None]] = {}

    def of(self, request: str) -> Live | None:
        watch = self._watches.get(request)
        if watch is None:
            return None
        return Live(watch.block, watch.tail, self._clock.now() - watch.started)

    @contextmanager
    def watch(self, channel: ChannelKey, request: str) -> Iterator[OnOutput]:
        """Show what is fed in until the end of the block."""
        watch = Watch(channel, request, self._clock.now())
        self._watches[request] = watch
        workspace = workspace_of(channel)
        if workspace not in self._pacers:
            self._pacers[workspace] = self._group.create_task(self._pace(workspace), name=f"live {workspace}")
        try:
            yield watch.feed
        finally:
            del self._watches[request]
            if not any(workspace_of(other.channel) == workspace for other in self._watches.values()):
                self._pacers.pop(workspace).cancel()

    async def _pace(self, workspace: Workspace) -> None:
        interval_s = self._gateways[workspace[0]].edit_interval_s
        rest = 0.0
        while True:
            await self._clock.sleep_until(self._clock.now() + max(interval_s, rest))
            rest = 0.0
            due = [w for w in self._watches.values() if workspace_of(w.channel) == workspace and self._is_due(w)]
            if due:
                watch = min(due, key=lambda watch: watch.shown_at)
                watch.is_fresh = False
                watch.shown_at = self._clock.now()
                rest = await self._show(watch.channel, watch.request)
                watch.is_fresh = watch.is_fresh or rest > 0

    def _is_due(self, watch: Watch) -> bool:
        return watch.is_fresh or self._clock.now() - watch.shown_at >= CLOCK_S
