"""Work side by side where it may be, in order where it must be.

A lane is one thing outside that takes one change at a time: a post, the start of a request. Its jobs run one after the
other; of jobs with the same key only the newest that has not begun is kept. A lane exists, and has a task, while it has
something to do.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

LaneKey = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """`seq` orders jobs of the same key; `run` must not raise."""

    key: str
    seq: int
    run: Callable[[], Awaitable[None]]


@dataclass(slots=True)
class _Lane:
    pending: dict[str, Job] = field(default_factory=dict)
    begun: dict[str, int] = field(default_factory=dict)


class Lanes:
    """Tasks belong to `group`."""

    def __init__(self, group: asyncio.TaskGroup) -> None:
        self._group = group
        self._lanes: dict[LaneKey, _Lane] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_open = True

    def put(self, where: LaneKey, job: Job) -> None:
        """Run the job in its turn, unless it or a newer one with its key is pending or running already."""
        if not self._is_open:
            return
        lane = self._lanes.get(where)
        if lane is None:
            lane = self._lanes[where] = _Lane()
            task = self._group.create_task(self._work(where, lane), name=" ".join(where))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        waiting = lane.pending.get(job.key)
        newest = max(lane.begun.get(job.key, -1), -1 if waiting is None else waiting.seq)
        if job.seq > newest:
            lane.pending.pop(job.key, None)
            lane.pending[job.key] = job

    def is_busy(self, where: LaneKey) -> bool:
        return where in self._lanes

    def is_replaced(self, where: LaneKey, key: str) -> bool:
        """Whether a newer job with this key waits behind the one that runs."""
        lane = self._lanes.get(where)
        return lane is not None and key in lane.pending

    def close(self) -> None:
        """End every lane where it is, and take nothing more."""
        self._is_open = False
        for task in self._tasks:
            task.cancel()

    async def _work(self, where: LaneKey, lane: _Lane) -> None:
        try:
            while lane.pending:
                key = next(iter(lane.pending))
                job = lane.pending.pop(key)
                lane.begun[key] = job.seq
                await job.run()
        finally:
            del self._lanes[where]
