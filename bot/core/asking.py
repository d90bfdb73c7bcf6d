"""How a request comes to be: snapshot, decision, binding, and where that puts it."""

from collections.abc import Collection

from bot.core.binding import binding
from bot.core.limits import QUIET_S, START_WITHIN_S, WAITING_PER_USER
from bot.core.policy.decide import Context, decide
from bot.core.policy.decision import Decision, Effect
from bot.core.queue import queued, running_or_starting
from bot.core.snapshot import Snapshot
from bot.core.state import Answer, Origin, Request, Status
from bot.core.turn import Turn
from executor.types import Outcome


def judge(turn: Turn, snapshot: Snapshot, counted: Collection[str] = ()) -> Decision:
    """What the channel's policy says of this code now, remembered rules included. The use of `counted` rules for this
    very request has been counted already, and is not held against it.
    """
    context = Context(
        now=turn.at,
        channel=turn.state.channel,
        limits=turn.site.config.limits,
        remembered=turn.state.rules,
        uses={rule: count - (rule in counted) for rule, count in turn.state.uses.items()},
    )
    return decide(snapshot, turn.site.policy, context)


def bind(turn: Turn, snapshot: Snapshot, requester: str, decision: Decision) -> str:
    """What approval is given for, as 64 hex."""
    return binding(snapshot, requester, turn.state.channel, turn.site.image, decision)


def ask(
    turn: Turn,
    snapshot: Snapshot,
    *,
    source: str,
    requester: str,
    requester_name: str,
    thread: str | None,
    origin: Origin = Origin.MESSAGE,
    answer: Answer | None = None,
    hints: tuple[str, ...] = (),
) -> Request:
    """Make a request of this snapshot; without `answer` it gets one of its own."""
    decision = judge(turn, snapshot)
    request_id = turn.new_id("r")
    request = Request(
        id=request_id,
        source=source,
        thread=thread,
        origin=origin,
        requester=requester,
        requester_name=requester_name,
        snapshot=snapshot,
        hints=hints,
        decision=decision,
        binding=bind(turn, snapshot, requester, decision),
        status=Status.WAITING,
        answer=answer or Answer(key=f"a-{request_id}", reply_to=source, thread=thread),
        created_at=turn.at,
    )
    return place(turn, request)


def place(turn: Turn, request: Request) -> Request:
    """Put a request where its decision says: refused, waiting for people, or allowed to run."""
    match request.decision.effect:
        case Effect.DENY:
            return refuse(turn, request, "; ".join(request.decision.reasons))
        case Effect.ASK:
            return _wait(turn, request)
        case Effect.ALLOW:
            return allow(turn, request)


def _wait(turn: Turn, request: Request) -> Request:
    waiting = sum(
        r.requester == request.requester and r.status is Status.WAITING and r.id != request.id
        for r in turn.state.requests
    )
    if waiting >= WAITING_PER_USER:
        return refuse(turn, request, f"you have {waiting} requests waiting for approval already; cancel one of them")
    demand = request.decision.demand
    within = demand.within_s if demand else turn.site.policy.default_approve.within_s
    request = turn.put(request, status=Status.WAITING, expires_at=turn.at + within, show_at=None)
    turn.show(request)
    return request


def allow(turn: Turn, request: Request) -> Request:
    """Let it into the queue, unless the queue or its requester's share of it is full."""
    limits = turn.site.config.limits
    others = [r for r in queued(turn.state) if r.id != request.id]
    active = running_or_starting(turn.state)
    mine = sum(r.requester == request.requester for r in (*others, *active))
    if mine >= limits.per_user:
        return refuse(turn, request, f"you have {mine} executions running or queued, the most that one person may have")
    if len(active) + len(others) >= limits.slots + limits.queue:
        return refuse(turn, request, f"the queue of this channel is full ({len(others)} are waiting)")
    request = turn.put(
        request,
        status=Status.APPROVED,
        decided_at=turn.at,
        start_by=turn.at + START_WITHIN_S,
        show_at=turn.at + QUIET_S,
    )
    if request.votes:
        turn.show(request)
    count_uses(turn, request.decision)
    return request


def count_uses(turn: Turn, decision: Decision, counted: Collection[str] = ()) -> None:
    """Some rules may be used only so often: one use each of those that allow this, but for the `counted` ones."""
    bounded = {rule.id for rule in (*turn.site.policy.rule, *turn.state.rules) if rule.max_uses is not None}
    used = {
        rule: turn.state.uses.get(rule, 0) + 1 for rule in decision.allowed_by if rule in bounded.difference(counted)
    }
    if used:
        turn.state = turn.state.model_copy(update={"uses": {**turn.state.uses, **used}})


def refuse(turn: Turn, request: Request, reason: str) -> Request:
    """End a request before anything of it ran, by policy or by a limit."""
    request = turn.put(
        request, status=Status.REFUSED, outcome=Outcome.REFUSED, reason=reason, ended_at=turn.at, show_at=None
    )
    turn.show(request)
    return request


def end_before_running(
    turn: Turn, request: Request, status: Status, *, by: str | None = None, reason: str | None = None
) -> Request:
    """A waiting or approved request ends without having run."""
    outcome = {Status.DENIED: Outcome.DENIED, Status.CANCELLED: Outcome.CANCELLED}.get(status)
    request = turn.put(
        request,
        status=status,
        outcome=outcome,
        ended_at=turn.at,
        ended_by=by,
        reason=reason,
        starting=False,
        held=None,
        retry_at=None,
        show_at=None,
    )
    turn.effects.pop(f"start:{request.id}", None)
    turn.show(request)
    return request
