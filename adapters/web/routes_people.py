"""Who is who, and logging in."""

import asyncio
import math
from http import HTTPStatus
from typing import Any

from aiohttp import web

from adapters.web.access import SESSION_COOKIE
from adapters.web.answers import Refused, answer
from adapters.web.guard import IDENTITY
from adapters.web.passwords import hash_password, verify_password
from adapters.web.people import People, User
from adapters.web.reading import read_json
from adapters.web.sessions import LASTS_S, Sessions
from adapters.web.settings import WebSettings
from adapters.web.throttle import Throttle
from bot.ports import Clock

GUESSES_AT_ONCE = 2
"""Each takes 32 MiB and a core."""


class PeopleRoutes:
    def __init__(self, settings: WebSettings, people: People, sessions: Sessions, clock: Clock) -> None:
        self._settings = settings
        self._people = people
        self._sessions = sessions
        self._clock = clock
        self._throttle = Throttle()
        self._guesses = asyncio.Semaphore(GUESSES_AT_ONCE)
        self._nobody = ""

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/api/me", self.me),
            web.get("/api/users", self.users),
            web.get("/api/channels", self.channels),
            web.post("/api/login", self.login),
            web.post("/api/logout", self.logout),
        ]

    async def me(self, request: web.Request) -> web.Response:
        identity = request[IDENTITY]
        return answer(_person(identity.user) | {"csrf": identity.csrf, "demo": self._settings.demo})

    async def users(self, _request: web.Request) -> web.Response:
        return answer([_person(user) for user in self._people.everyone()])

    async def channels(self, request: web.Request) -> web.Response:
        user = request[IDENTITY].user
        return answer(
            [
                {"id": channel.id, "name": channel.title, "about": channel.about}
                for channel in self._settings.channels
                if user.may_see(channel.id)
            ]
        )

    async def login(self, request: web.Request) -> web.Response:
        if self._settings.demo:
            raise Refused(HTTPStatus.NOT_FOUND, "The demo has no passwords; the header X-Fencepost-User says who acts.")
        fields = await read_json(request)
        name, password = fields.text("name", 80) or "", fields.text("password", 1000) or ""
        address = request.remote or ""
        wait = self._throttle.take(name, address, self._clock.now())
        if wait:
            refused = answer({"text": "Too many tries. Wait a minute."}, HTTPStatus.TOO_MANY_REQUESTS)
            refused.headers["Retry-After"] = str(math.ceil(wait))
            return refused
        user = self._people.find(name)
        if not await self._is_password(user, password) or user is None:
            raise Refused(HTTPStatus.UNAUTHORIZED, "That name and password do not belong together.")
        self._throttle.give_back(name, address)
        cookie = await self._sessions.begin(user)
        response = answer(_person(user) | {"csrf": self._sessions.csrf(f"{SESSION_COOKIE}:{cookie}"), "demo": False})
        response.set_cookie(
            SESSION_COOKIE,
            cookie,
            max_age=int(LASTS_S),
            path="/",
            httponly=True,
            samesite="Lax",
            secure=self._settings.cookies_over_tls,
        )
        return response

    async def logout(self, request: web.Request) -> web.Response:
        await self._sessions.end(request.cookies.get(SESSION_COOKIE, ""))
        response = answer({})
        response.del_cookie(SESSION_COOKIE, path="/")
        return response

    async def _is_password(self, user: User | None, password: str) -> bool:
        """As slow for a name that is nobody's as for one that is somebody's."""
        async with self._guesses:
            self._nobody = self._nobody or await asyncio.to_thread(hash_password, "")
            kept = user.password if user and user.password else self._nobody
            right = await asyncio.to_thread(verify_password, password, kept)
        return right and kept is not self._nobody


def _person(user: User) -> dict[str, Any]:
    return {"id": user.id, "name": user.name, "roles": list(user.roles)}
