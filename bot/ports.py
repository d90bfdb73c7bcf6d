"""What the shell needs from the outside, as Protocols; adapters and the executor implement them.

Each port has a shipped in-memory twin, and one contract suite runs over every implementation.
"""

from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bot.core.effects import Effect
from bot.core.events import AnyEvent
from bot.core.keys import Actor, ChannelKey
from bot.core.overview import ActiveExecution, Approval, ChannelPolicy, HistoryLine, RuleUse, SandboxLine
from bot.core.replies import Reply
from bot.core.reports import FileRef
from bot.core.state import ChannelState, Request
from bot.core.views.view import View
from executor.status import SandboxStatus
from executor.types import Execution, ExecutionResult, OnOutput

# ---- time


class Clock(Protocol):
    """Time as an input, so that tests move it."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    async def sleep_until(self, at: float) -> None:
        """Return once `now()` is at or past `at`."""
        ...


# ---- store


@dataclass(frozen=True, slots=True)
class Loaded:
    """A channel as it lies in the store; `version` is 0 where nothing was saved yet."""

    state: ChannelState
    version: int


@dataclass(frozen=True, slots=True)
class Owed:
    """An effect that is saved and not settled; `seq` grows with every save and tells a replaced effect from its
    successor.
    """

    seq: int
    channel: ChannelKey
    effect: Effect


@dataclass(frozen=True, slots=True)
class Commit:
    """One step, to be saved whole or not at all.

    `settles` are `seq` numbers of owed effects whose coming out was this event. `requests` are those that the step
    touched, for the table of requests.
    """

    channel: ChannelKey
    base_version: int
    state: ChannelState
    event_id: str
    at: float
    effects: tuple[Effect, ...]
    requests: tuple[Request, ...]
    settles: tuple[int, ...] = ()


class VersionConflict(Exception):
    """Another process saved this channel in between: load it again and step again."""


class Store(Protocol):
    """Durable state. Every method may raise `StoreUnavailable`."""

    async def load(self, channel: ChannelKey) -> Loaded: ...

    async def seen(self, event_id: str) -> bool:
        """Whether an event with this id was saved (kept for at least a day)."""
        ...

    async def save(self, commit: Commit) -> tuple[Owed, ...]:
        """State, request table, owed effects and event id in one transaction; returns the effects that it now owes.

        An effect whose `key` is already owed for the channel replaces it. Raises VersionConflict where the stored
        version is not `base_version`, DuplicateEvent where the event id was saved already, GuardBroken where a
        request would be executed a second time.
        """
        ...

    async def settle(self, seq: int) -> None:
        """The effect was carried out; no effect if a later one with the same key has replaced it."""
        ...

    async def owed(self) -> Sequence[Owed]:
        """All owed effects, oldest first."""
        ...

    async def live_channels(self) -> Sequence[ChannelKey]:
        """Channels with a live request or an owed effect."""
        ...

    async def find_request(self, request_id: str) -> tuple[ChannelKey, Request] | None: ...

    async def find_by_source(self, channel: ChannelKey, message: str) -> Sequence[Request]:
        """Requests of this channel whose code came from the message, oldest first."""
        ...

    async def recent_requests(self, channel: ChannelKey | None, limit: int) -> Sequence[tuple[ChannelKey, Request]]: ...

    async def halted_by(self) -> str | None: ...

    async def set_halted(self, by: str | None) -> None: ...


class DuplicateEvent(Exception):
    """This event was saved before."""


class GuardBroken(Exception):
    """The commit contradicts what is saved: a second execution of a request, or an execution id used again."""


class StoreUnavailable(Exception):
    """The store cannot be read or written (disk full, locked, read-only); `str` is a sentence for people."""


class Ledger(Protocol):
    """The table of requests, for looking at. Every method may raise `StoreUnavailable`."""

    async def load(self, channel: ChannelKey) -> Loaded: ...

    async def live_requests(self, channels: Collection[ChannelKey]) -> Sequence[tuple[ChannelKey, Request]]:
        """Those that wait, are approved or run, oldest first."""
        ...

    async def ended_since(
        self, channels: Collection[ChannelKey], since: float, limit: int
    ) -> Sequence[tuple[ChannelKey, Request]]:
        """Those that were made at `since` or later and have ended, one way or another; the newest first."""
        ...

    async def rule_uses(self, channels: Collection[ChannelKey], since: float) -> Sequence[RuleUse]:
        """What decided the requests that were made at `since` or later, each rule and effect of a channel once."""
        ...

    async def halted_by(self) -> str | None: ...


class Blobs(Protocol):
    """Content by sha256: outputs in full, files in and out."""

    async def put(self, data: bytes, name: str, media_type: str = "application/octet-stream") -> FileRef: ...

    async def put_file(self, path: Path, name: str, media_type: str = "application/octet-stream") -> FileRef:
        """Take the file over: it is moved or copied, and gone from `path` afterwards."""
        ...

    async def get(self, sha256: str) -> bytes:
        """The content; KeyError where it is unknown or no longer kept."""
        ...


# ---- platforms


class GatewayError(Exception):
    """Root of what a platform can do to us."""


class PlatformUnavailable(GatewayError):
    """It does not answer or asks for patience: try the same call again, after `retry_after_s` if that is known."""

    def __init__(self, text: str, retry_after_s: float | None = None) -> None:
        super().__init__(text)
        self.retry_after_s = retry_after_s


class MessageGone(GatewayError):
    """The message, or the channel it was in, is not there any more: there is nothing to do."""


Dispatch = Callable[[AnyEvent], Awaitable[tuple[Reply, ...]]]
"""Hand an event in; returns once its step is saved, with what whoever caused it is to be told. A duplicate gives ().
"""


class Gateway(Protocol):
    """The live connection to one platform."""

    @property
    def platform(self) -> str: ...

    @property
    def edit_interval_s(self) -> float:
        """Least time between two live edits of one message."""
        ...

    async def serve(self, dispatch: Dispatch) -> None:
        """Bring events in until cancelled."""
        ...

    async def post(self, channel: ChannelKey, key: str, reply_to: str | None, thread: str | None, view: View) -> str:
        """Post once per `key`, however often it is called: a post that already exists is found and edited. Its id."""
        ...

    async def find(self, channel: ChannelKey, key: str) -> str | None:
        """The id of the message that `post` made with this key, asked of the platform; None where there is none.

        Needed once: to delete a post whose id was not saved because the bot died in between.
        """
        ...

    async def edit(self, channel: ChannelKey, message: str, view: View) -> None: ...

    async def delete(self, channel: ChannelKey, message: str) -> None: ...

    async def look_up(self, channel: ChannelKey, user: str, marks: frozenset[str]) -> Actor:
        """The user (`platform:id`) as the platform knows them now, with those of `marks` that they have; never
        cached.

        A failed look-up gives an Actor whose standing is None.
        """
        ...


# ---- sandboxes


class Sandbox(Protocol):
    async def execute(self, execution: Execution, on_output: OnOutput) -> ExecutionResult:
        """Run the blocks; cancelling the awaiting task ends the run inside."""
        ...


class Sandboxes(Protocol):
    """Leases of sandboxes by channel. Raises `executor.errors`."""

    def lease(self, channel: str) -> AbstractAsyncContextManager[Sandbox]: ...

    async def cancel(self, execution_id: str) -> bool:
        """End it now; False where it is not running here."""
        ...


class SandboxRegister(Protocol):
    """The sandboxes that there are, for looking at."""

    def list(self) -> Sequence[SandboxStatus]: ...

    async def memory(self, container: str) -> int | None:
        """Bytes in use in this container, None where that is not known. Raises `executor.errors`."""
        ...


# ---- what operators see


class Overview(Protocol):
    """All channels at once, as far as whoever asks may see them: which those are, the caller says. Reads only.

    Methods that are awaited may raise `StoreUnavailable`.
    """

    async def approvals(self, viewer: Actor, channels: Collection[ChannelKey]) -> Sequence[Approval]:
        """Requests that wait for people, oldest first."""
        ...

    async def executions(self, viewer: Actor, channels: Collection[ChannelKey]) -> Sequence[ActiveExecution]:
        """Channel by channel: what runs, then the line in its order."""
        ...

    async def sandboxes(self, channels: Collection[ChannelKey]) -> Sequence[SandboxLine]:
        """Those of the channels, then those that belong to none."""
        ...

    async def policies(self, channels: Collection[ChannelKey]) -> Sequence[ChannelPolicy]:
        """With what each rule did in the last seven days."""
        ...

    async def history(self, channels: Collection[ChannelKey], limit: int) -> Sequence[HistoryLine]:
        """Requests of the last day that have ended, the newest first, at most `limit`."""
        ...

    def groups(self, person: Actor, channel: ChannelKey) -> frozenset[str]:
        """Approver groups of the channel's policy that they are in."""
        ...

    def leads(self, person: Actor, channel: ChannelKey) -> bool:
        """Whether they may see there what is for leads and admins."""
        ...
