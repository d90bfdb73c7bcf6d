"""Who there is: the users of the demo, or those of the users file, read again whenever it has changed.

A role is never remembered by the web chat: each look-up asks here, and here the file is asked whether it is still the
one that was read.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from adapters.web.passwords import hash_token
from adapters.web.users_file import UserRecord, UsersFileError, read_users
from bot.core.keys import Actor

PLATFORM = "web"
BOT = "fencepost"
ADMIN = "admin"

DEMO_ROLES = {"ana": "member", "bo": "member", "lee": "lead", "kim": "lead", "root": "admin", "rita": "admin"}


@dataclass(frozen=True, slots=True)
class User:
    """`id` is bare (`ana`; the core knows `web:ana`). `channels` None: all of them."""

    id: str
    name: str
    roles: tuple[str, ...]
    channels: frozenset[str] | None = None
    password: str = field(default="", repr=False)
    tokens: tuple[str, ...] = field(default=(), repr=False)

    @property
    def key(self) -> str:
        return f"{PLATFORM}:{self.id}"

    def may_see(self, channel: str) -> bool:
        return self.channels is None or channel in self.channels

    def actor(self) -> Actor:
        marks = frozenset(f"web_roles:{role}" for role in self.roles)
        return Actor(self.key, self.name, standing=marks, admin=ADMIN in self.roles)


class People:
    """Raises UsersFileError where the users file cannot be read: nobody is anybody until it can."""

    def __init__(self, read: Callable[[], Mapping[str, User]]) -> None:
        self._read = read

    @classmethod
    def demo(cls) -> Self:
        users = {name: User(name, name, (role,)) for name, role in DEMO_ROLES.items()}
        return cls(lambda: users)

    @classmethod
    def from_file(cls, path: Path) -> Self:
        """A file that is not there yet has no users."""
        return cls(_UsersFile(path).users)

    def everyone(self) -> tuple[User, ...]:
        return tuple(self._read().values())

    def find(self, user: str) -> User | None:
        return self._read().get(user)

    def by_token(self, token: str) -> User | None:
        """By the hash of the token, so the time that the search takes tells nothing about one."""
        wanted = hash_token(token)
        return next((user for user in self._read().values() if wanted in user.tokens), None)

    def look_up(self, user: str, channel: str) -> Actor:
        """`user` is `web:id`. Whoever is unknown, outside the channel or cannot be looked up has no standing."""
        bare = user.removeprefix(f"{PLATFORM}:")
        try:
            found = self.find(bare)
        except UsersFileError:
            found = None
        if found is None or found.key != user or not found.may_see(channel):
            return Actor(user, found.name if found else bare, standing=None)
        return found.actor()


class _UsersFile:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._mark: object = None
        self._users: dict[str, User] = {}

    def users(self) -> dict[str, User]:
        try:
            stat = self._path.stat()
            mark = (stat.st_ino, stat.st_mtime_ns, stat.st_size)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise UsersFileError(f"{self._path} cannot be read: {error.strerror}") from error
        if mark != self._mark:
            self._users = {record.id: _user(record) for record in read_users(self._path)}
            self._mark = mark
        return self._users


def _user(record: UserRecord) -> User:
    return User(
        id=record.id,
        name=record.name or record.id,
        roles=record.roles,
        channels=None if record.channels is None else frozenset(record.channels),
        password=record.password,
        tokens=record.tokens,
    )
