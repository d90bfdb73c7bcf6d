"""What is going on in a channel: the one truth, stepped in the channel's mailbox and saved after every step.

A request is one message's blocks on their way from being asked for to their end. Its life (POLICY 3.5):

    waiting  -> approved | denied | expired | superseded | cancelled | revoked
    approved -> running  | expired | revoked | cancelled
    running  -> ended (with an outcome) | interrupted
    refused is where policy or a limit ended it before anything else.

A request that the policy allows begins as approved. `approved` covers being in the queue: nothing has run.
"""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from bot.core.model import Model
from bot.core.policy.decision import Decision, Effect
from bot.core.policy.rules import Rule
from bot.core.reports import BlockReport, FileRef
from bot.core.snapshot import Snapshot
from executor.types import Outcome


class Status(StrEnum):
    WAITING = "waiting"
    APPROVED = "approved"
    RUNNING = "running"
    ENDED = "ended"
    DENIED = "denied"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    CANCELLED = "cancelled"
    REVOKED = "revoked"
    REFUSED = "refused"
    INTERRUPTED = "interrupted"

    @property
    def is_live(self) -> bool:
        return self in LIVE


LIVE = frozenset({Status.WAITING, Status.APPROVED, Status.RUNNING})


class Verdict(StrEnum):
    APPROVE = "approve"
    DENY = "deny"


class Vote(Model):
    """One person's word, given at `at` (epoch seconds) under the policy `revision`.

    `groups` are the approver groups of the policy that the voter was in at that moment.
    """

    voter: str
    name: str
    verdict: Verdict
    groups: tuple[str, ...]
    at: float
    revision: str
    reason: str | None = None


class Answer(Model):
    """The bot's one message about a request, edited in place; `message` is its platform id once it exists.

    `key` is the idempotency key it is posted with. `reply_to` is the message that it answers.
    """

    key: str
    reply_to: str
    thread: str | None = None
    message: str | None = None


class Origin(StrEnum):
    """What made a request: its message, or a button on an earlier answer (Run again, Ask again, Run with input)."""

    MESSAGE = "message"
    BUTTON = "button"


class Request(Model):
    """One request. `source` is the message the code came from; `binding` is what approval is given for (64 hex).

    Times are epoch seconds. `expires_at` bounds waiting, `start_by` being approved. `starting` is whether a
    `StartExecution` for it is on its way. `show_at` is when the answer is to be posted if it has not ended by then.
    `held` is our own machinery's sentence while it cannot start, `reference` finds it in the log. `ended_by` names
    the person who ended it, `reason` says why in one sentence. `hints` are about blocks of the message that do not
    run.
    """

    id: str
    source: str
    thread: str | None = None
    origin: Origin = Origin.MESSAGE
    requester: str
    requester_name: str
    snapshot: Snapshot
    hints: tuple[str, ...] = ()
    decision: Decision
    binding: str = Field(pattern=r"^[0-9a-f]{64}$")
    status: Status
    answer: Answer | None
    created_at: float
    expires_at: float | None = None
    decided_at: float | None = None
    start_by: float | None = None
    started_at: float | None = None
    ended_at: float | None = None
    show_at: float | None = None
    votes: tuple[Vote, ...] = ()
    starting: bool = False
    attempts: int = 0
    failed_starts: int = 0
    retry_at: float | None = None
    held: str | None = None
    reference: str | None = None
    execution: str | None = None
    stopping: bool = False
    ended_by: str | None = None
    reason: str | None = None
    outcome: Outcome | None = None
    blocks: tuple[BlockReport, ...] = ()
    files: tuple[FileRef, ...] = ()
    files_left: int = 0

    @property
    def by_click(self) -> bool:
        """Whether people approved it, as opposed to a rule."""
        return self.decision.effect is not Effect.ALLOW and any(vote.verdict is Verdict.APPROVE for vote in self.votes)


class Notice(Model):
    """A sentence of the bot beside its answers: a hint about a fence, word that what was approved has run.

    `mention` names whoever has to take note of it.
    """

    key: str
    source: str
    text: str
    thread: str | None = None
    message: str | None = None
    mention: tuple[str, ...] = ()
    created_at: float


class ChannelState(Model):
    """All of a channel. `requests` are in order of arrival; ended ones leave it after a while and live in the table.

    `next_number` numbers requests and notices, so that ids need no randomness. `rules` are the remembered ones;
    `uses` counts, by id, what a rule that may be used only so often has allowed here.
    """

    schema_version: Literal[1] = 1
    channel: str
    next_number: int = 1
    requests: tuple[Request, ...] = ()
    notices: tuple[Notice, ...] = ()
    rules: tuple[Rule, ...] = ()
    uses: dict[str, int] = Field(default_factory=dict)

    def request(self, request_id: str) -> Request | None:
        return next((r for r in self.requests if r.id == request_id), None)

    def from_message(self, message: str) -> tuple[Request, ...]:
        """Requests whose code came from this message, oldest first."""
        return tuple(r for r in self.requests if r.source == message)
