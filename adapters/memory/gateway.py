"""A platform whose channels are dictionaries: it keeps posts, can fail to order, and answers slowly if told to."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from bot.core.events import AnyEvent
from bot.core.keys import Actor, ChannelKey
from bot.core.replies import Reply
from bot.core.views.view import View
from bot.ports import Dispatch, GatewayError, MessageGone


@dataclass(frozen=True, slots=True)
class Post:
    """A message of the bot as it is now; `edits` counts how often it was changed."""

    id: str
    channel: ChannelKey
    key: str
    reply_to: str | None
    thread: str | None
    view: View
    edits: int = 0


class MemoryGateway:
    """`bot.ports.Gateway`.

    `posts` are those that exist, by id. `calls` lists every call as `post KEY`, `edit ID`, `delete ID`, `find KEY` or
    `look_up USER`. `people` are known by look-up with all their marks; whoever is missing cannot be looked up.
    `failures` are raised by the next calls, one each, before anything is done; `late_failures` after it was done.
    `before` is awaited at the start of every call.
    """

    def __init__(self, platform: str = "memory", edit_interval_s: float = 1.0) -> None:
        self._platform = platform
        self._edit_interval_s = edit_interval_s
        self._dispatch: Dispatch | None = None
        self._next_id = 1
        self.served = asyncio.Event()
        self.posts: dict[str, Post] = {}
        self.calls: list[str] = []
        self.people: dict[str, Actor] = {}
        self.failures: deque[GatewayError] = deque()
        self.late_failures: deque[GatewayError] = deque()
        self.before: Callable[[str], Awaitable[None]] | None = None

    @property
    def platform(self) -> str:
        return self._platform

    @property
    def edit_interval_s(self) -> float:
        return self._edit_interval_s

    async def serve(self, dispatch: Dispatch) -> None:
        self._dispatch = dispatch
        self.served.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.served.clear()
            self._dispatch = None

    async def bring(self, event: AnyEvent) -> tuple[Reply, ...]:
        """Let something happen on the platform; it has to be served."""
        if self._dispatch is None:
            raise RuntimeError("nobody serves this gateway")
        return await self._dispatch(event)

    async def post(self, channel: ChannelKey, key: str, reply_to: str | None, thread: str | None, view: View) -> str:
        await self._begin(f"post {key}")
        known = self._by_key(channel, key)
        if known is not None:
            self.posts[known.id] = replace(known, view=view, edits=known.edits + 1)
            return self._done(known.id)
        post = Post(f"m{self._next_id}", channel, key, reply_to, thread, view)
        self._next_id += 1
        self.posts[post.id] = post
        return self._done(post.id)

    async def find(self, channel: ChannelKey, key: str) -> str | None:
        await self._begin(f"find {key}")
        known = self._by_key(channel, key)
        return None if known is None else known.id

    async def edit(self, channel: ChannelKey, message: str, view: View) -> None:
        await self._begin(f"edit {message}")
        known = self._there(channel, message)
        self.posts[message] = replace(known, view=view, edits=known.edits + 1)
        self._done(message)

    async def delete(self, channel: ChannelKey, message: str) -> None:
        await self._begin(f"delete {message}")
        self._there(channel, message)
        del self.posts[message]
        self._done(message)

    async def look_up(
        self,
        channel: ChannelKey,  # noqa: ARG002 - people are the same in every channel here
        user: str,
        marks: frozenset[str],
    ) -> Actor:
        await self._begin(f"look_up {user}")
        known = self.people.get(user)
        if known is None or known.standing is None:
            return Actor(id=user, name=user, standing=None)
        return replace(known, standing=known.standing & marks)

    async def _begin(self, call: str) -> None:
        self.calls.append(call)
        if self.before is not None:
            await self.before(call)
        if self.failures:
            raise self.failures.popleft()

    def _done(self, message: str) -> str:
        if self.late_failures:
            raise self.late_failures.popleft()
        return message

    def _by_key(self, channel: ChannelKey, key: str) -> Post | None:
        return next((p for p in self.posts.values() if p.channel == channel and p.key == key), None)

    def _there(self, channel: ChannelKey, message: str) -> Post:
        post = self.posts.get(message)
        if post is None or post.channel != channel:
            raise MessageGone(f"there is no message {message} in {channel}")
        return post
