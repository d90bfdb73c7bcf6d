"""Messages: say, read, amend, take back."""

import asyncio
from http import HTTPStatus
from typing import Any

from aiohttp import web

from adapters.web.answers import Refused, answer
from adapters.web.chat import Chat, Saying
from adapters.web.guard import IDENTITY
from adapters.web.lanes import Told
from adapters.web.messages import PAGE
from adapters.web.outbound import cursor_text, message_json, told
from adapters.web.people import User
from adapters.web.reading import read_json, read_post
from bot.ports import Blobs

COMMAND_S = 5.0
"""How long a command's post waits for its answer; a later one comes as a private message."""


class MessageRoutes:
    def __init__(self, chat: Chat, blobs: Blobs) -> None:
        self._chat = chat
        self._blobs = blobs

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/api/channels/{channel}/messages", self.say),
            web.get("/api/channels/{channel}/messages", self.list),
            web.patch("/api/messages/{message}", self.amend),
            web.delete("/api/messages/{message}", self.take_back),
        ]

    async def say(self, request: web.Request) -> web.Response:
        user, channel = request[IDENTITY].user, request.match_info["channel"]
        self._chat.enter(user, channel)
        idem = request.headers.get("Idempotency-Key")
        if idem is not None and not (0 < len(idem) <= 200 and idem.isascii()):
            raise Refused(HTTPStatus.BAD_REQUEST, "Idempotency-Key: 1 to 200 ASCII characters.")
        fields, files = await read_post(request, self._blobs)
        saying = Saying(
            text=fields.text("text") or "", thread=fields.text("thread", 100) or None, files=files, idem=idem
        )
        message, answered = await self._chat.say(user, channel, saying)
        body: dict[str, Any] = {"id": message.id}
        if answered is not None:
            body |= await _in_time(answered)
        return answer(body, HTTPStatus.CREATED)

    async def list(self, request: web.Request) -> web.Response:
        user, channel = request[IDENTITY].user, request.match_info["channel"]
        self._chat.enter(user, channel)
        limit = read_number("limit", request.query.get("limit") or str(PAGE))
        if "before" in request.query:
            return await self._newest(user, channel, request.query["before"], limit)
        after = await read_cursor(self._chat, request.query.get("after", ""))
        thread = request.query.get("thread") or None
        changes, more = await self._chat.store.changes([channel], user.id, after, thread=thread, limit=limit)
        return answer(
            {
                "messages": [message_json(message) for message in changes if not message.deleted],
                "deleted": [message.id for message in changes if message.deleted],
                "cursor": cursor_text(changes[-1].changed if changes else after),
                "more": more,
            }
        )

    async def _newest(self, user: User, channel: str, before: str, limit: int) -> web.Response:
        """The cursor is taken first: what changes meanwhile comes again with it, and is not missed."""
        cursor = await self._chat.store.last_change()
        end = read_number("before", before) if before else None
        messages, more = await self._chat.store.newest(channel, user.id, end, limit=limit)
        return answer(
            {
                "messages": [message_json(message) for message in messages],
                "deleted": [],
                "cursor": cursor_text(cursor),
                "more": more,
            }
        )

    async def amend(self, request: web.Request) -> web.Response:
        fields = await read_json(request)
        text = fields.text("text")
        if text is None:
            raise Refused(HTTPStatus.BAD_REQUEST, "text: is missing.")
        message = request.match_info["message"]
        await self._chat.amend(request[IDENTITY].user, message, text)
        return answer({"id": message})

    async def take_back(self, request: web.Request) -> web.Response:
        message = request.match_info["message"]
        await self._chat.take_back(request[IDENTITY].user, message)
        return answer({"id": message})


def read_number(name: str, text: str) -> int:
    if not (text.isdecimal() and text.isascii() and len(text) <= 15):
        raise Refused(HTTPStatus.BAD_REQUEST, f"{name}: has to be a number.")
    return int(text)


async def read_cursor(chat: Chat, text: str) -> int:
    """The number that a cursor stands for. One from the future is from another life of this chat: begin anew."""
    if not text:
        return 0
    if not (text.isdecimal() and text.isascii() and len(text) <= 18):
        raise Refused(HTTPStatus.BAD_REQUEST, "after: has to be a cursor from an earlier answer.")
    number = int(text)
    return number if number <= await chat.store.last_change() else 0


async def _in_time(answered: asyncio.Future[Told]) -> dict[str, Any]:
    """The answer to a command, if it is there soon; the private message that holds it comes in any case."""
    try:
        async with asyncio.timeout(COMMAND_S):
            body = told(await asyncio.shield(answered))
    except TimeoutError:
        return {}
    return {"text": body.text if body else ""}
