"""A message of the web chat and an event that is owed to the core, as they are kept."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bot.core.model import Model
from bot.core.reports import FileRef


class Body(Model):
    """What is drawn. `text` is everything a reader sees, as plain text; `blocks` and `buttons` are JSON objects as the
    API gives them.
    """

    text: str
    blocks: tuple[dict[str, Any], ...] = ()
    buttons: tuple[dict[str, str], ...] = ()
    files: tuple[FileRef, ...] = ()
    status: str | None = None
    mention: tuple[str, ...] = ()


EMPTY = Body(text="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A message that is not there yet. `only_for`: the one person who sees it; `idem`: makes a second try the same."""

    channel: str
    author: str
    body: Body
    thread: str | None = None
    reply_to: str | None = None
    only_for: str | None = None
    idem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """`created` and `changed` are the numbers of its first and last change; `deleted` ones have an empty body."""

    id: str
    channel: str
    thread: str | None
    author: str
    reply_to: str | None
    only_for: str | None
    body: Body
    created_at: float
    created: int
    changed: int
    edited: bool
    deleted: bool

    def is_for(self, person: str) -> bool:
        return self.only_for is None or self.only_for == person


class OwedKind(StrEnum):
    POSTED = "posted"
    EDITED = "edited"
    DELETED = "deleted"
    COMMAND = "command"


class OwedBody(Model):
    """What the event says beside who, where and when."""

    text: str = ""
    thread: str | None = None
    addressed: bool = False
    files: tuple[FileRef, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """An event on its way to the core. `id` is the event's: the same in every try. `author` is a bare user id."""

    seq: int
    id: str
    channel: str
    message: str
    kind: OwedKind
    author: str
    at: float
    body: OwedBody
