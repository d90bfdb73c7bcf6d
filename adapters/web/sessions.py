"""Logins by cookie, and the token that a write by cookie has to carry.

Only the hash of a cookie is kept. A login ends by itself, by logging out, or when its user gets another password.
"""

import hashlib
import hmac
import secrets

from adapters.web.database import Database
from adapters.web.passwords import hash_token
from adapters.web.people import People, User
from bot.ports import Clock

LASTS_S = 7 * 24 * 3600.0


class Sessions:
    def __init__(self, database: Database, people: People, clock: Clock) -> None:
        self._database = database
        self._people = people
        self._clock = clock

    async def begin(self, user: User) -> str:
        """The new cookie's value."""
        token = secrets.token_urlsafe(32)
        now = self._clock.now()
        async with self._database.write() as tx:
            await tx.execute("DELETE FROM sessions WHERE ends_at <= ?", (now,))
            await tx.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, ?)", (hash_token(token), user.id, _mark(user), now + LASTS_S)
            )
        return token

    async def user_of(self, token: str) -> User | None:
        found = await self._database.read(
            "SELECT * FROM sessions WHERE id = ? AND ends_at > ?", hash_token(token), self._clock.now()
        )
        user = self._people.find(found[0]["person"]) if found else None
        return user if user is not None and hmac.compare_digest(found[0]["password"], _mark(user)) else None

    async def end(self, token: str) -> None:
        async with self._database.write() as tx:
            await tx.execute("DELETE FROM sessions WHERE id = ?", (hash_token(token),))

    def csrf(self, cookie: str) -> str:
        """What a write by this cookie has to carry; another site can neither read nor guess it."""
        return hmac.new(self._database.secret, f"csrf:{cookie}".encode("utf-8", "replace"), "sha256").hexdigest()


def _mark(user: User) -> str:
    return hashlib.sha256(user.password.encode()).hexdigest()
