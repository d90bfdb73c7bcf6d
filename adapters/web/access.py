"""Who acts. In the demo whoever they say they are; otherwise a bearer token or the cookie of a login."""

import hmac
from dataclasses import dataclass, field

from aiohttp import web

from adapters.web.people import People, User
from adapters.web.sessions import Sessions

DEMO_HEADER = "X-Fencepost-User"
DEMO_COOKIE = "fencepost_user"
SESSION_COOKIE = "fencepost_session"
CSRF_HEADER = "X-CSRF-Token"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Identity:
    """`by_cookie`: the browser sends it without being asked, so that a write needs the token too."""

    user: User
    csrf: str = field(repr=False)
    by_cookie: bool


class Access:
    def __init__(self, people: People, sessions: Sessions, *, demo: bool) -> None:
        self._people = people
        self._sessions = sessions
        self._demo = demo

    async def identify(self, request: web.Request) -> Identity | None:
        return self._in_demo(request) if self._demo else await self._logged_in(request)

    def may_write(self, request: web.Request, identity: Identity) -> bool:
        given = request.headers.get(CSRF_HEADER, "")
        return (
            request.method in SAFE
            or not identity.by_cookie
            or hmac.compare_digest(given.encode("utf-8", "replace"), identity.csrf.encode())
        )

    def _in_demo(self, request: web.Request) -> Identity | None:
        header = request.headers.get(DEMO_HEADER)
        name = header if header is not None else request.cookies.get(DEMO_COOKIE, "")
        user = self._people.find(name)
        if user is None:
            return None
        return Identity(user, self._sessions.csrf(f"{DEMO_COOKIE}:{user.id}"), by_cookie=header is None)

    async def _logged_in(self, request: web.Request) -> Identity | None:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            user = self._people.by_token(token.strip())
            return Identity(user, "", by_cookie=False) if user else None
        cookie = request.cookies.get(SESSION_COOKIE, "")
        user = await self._sessions.user_of(cookie) if cookie else None
        return Identity(user, self._sessions.csrf(f"{SESSION_COOKIE}:{cookie}"), by_cookie=True) if user else None
