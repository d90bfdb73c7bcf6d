"""What whoever caused an event is told, alone and at once.

Replies are handed back to the adapter that brought the event, and are not owed: if the bot dies in between, the
platform shows the click as failed, and the second click is answered by the state.
"""

from dataclasses import dataclass
from enum import StrEnum

from bot.core.reports import FileRef


class ReplyKind(StrEnum):
    DONE = "done"  # carried out; `text` may be empty (web: 202)
    FORBIDDEN = "forbidden"  # not by you (403)
    GONE = "gone"  # decided, ended, expired, superseded or removed (410)
    UNKNOWN = "unknown"  # never existed (404)
    CONFIRM = "confirm"  # ask again with confirm (409 {"confirm"})
    CHOOSE = "choose"  # ask again with one of the choices (409 {"choices"})
    REASON = "reason"  # ask again with a reason (409 {"reason"})
    INVALID = "invalid"  # what was filled in cannot be used (400)
    FAILED = "failed"  # our own machinery failed, nothing was carried out (503); `text` names a reference for the log


@dataclass(frozen=True, slots=True)
class Choice:
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    kind: ReplyKind
    text: str = ""
    choices: tuple[Choice, ...] = ()
    files: tuple[FileRef, ...] = ()
