"""What an operator sees of all channels at once: values, made by `bot.core.views.overview`.

Times are epoch seconds. `message` is the bot's answer, None until it is posted; `source` is what it answers.
`binding` is the start of what approval is given for, as cards show it (8 hex).
"""

from dataclasses import dataclass
from typing import Literal

from bot.core.events import Verb
from bot.core.keys import ChannelKey
from bot.core.policy.decision import Effect
from bot.core.state import Verdict

ExecutionState = Literal["running", "stopping", "starting", "queued", "held"]


@dataclass(frozen=True, slots=True)
class Said:
    """One person's word on a request."""

    name: str
    verdict: Verdict
    at: float
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A request that waits for people. `needs` is all that it takes, `missing` what of it is not there yet, both in
    words; `groups` are those that have a say, `may_decide` whether the viewer has.
    """

    channel: ChannelKey
    request: str
    source: str
    message: str | None
    requester: str
    requester_name: str
    what: str
    binding: str
    reasons: tuple[str, ...]
    needs: str
    missing: str
    groups: tuple[str, ...]
    votes: tuple[Said, ...]
    asked_at: float
    expires_at: float | None
    may_decide: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveExecution:
    """One that runs or will. `position` is its place in its channel's line, from 1, or 0; `since` is when it came into
    this state; `held` says why it cannot start. `ends_by` is the button of its message that ends it, None where the
    viewer may not or there is none.
    """

    channel: ChannelKey
    request: str
    source: str
    message: str | None
    requester: str
    requester_name: str
    what: str
    state: ExecutionState
    position: int
    since: float
    held: str | None
    ends_by: Verb | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryLine:
    """A request that has ended, one way or another. `decided` says in words what let it run or kept it from running;
    `outcome` is the word that programs read; `took_s` is the time that its blocks ran.
    """

    channel: ChannelKey
    request: str
    source: str
    message: str | None
    requester: str
    requester_name: str
    what: str
    binding: str
    rule: str | None
    decided: str
    outcome: str
    asked_at: float
    ended_at: float | None
    took_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxLine:
    """A container. `channel` is None where it waits for one, or was taken over and not been asked for yet;
    `memory_bytes` is None where the engine has not told.
    """

    channel: ChannelKey | None
    name: str
    state: str
    age_s: float
    executions: int
    memory_bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleUse:
    """How often a rule was what decided, in some span of time; `rule` is None for the default, `ran` counts the
    requests that were started.
    """

    channel: ChannelKey
    rule: str | None
    effect: Effect
    times: int
    ran: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleLine:
    """One rule in words, with what it did last week. `id` is None for the default; `in_force` is whether it can decide
    anything now.
    """

    id: str | None
    effect: Effect
    text: str
    why: str
    remembered: bool
    in_force: bool
    times: int
    ran: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelPolicy:
    """`revision` is the start of the policy's name (8 hex); `approvers` are its groups."""

    channel: ChannelKey
    name: str
    revision: str
    rules: tuple[RuleLine, ...]
    approvers: tuple[str, ...]
