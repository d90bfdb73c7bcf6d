"""Clicks: each one acts, or the clicker alone is told why not."""

from http import HTTPStatus

from aiohttp import web

from adapters.web.answers import Refused, answer
from adapters.web.chat import Chat
from adapters.web.guard import IDENTITY
from adapters.web.handouts import Handouts
from adapters.web.inbound import Press
from adapters.web.outbound import file_json, refusal, told
from adapters.web.reading import read_json


class ButtonRoutes:
    def __init__(self, chat: Chat, handouts: Handouts) -> None:
        self._chat = chat
        self._handouts = handouts

    def routes(self) -> list[web.RouteDef]:
        return [web.post("/api/messages/{message}/buttons/{button}", self.press)]

    async def press(self, request: web.Request) -> web.Response:
        user = request[IDENTITY].user
        press = Press.of(await read_json(request, may_be_empty=True))
        message, replies = await self._chat.press(
            user, request.match_info["message"], request.match_info["button"], press
        )
        refused = refusal(replies)
        if refused is not None:
            status, body = refused
            raise Refused.with_body(status, body)
        said = told(replies)
        body = {}
        if said is not None and said.text:
            body["text"] = said.text
        if said is not None and said.files:
            body["files"] = [
                file_json(await self._handouts.give(message.channel, user.id, file), file) for file in said.files
            ]
        return answer(body, HTTPStatus.ACCEPTED)
