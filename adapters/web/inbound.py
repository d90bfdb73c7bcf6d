"""What people send, turned into events of the core: no I/O, one function a question."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from adapters.web.answers import Refused
from adapters.web.message import Owed, OwedKind
from bot.core.buttons import ButtonValue
from bot.core.events import AnyEvent, ButtonPressed, CommandIssued, MessageDeleted, MessageEdited, MessagePosted
from bot.core.keys import Actor, ChannelKey

TEXT_CHARS = 256 * 1024
COMMAND = "/fencepost"

_MENTION = re.compile(r"(?<![\w@.`/-])@fencepost\b(?!-)[,:]?[^\S\n]?", re.IGNORECASE)
_FENCE = re.compile(r"```|~~~")


@dataclass(frozen=True, slots=True)
class Fields:
    """A JSON object, or the fields of a form. What nobody asks for is let be."""

    values: Mapping[str, Any]

    @classmethod
    def of(cls, body: Any) -> "Fields":
        if not isinstance(body, dict):
            raise Refused(HTTPStatus.BAD_REQUEST, "The body has to be a JSON object.")
        return cls(body)

    def text(self, name: str, most: int = TEXT_CHARS) -> str | None:
        value = self.values.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            raise Refused(HTTPStatus.BAD_REQUEST, f"{name}: has to be a text.")
        if len(value) > most:
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"{name}: longer than {most} characters.")
        if any("\ud800" <= char <= "\udfff" for char in value):
            raise Refused(HTTPStatus.BAD_REQUEST, f"{name}: holds half of a surrogate pair, which is no character.")
        return value

    def flag(self, name: str) -> bool:
        value = self.values.get(name)
        if value is None:
            return False
        if not isinstance(value, bool):
            raise Refused(HTTPStatus.BAD_REQUEST, f"{name}: has to be true or false.")
        return value


def command_of(text: str) -> str | None:
    """What follows `/fencepost`; None where the text is not a command."""
    head, tail = text[: len(COMMAND)], text[len(COMMAND) :]
    if head != COMMAND or (tail and not tail[0].isspace()):
        return None
    return tail.strip()


def without_mention(text: str) -> tuple[str, bool]:
    """The text without the bot's name, and whether it was there; from the first fence on nothing is touched."""
    fence = _FENCE.search(text)
    end = fence.start() if fence else len(text)
    head, count = _MENTION.subn("", text[:end])
    return head + text[end:], count > 0


def event_of(owed: Owed, channel: ChannelKey, actor: Actor) -> AnyEvent:
    """`actor` is the author as they stand now, not as they stood when they wrote."""
    body = owed.body
    match owed.kind:
        case OwedKind.POSTED | OwedKind.EDITED:
            make = MessagePosted if owed.kind is OwedKind.POSTED else MessageEdited
            return make(
                id=owed.id,
                channel=channel,
                at=owed.at,
                message=owed.message,
                author=actor,
                text=body.text,
                thread=body.thread,
                addressed=body.addressed,
                files=body.files,
            )
        case OwedKind.DELETED:
            return MessageDeleted(id=owed.id, channel=channel, at=owed.at, message=owed.message)
        case OwedKind.COMMAND:
            return CommandIssued(id=owed.id, channel=channel, at=owed.at, actor=actor, text=body.text)


@dataclass(frozen=True, slots=True)
class Press:
    """What was filled in with a click. `value` is the button's as the page drew it, if the page says so."""

    value: str | None = None
    reason: str | None = None
    choice: str | None = None
    confirm: bool = False
    stdin: str | None = None
    args: str | None = None

    @classmethod
    def of(cls, fields: Fields) -> "Press":
        return cls(
            value=fields.text("value", 200),
            reason=fields.text("reason", 10_000),
            choice=fields.text("choice", 200),
            confirm=fields.flag("confirm"),
            stdin=fields.text("stdin"),
            args=fields.text("args", 10_000),
        )

    def event(self, event_id: str, channel: ChannelKey, at: float, button: ButtonValue, actor: Actor) -> ButtonPressed:
        return ButtonPressed(
            id=event_id,
            channel=channel,
            at=at,
            request=button.request,
            verb=button.verb,
            binding=button.binding,
            actor=actor,
            reason=self.reason,
            choice=self.choice,
            confirm=self.confirm,
            stdin=self.stdin,
            args=self.args,
        )
