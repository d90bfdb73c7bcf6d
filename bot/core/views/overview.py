"""From what is saved to what an operator sees of it. Pure; which channels are looked at is the caller's business."""

from collections.abc import Iterable

from bot.core.binding import SHOWN_HEX
from bot.core.events import Verb
from bot.core.keys import Actor, ChannelKey
from bot.core.overview import (
    ActiveExecution,
    Approval,
    ChannelPolicy,
    ExecutionState,
    HistoryLine,
    RuleLine,
    RuleUse,
    Said,
)
from bot.core.policy.approvers import groups_of, is_lead_or_admin
from bot.core.policy.decision import Effect
from bot.core.policy.rules import revision
from bot.core.queue import place_in_line
from bot.core.quorum import entitled, missing
from bot.core.site import Site
from bot.core.state import ChannelState, Request, Status
from bot.core.views import texts
from bot.core.views.answer import status_word
from bot.core.views.card import what
from bot.core.views.policy_text import Reader, RuleText, policy_text


def approval(channel: ChannelKey, request: Request, site: Site, viewer: Actor) -> Approval | None:
    """None for a request that waits for nobody."""
    demand = request.decision.demand
    if request.status is not Status.WAITING or demand is None:
        return None
    own = demand.not_requester and viewer.id == request.requester
    groups = entitled(demand)
    return Approval(
        channel=channel,
        request=request.id,
        source=request.source,
        message=_message(request),
        requester=request.requester,
        requester_name=request.requester_name,
        what=what(request, site),
        binding=request.binding[:SHOWN_HEX],
        reasons=request.decision.reasons,
        needs=texts.needed(demand.needs),
        missing=texts.still_missing(missing(demand, request.votes)),
        groups=tuple(sorted(groups)),
        votes=tuple(Said(v.name, v.verdict, v.at, v.reason) for v in request.votes),
        asked_at=request.created_at,
        expires_at=request.expires_at,
        may_decide=not own and not groups.isdisjoint(groups_of(viewer, site.policy)),
    )


def executions(state: ChannelState, channel: ChannelKey, site: Site, viewer: Actor) -> tuple[ActiveExecution, ...]:
    """What runs, then the line in its order. `state` needs the live requests only."""
    active = [r for r in state.requests if r.status in {Status.RUNNING, Status.APPROVED}]
    lines = [
        ActiveExecution(
            channel=channel,
            request=request.id,
            source=request.source,
            message=_message(request),
            requester=request.requester,
            requester_name=request.requester_name,
            what=what(request, site),
            state=_execution_state(request, site),
            position=place_in_line(state, request),
            since=request.started_at or request.decided_at or request.created_at,
            held=f"{site.halted} halted everything" if _is_halted(request, site) else request.held,
            ends_by=_ends_by(request, viewer, site),
        )
        for request in active
    ]
    return tuple(sorted(lines, key=lambda line: (line.position, line.since, line.request)))


def _ends_by(request: Request, viewer: Actor, site: Site) -> Verb | None:
    """As `bot.core.clicks` has it: leads may stop what runs; what does not run yet, only admins cancel for others."""
    own = request.requester == viewer.id
    if _message(request) is None or request.stopping:
        return None
    if request.status is Status.RUNNING:
        return Verb.STOP if own or is_lead_or_admin(viewer, site.policy) else None
    return Verb.CANCEL if own or viewer.admin else None


def _execution_state(request: Request, site: Site) -> ExecutionState:
    if request.status is Status.RUNNING:
        return "stopping" if request.stopping else "running"
    if request.held is not None or _is_halted(request, site):
        return "held"
    return "starting" if request.starting else "queued"


def _is_halted(request: Request, site: Site) -> bool:
    return request.status is Status.APPROVED and site.halted is not None


def history_line(channel: ChannelKey, request: Request, site: Site) -> HistoryLine:
    return HistoryLine(
        channel=channel,
        request=request.id,
        source=request.source,
        message=_message(request),
        requester=request.requester,
        requester_name=request.requester_name,
        what=what(request, site),
        binding=request.binding[:SHOWN_HEX],
        rule=request.decision.rule,
        decided=_decided(request),
        outcome=status_word(request),
        asked_at=request.created_at,
        ended_at=request.ended_at,
        took_s=sum(block.duration_ms for block in request.blocks) / 1000 if request.blocks else None,
    )


def _decided(request: Request) -> str:
    """`allowed by rule 'offline-code'`, `approved by lee and kim`, `denied by lee: use the staging host`."""
    because = f": {request.reason}" if request.reason else ""
    match request.status:
        case Status.DENIED:
            return f"denied by {request.ended_by}{because}"
        case Status.EXPIRED if request.decided_at is None:
            return "nobody decided in time"
        case Status.SUPERSEDED:
            return "edited while it waited"
        case Status.CANCELLED if request.decided_at is None:
            return f"withdrawn by {request.ended_by}"
        case Status.REVOKED:
            return f"approval withdrawn{because}"
        case Status.REFUSED:
            return f"refused{because}"
        case _ if request.by_click:
            return f"approved by {texts.approvers(request)}"
        case _:
            return f"allowed by rule {request.decision.rule!r}"


def channel_policy(
    channel: ChannelKey, site: Site, state: ChannelState, uses: Iterable[RuleUse], now: float
) -> ChannelPolicy:
    """`uses` are those of this channel, each rule and effect once; of `state` its requests are not needed."""
    counted = {(use.rule, use.effect): use for use in uses}
    rules = policy_text(site.policy, state.rules, Reader(str(channel), site.languages, now, state.uses))
    lines = [_rule_line(rule, counted.pop((rule.id, rule.effect), None)) for rule in rules]
    gone = sorted(counted.values(), key=lambda use: (use.rule or "", use.effect))
    lines[-1:-1] = [_rule_line(_gone(use), use) for use in gone]
    return ChannelPolicy(
        channel=channel,
        name=site.policy_name,
        revision=revision(site.policy)[:SHOWN_HEX],
        rules=tuple(lines),
        approvers=tuple(sorted(site.policy.approvers)),
    )


def _gone(use: RuleUse) -> RuleText:
    """What decided last week and is not there any more."""
    said = {Effect.ALLOW: "allowed", Effect.ASK: "asked", Effect.DENY: "refused"}[use.effect]
    if use.rule is None:
        return RuleText(None, use.effect, f"No rule held, and it was {said}.", in_force=False)
    return RuleText(use.rule, use.effect, "This rule is not in the policy any more.", in_force=False)


def _rule_line(rule: RuleText, use: RuleUse | None) -> RuleLine:
    return RuleLine(
        id=rule.id,
        effect=rule.effect,
        text=rule.text,
        why=rule.why,
        remembered=rule.remembered,
        in_force=rule.in_force,
        times=use.times if use else 0,
        ran=use.ran if use else 0,
    )


def _message(request: Request) -> str | None:
    return request.answer.message if request.answer else None
