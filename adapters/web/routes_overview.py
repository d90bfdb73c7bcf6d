"""What an operator sees of all channels that they are a member of; sandboxes are for leads and admins."""

from collections.abc import Sequence
from dataclasses import asdict
from http import HTTPStatus
from typing import Any

from aiohttp import web

from adapters.web.answers import Refused, answer
from adapters.web.chat import Chat, keys_of
from adapters.web.guard import IDENTITY
from adapters.web.outbound import message_json, whole
from adapters.web.people import People, User
from adapters.web.routes_messages import read_number
from adapters.web.settings import WebSettings
from bot.core.keys import ChannelKey
from bot.core.overview import ChannelPolicy
from bot.ports import Overview

HISTORY = 100
HISTORY_MOST = 500


class OverviewRoutes:
    def __init__(self, settings: WebSettings, people: People, chat: Chat, overview: Overview) -> None:
        self._keys = keys_of(settings)
        self._people = people
        self._chat = chat
        self._overview = overview

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/api/overview/approvals", self.approvals),
            web.get("/api/overview/executions", self.executions),
            web.get("/api/overview/sandboxes", self.sandboxes),
            web.get("/api/overview/policies", self.policies),
            web.get("/api/overview/history", self.history),
        ]

    async def approvals(self, request: web.Request) -> web.Response:
        user = request[IDENTITY].user
        found = await self._overview.approvals(user.actor(), self._channels(user))
        return answer([_json(approval) | {"card": await self._card(approval.message)} for approval in found])

    async def executions(self, request: web.Request) -> web.Response:
        user = request[IDENTITY].user
        return _answer(await self._overview.executions(user.actor(), self._channels(user)))

    async def history(self, request: web.Request) -> web.Response:
        limit = min(read_number("limit", request.query.get("limit") or str(HISTORY)), HISTORY_MOST)
        return _answer(await self._overview.history(self._channels(request[IDENTITY].user), limit))

    async def sandboxes(self, request: web.Request) -> web.Response:
        user = request[IDENTITY].user
        led = [key for key in self._channels(user) if self._overview.leads(user.actor(), key)]
        if not led:
            raise Refused(HTTPStatus.FORBIDDEN, "Sandboxes are shown to leads and admins.")
        return _answer(await self._overview.sandboxes(led))

    async def policies(self, request: web.Request) -> web.Response:
        found = await self._overview.policies(self._channels(request[IDENTITY].user))
        return answer([_json(policy) | {"approvers": self._approvers(policy)} for policy in found])

    async def _card(self, message: str | None) -> dict[str, Any] | None:
        """The message with its buttons, so that it can be decided wherever it is seen."""
        found = await self._chat.store.get(message) if message is not None else None
        return None if found is None or found.deleted else message_json(found)

    def _channels(self, user: User) -> list[ChannelKey]:
        return [self._keys[channel] for channel in self._chat.channels_of(user)]

    def _approvers(self, policy: ChannelPolicy) -> list[dict[str, Any]]:
        """Each group with whoever of this chat is in it now, by name."""
        members = [user for user in self._people.everyone() if user.may_see(policy.channel.channel)]
        groups = {user.name: self._overview.groups(user.actor(), policy.channel) for user in members}
        return [
            {"group": group, "people": sorted(whole(name) for name, those in groups.items() if group in those)}
            for group in policy.approvers
        ]


def _answer(lines: Sequence[Any]) -> web.Response:
    return answer([_json(line) for line in lines])


def _json(line: Any) -> dict[str, Any]:
    """The value as JSON, with the page's name of the channel and, of people, theirs."""
    body: dict[str, Any] = _whole(asdict(line))
    body["channel"] = line.channel.channel if line.channel is not None else None
    if "requester" in body:
        body["requester"] = body["requester"].removeprefix("web:")
    return body


def _whole(value: Any) -> Any:
    """Texts of people may hold half of a surrogate pair."""
    match value:
        case str():
            return whole(value)
        case dict():
            return {name: _whole(each) for name, each in value.items()}
        case list() | tuple():
            return [_whole(each) for each in value]
        case _:
            return value
