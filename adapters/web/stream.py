"""Server-sent events: `created`, `updated` and `deleted`, each `{"channel", "message"}`, with the cursor as its id.

A client is a cursor into the store, not a queue: it is sent what changed after the last it was sent, each message once
and as it is now. One that reads slowly gets fewer, later forms; one that does not read at all is dropped, and resumes
where it was by `Last-Event-ID` or `?after=`.
"""

import asyncio
from http import HTTPStatus

from aiohttp import web

from adapters.web.access import Access, Identity
from adapters.web.answers import Refused, compact
from adapters.web.chat import Chat
from adapters.web.guard import HEADERS, IDENTITY
from adapters.web.message import Message
from adapters.web.outbound import cursor_text, message_json
from adapters.web.routes_messages import read_cursor
from adapters.web.settings import WebSettings

AT_ONCE = 500
AT_ONCE_EACH = 20
BATCH = 100


class EventRoutes:
    def __init__(self, settings: WebSettings, chat: Chat, access: Access) -> None:
        self._settings = settings
        self._chat = chat
        self._access = access
        self._open: dict[int, tuple[web.Request, str]] = {}
        self._closing = False

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/api/events", self.events, allow_head=False)]

    def close(self) -> None:
        """End all streams: the server stops."""
        self._closing = True
        self._chat.bell.ring()

    async def events(self, request: web.Request) -> web.StreamResponse:
        user = request[IDENTITY].user
        alive = [person for stream, person in self._open.values() if stream.transport is not None]
        if alive.count(user.id) >= AT_ONCE_EACH or len(alive) >= AT_ONCE:
            raise Refused(HTTPStatus.TOO_MANY_REQUESTS, "There are too many open streams; close one.")
        since = request.headers.get("Last-Event-ID") or request.query.get("after")
        cursor = await self._chat.store.last_change() if since is None else await read_cursor(self._chat, since)
        self._open[id(request)] = (request, user.id)
        try:
            return await self._stream(request, cursor)
        finally:
            del self._open[id(request)]

    async def _stream(self, request: web.Request, cursor: int) -> web.StreamResponse:
        response = web.StreamResponse(
            headers=HEADERS | {"Content-Type": "text/event-stream", "X-Accel-Buffering": "no"}
        )
        await response.prepare(request)
        await self._send(request, response, f"retry: 1000\nid: {cursor_text(cursor)}\n\n")
        follower = Follower(cursor)
        identity: Identity | None = request[IDENTITY]
        while identity is not None and not self._closing:
            ring = self._chat.bell.next
            channels = self._chat.channels_of(identity.user)
            changes, more = await self._chat.store.changes(channels, identity.user.id, follower.cursor, limit=BATCH)
            for message in changes:
                if not await self._send(request, response, follower.event(message)):
                    return response
            if more:
                continue
            follower.is_up_to_date()
            if await _rings(ring, self._settings.heartbeat_s):
                continue
            identity = await self._access.identify(request)
            if not await self._send(request, response, ": still here\n\n"):
                return response
        return response

    async def _send(self, request: web.Request, response: web.StreamResponse, text: str) -> bool:
        """False once nobody reads any more; a client whose buffer stays full is cut off."""
        try:
            async with asyncio.timeout(self._settings.slow_client_s):
                await response.write(text.encode("ascii"))
        except TimeoutError:
            if request.transport is not None:
                request.transport.abort()
            return False
        except ConnectionError:
            return False
        return True


class Follower:
    """What a client has been told: everything up to `known`, and of what came after it the messages in `sent`."""

    def __init__(self, cursor: int) -> None:
        self.cursor = cursor
        self._known = cursor
        self._sent: set[str] = set()

    def event(self, message: Message) -> str:
        is_new = message.created > self._known and message.id not in self._sent
        self._sent.add(message.id)
        self.cursor = message.changed
        name = "deleted" if message.deleted else "created" if is_new else "updated"
        data = compact({"channel": message.channel, "message": message_json(message)})
        return f"id: {cursor_text(message.changed)}\nevent: {name}\ndata: {data}\n\n"

    def is_up_to_date(self) -> None:
        self._known = self.cursor
        self._sent.clear()


async def _rings(ring: asyncio.Event, within_s: float) -> bool:
    try:
        async with asyncio.timeout(within_s):
            await ring.wait()
    except TimeoutError:
        return False
    return True
