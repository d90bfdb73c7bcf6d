"""Store and blobs that live as long as the process: for tests, and for trying things out."""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

from bot.core.effects import Effect
from bot.core.keys import ChannelKey
from bot.core.overview import RuleUse
from bot.core.policy.decision import Effect as Ruling
from bot.core.reports import FileRef
from bot.core.state import ChannelState, Request
from bot.ports import Commit, DuplicateEvent, GuardBroken, Loaded, Owed, VersionConflict


class MemoryStore:
    """`bot.ports.Store` and `Ledger`, with the same guards as the one on disk."""

    def __init__(self) -> None:
        self._channels: dict[ChannelKey, Loaded] = {}
        self._requests: dict[str, tuple[ChannelKey, Request]] = {}
        self._executions: dict[str, str] = {}
        self._owed: dict[int, Owed] = {}
        self._events: set[str] = set()
        self._next_seq = 1
        self._halted: str | None = None

    async def load(self, channel: ChannelKey) -> Loaded:
        return self._loaded(channel)

    async def seen(self, event_id: str) -> bool:
        return event_id in self._events

    async def save(self, commit: Commit) -> tuple[Owed, ...]:
        if commit.event_id in self._events:
            raise DuplicateEvent(commit.event_id)
        if self._loaded(commit.channel).version != commit.base_version:
            raise VersionConflict(f"{commit.channel} moved on from version {commit.base_version}")
        self._check_guards(commit)
        self._events.add(commit.event_id)
        self._channels[commit.channel] = Loaded(commit.state, commit.base_version + 1)
        for request in commit.requests:
            self._requests[request.id] = (commit.channel, request)
            if request.execution is not None:
                self._executions[request.execution] = request.id
        for seq in commit.settles:
            self._owed.pop(seq, None)
        return tuple(self._owe(commit.channel, effect) for effect in commit.effects)

    async def settle(self, seq: int) -> None:
        self._owed.pop(seq, None)

    async def owed(self) -> Sequence[Owed]:
        return list(self._owed.values())

    async def live_channels(self) -> Sequence[ChannelKey]:
        live = {channel for channel, request in self._requests.values() if request.status.is_live}
        return sorted(live | {owed.channel for owed in self._owed.values()}, key=str)

    async def find_request(self, request_id: str) -> tuple[ChannelKey, Request] | None:
        return self._requests.get(request_id)

    async def find_by_source(self, channel: ChannelKey, message: str) -> Sequence[Request]:
        found = [r for where, r in self._requests.values() if where == channel and r.source == message]
        return sorted(found, key=lambda request: request.created_at)

    async def recent_requests(self, channel: ChannelKey | None, limit: int) -> Sequence[tuple[ChannelKey, Request]]:
        found = [pair for pair in self._requests.values() if channel in (None, pair[0])]
        return sorted(found, key=lambda pair: pair[1].created_at)[: -limit - 1 : -1]

    async def live_requests(self, channels: Collection[ChannelKey]) -> Sequence[tuple[ChannelKey, Request]]:
        found = [pair for pair in self._requests.values() if pair[0] in channels and pair[1].status.is_live]
        return sorted(found, key=lambda pair: pair[1].created_at)

    async def ended_since(
        self, channels: Collection[ChannelKey], since: float, limit: int
    ) -> Sequence[tuple[ChannelKey, Request]]:
        found = [pair for pair in self._since(channels, since) if not pair[1].status.is_live]
        return sorted(found, key=lambda pair: pair[1].created_at)[: -limit - 1 : -1]

    async def rule_uses(self, channels: Collection[ChannelKey], since: float) -> Sequence[RuleUse]:
        times: Counter[tuple[ChannelKey, str | None, Ruling]] = Counter()
        ran: Counter[tuple[ChannelKey, str | None, Ruling]] = Counter()
        for channel, request in self._since(channels, since):
            what = (channel, request.decision.rule, request.decision.effect)
            times[what] += 1
            ran[what] += request.started_at is not None
        return [
            RuleUse(channel=channel, rule=rule, effect=effect, times=count, ran=ran[channel, rule, effect])
            for (channel, rule, effect), count in times.items()
        ]

    def _since(self, channels: Collection[ChannelKey], at: float) -> list[tuple[ChannelKey, Request]]:
        return [pair for pair in self._requests.values() if pair[0] in channels and pair[1].created_at >= at]

    async def halted_by(self) -> str | None:
        return self._halted

    async def set_halted(self, by: str | None) -> None:
        self._halted = by

    def _loaded(self, channel: ChannelKey) -> Loaded:
        return self._channels.get(channel, Loaded(ChannelState(channel=str(channel)), 0))

    def _check_guards(self, commit: Commit) -> None:
        started = {request: execution for execution, request in self._executions.items()}
        for request in commit.requests:
            voters = [vote.voter for vote in request.votes]
            execution = request.execution
            again = execution is not None and (
                self._executions.get(execution, request.id) != request.id
                or started.get(request.id, execution) != execution
            )
            if again or len(voters) != len(set(voters)):
                raise GuardBroken(
                    f"{commit.channel}: a second vote of a person or a second execution of a request ({request.id})"
                )

    def _owe(self, channel: ChannelKey, effect: Effect) -> Owed:
        replaced = [o.seq for o in self._owed.values() if o.channel == channel and o.effect.key == effect.key]
        for seq in replaced:
            del self._owed[seq]
        owed = Owed(self._next_seq, channel, effect)
        self._owed[owed.seq] = owed
        self._next_seq += 1
        return owed


class MemoryBlobs:
    """`bot.ports.Blobs`."""

    def __init__(self) -> None:
        self._content: dict[str, bytes] = {}

    async def put(self, data: bytes, name: str, media_type: str = "application/octet-stream") -> FileRef:
        sha256 = hashlib.sha256(data).hexdigest()
        self._content[sha256] = data
        return FileRef(name=name, sha256=sha256, bytes=len(data), media_type=media_type)

    async def put_file(self, path: Path, name: str, media_type: str = "application/octet-stream") -> FileRef:
        data = await asyncio.to_thread(path.read_bytes)
        await asyncio.to_thread(path.unlink)
        return await self.put(data, name, media_type)

    async def get(self, sha256: str) -> bytes:
        return self._content[sha256]
