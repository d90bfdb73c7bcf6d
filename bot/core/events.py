"""What has happened: the only way into the core.

`id` names the fact, not its delivery: a platform that delivers it twice gives the same id, and the store drops the
second. `at` is seconds since the epoch, taken where the fact entered the bot; the core has no clock of its own.
"""

from dataclasses import dataclass
from enum import StrEnum

from bot.core.keys import Actor, ChannelKey
from bot.core.reports import BlockReport, FileRef


class Verb(StrEnum):
    """Buttons. The value of a button is `v1:<request id>:<verb>:<first 8 hex of the binding>`."""

    APPROVE = "approve"
    REMEMBER = "remember"
    DENY = "deny"
    CANCEL = "cancel"
    STOP = "stop"
    RUN_AGAIN = "run_again"
    RUN_INPUT = "run_input"
    ASK_AGAIN = "ask_again"
    FULL_OUTPUT = "full_output"
    SHOW_CODE = "show_code"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    id: str
    channel: ChannelKey
    at: float


# ---- from a platform


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePosted(Event):
    """A message as the user wrote it: what the platform's client put in is already taken out.

    `thread` is the id of the message that starts the thread it was posted in, None in the channel itself. `addressed`
    is whether it mentions the bot or was sent to it directly; the mention itself is no longer part of `text`.
    """

    message: str
    author: Actor
    text: str
    thread: str | None = None
    addressed: bool = False
    files: tuple[FileRef, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageEdited(Event):
    """The whole new text of a message. `files` are those that it carries now, `posted_at` is when it was posted
    first.
    """

    message: str
    author: Actor
    text: str
    thread: str | None = None
    addressed: bool = False
    files: tuple[FileRef, ...] = ()
    posted_at: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageDeleted(Event):
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonPressed(Event):
    """A click. `request` and `binding` come from the button's value; the rest from whatever form was filled in."""

    request: str
    verb: Verb
    binding: str
    actor: Actor
    reason: str | None = None
    choice: str | None = None
    confirm: bool = False
    stdin: str | None = None
    args: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandIssued(Event):
    """`text` is what follows `/fencepost`."""

    actor: Actor
    text: str


# ---- from the performer: how effects came out


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPosted(Event):
    """The post with this idempotency key now exists on the platform as `message`."""

    key: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PostRefused(Event):
    """The post with this key can never be made, or is gone: its channel, or what it answers, is not there any more."""

    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionReady(Event):
    """A sandbox is leased and the voters' standing was looked up again: may this request start, now?

    The request moves to running in the step of this event, so nothing has run before that is on disk. `voters` are
    the people who approved, as the platform knows them now.
    """

    request: str
    execution: str
    voters: tuple[Actor, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionHeld(Event):
    """Our machinery could not start it; nothing ran. `text` is a sentence for people, `reference` is in the log."""

    request: str
    text: str
    reference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionEnded(Event):
    request: str
    execution: str
    blocks: tuple[BlockReport, ...]
    files: tuple[FileRef, ...] = ()
    files_left: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionLost(Event):
    """The sandbox went away under a running execution; whether it had finished is unknown."""

    request: str
    execution: str
    text: str
    reference: str


# ---- from the shell


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadlinePassed(Event):
    """The time that `deadlines.next_deadline` named has come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotStarted(Event):
    """The first event of a channel after a start: whatever was running has nobody watching it any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HaltChanged(Event):
    """`/fencepost halt` or `resume` took effect for the whole bot."""

    halted: bool
    by: str


AnyEvent = (
    MessagePosted
    | MessageEdited
    | MessageDeleted
    | ButtonPressed
    | CommandIssued
    | AnswerPosted
    | PostRefused
    | ExecutionReady
    | ExecutionHeld
    | ExecutionEnded
    | ExecutionLost
    | DeadlinePassed
    | BotStarted
    | HaltChanged
)
