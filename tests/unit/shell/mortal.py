"""A process that dies at a chosen point: before or after any write to the store, any change on the platform.

From then on nothing it calls answers, as nothing does for a process that is gone, until it is buried: then its tasks
end where they are. What was written stays.
"""

import asyncio
from collections.abc import Sequence

from adapters.memory.gateway import MemoryGateway
from bot.core.keys import ChannelKey
from bot.core.state import Request
from bot.core.views.view import View
from bot.ports import Commit, Loaded, Owed, Store


class Fate:
    """Dies when `point` is passed for the `at`th time; never, if that is None."""

    def __init__(self, at: int | None = None) -> None:
        self.at = at
        self.passed = 0
        self.dead = asyncio.Event()
        self.buried = asyncio.Event()

    async def point(self) -> None:
        self.passed += 1
        if self.passed == self.at:
            self.dead.set()
        if self.dead.is_set():
            await self.buried.wait()
            raise asyncio.CancelledError


class MortalStore:
    """`bot.ports.Store` of a mortal process over a real one."""

    def __init__(self, store: Store, fate: Fate) -> None:
        self._store = store
        self._fate = fate

    async def load(self, channel: ChannelKey) -> Loaded:
        return await self._store.load(channel)

    async def seen(self, event_id: str) -> bool:
        return await self._store.seen(event_id)

    async def save(self, commit: Commit) -> tuple[Owed, ...]:
        await self._fate.point()
        owed = await self._store.save(commit)
        await self._fate.point()
        return owed

    async def settle(self, seq: int) -> None:
        await self._fate.point()
        await self._store.settle(seq)

    async def owed(self) -> Sequence[Owed]:
        return await self._store.owed()

    async def live_channels(self) -> Sequence[ChannelKey]:
        return await self._store.live_channels()

    async def find_request(self, request_id: str) -> tuple[ChannelKey, Request] | None:
        return await self._store.find_request(request_id)

    async def find_by_source(self, channel: ChannelKey, message: str) -> Sequence[Request]:
        return await self._store.find_by_source(channel, message)

    async def recent_requests(self, channel: ChannelKey | None, limit: int) -> Sequence[tuple[ChannelKey, Request]]:
        return await self._store.recent_requests(channel, limit)

    async def halted_by(self) -> str | None:
        return await self._store.halted_by()

    async def set_halted(self, by: str | None) -> None:
        await self._fate.point()
        await self._store.set_halted(by)


class MortalGateway(MemoryGateway):
    """The platform lives on; what dies is the connection."""

    fate = Fate()

    async def post(self, channel: ChannelKey, key: str, reply_to: str | None, thread: str | None, view: View) -> str:
        await self.fate.point()
        message = await super().post(channel, key, reply_to, thread, view)
        await self.fate.point()
        return message

    async def edit(self, channel: ChannelKey, message: str, view: View) -> None:
        await self.fate.point()
        await super().edit(channel, message, view)
        await self.fate.point()

    async def delete(self, channel: ChannelKey, message: str) -> None:
        await self.fate.point()
        await super().delete(channel, message)
        await self.fate.point()
