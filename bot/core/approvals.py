"""Votes on a waiting request, and whether an approval still stands when the run begins.

A click is checked against the request as it is now: still waiting, not expired, the bytes that the button was drawn
for, a person who was looked up for this very click. With the last vote that is needed the policy is asked again, so a
rule that became stricter in between wins over the click.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import Enum, auto

from bot.core.asking import allow, bind, count_uses, end_before_running, judge, place, refuse
from bot.core.events import ButtonPressed
from bot.core.keys import Actor
from bot.core.limits import REASON_CHARS
from bot.core.policy.approvers import groups_of, is_lead_or_admin
from bot.core.policy.decision import Decision, Demand, Effect
from bot.core.policy.remember import proposals
from bot.core.quorum import entitled, is_denied, is_met, missing, standing
from bot.core.replies import Choice, ReplyKind
from bot.core.state import Request, Status, Verdict, Vote
from bot.core.turn import Turn
from bot.core.views import texts
from bot.core.views.excerpt import shown_whole


def approve(turn: Turn, request: Request, demand: Demand, event: ButtonPressed) -> None:
    if not _may_vote(turn, request, demand, event.actor):
        return
    if demand.not_requester and event.actor.id == request.requester:
        turn.reply(ReplyKind.FORBIDDEN, texts.not_yourself(entitled(demand)))
        return
    if not shown_whole(request.snapshot) and not event.confirm:
        turn.reply(ReplyKind.CONFIRM, texts.confirm_unseen(request))
        return
    if demand.reason and not (event.reason or "").strip():
        turn.reply(ReplyKind.REASON, "This needs a reason: why may it run?")
        return
    request = _vote(turn, request, event, Verdict.APPROVE)
    if is_met(demand, request.votes):
        _decide(turn, request)
    else:
        turn.show(request)
        turn.reply(ReplyKind.DONE, texts.counted(missing(demand, request.votes)))


def approve_and_remember(turn: Turn, request: Request, demand: Demand, event: ButtonPressed) -> None:
    """Approve, and let the same be allowed by a rule from now on; the rule is one of the offered choices."""
    if not _may_vote(turn, request, demand, event.actor):
        return
    if not is_lead_or_admin(event.actor, turn.site.policy):
        turn.reply(
            ReplyKind.FORBIDDEN, "Only leads and admins can let code be remembered; you can approve it for once."
        )
        return
    if event.actor.id == request.requester:
        turn.reply(ReplyKind.FORBIDDEN, "You asked for it yourself, so someone else has to let it be remembered.")
        return
    offers = proposals(request.snapshot, request.decision, turn.state.channel, turn.site.channel_name, turn.at)
    if not offers:
        turn.reply(ReplyKind.INVALID, "This cannot be remembered; approve it for this once instead.")
        return
    if event.choice is None:
        turn.reply(ReplyKind.CHOOSE, choices=[Choice(id=offer.id, text=offer.text) for offer in offers])
        return
    offer = next((offer for offer in offers if offer.id == event.choice), None)
    if offer is None:
        turn.reply(ReplyKind.INVALID, f"There is no choice {event.choice!r} here.")
        return
    approve(turn, request, demand, event)
    decided = turn.state.request(request.id)
    if decided is not None and decided.status is Status.WAITING and turn.replies[-1].kind is ReplyKind.DONE:
        later = " It is not remembered yet: whoever gives the last approval can do that."
        turn.replies[-1] = replace(turn.replies[-1], text=turn.replies[-1].text + later)
    if decided is None or decided.status is not Status.APPROVED:
        return
    rules = tuple(
        rule.model_copy(update={"added_by": event.actor.id, "from_request": request.id}) for rule in offer.rules
    )
    known = {rule.id for rule in rules}
    kept = tuple(rule for rule in turn.state.rules if rule.id not in known)
    turn.state = turn.state.model_copy(update={"rules": (*kept, *rules)})


def deny(turn: Turn, request: Request, demand: Demand, event: ButtonPressed) -> None:
    if not _may_vote(turn, request, demand, event.actor):
        return
    if demand.reason and not (event.reason or "").strip():
        turn.reply(ReplyKind.REASON, "This needs a reason: why may it not run?")
        return
    request = _vote(turn, request, event, Verdict.DENY)
    if is_denied(demand, request.votes):
        end_before_running(turn, request, Status.DENIED, by=event.actor.name, reason=_reason(event))
    else:
        turn.show(request)
    turn.reply(ReplyKind.DONE)


def _may_vote(turn: Turn, request: Request, demand: Demand, actor: Actor) -> bool:
    """Whether this person has a say in it, as looked up for this click; says why not otherwise."""
    if actor.is_bot:
        turn.reply(ReplyKind.FORBIDDEN, "A bot cannot decide this.")
        return False
    if actor.standing is None:
        turn.reply(ReplyKind.FORBIDDEN, "Could not check just now whether you may decide this. Try again in a minute.")
        return False
    if entitled(demand).isdisjoint(groups_of(actor, turn.site.policy)):
        own = actor.id == request.requester and demand.not_requester
        say = texts.not_yourself if own else texts.not_entitled
        turn.reply(ReplyKind.FORBIDDEN, say(entitled(demand)))
        return False
    return True


def _vote(turn: Turn, request: Request, event: ButtonPressed, verdict: Verdict) -> Request:
    """Store the vote in place of an earlier one of the same person."""
    vote = Vote(
        voter=event.actor.id,
        name=event.actor.name,
        verdict=verdict,
        groups=tuple(sorted(groups_of(event.actor, turn.site.policy))),
        at=turn.at,
        revision=request.decision.revision,
        reason=_reason(event),
    )
    others = tuple(v for v in request.votes if v.voter != vote.voter)
    return turn.put(request, votes=(*others, vote))


def _reason(event: ButtonPressed) -> str | None:
    return (event.reason or "").strip()[:REASON_CHARS] or None


def _decide(turn: Turn, request: Request) -> None:
    """The quorum is there: ask the policy once more, then let it into the queue."""
    fresh = judge(turn, request.snapshot)
    request = _with_standing_votes(turn, request, fresh)
    if fresh.effect is Effect.DENY:
        refuse(turn, request, "; ".join(fresh.reasons))
        turn.reply(ReplyKind.GONE, "The policy changed since this was asked and denies it now.")
    elif _needs_more(fresh, request.votes):
        _ask_anew(turn, request, fresh)
        turn.reply(ReplyKind.DONE, "The policy changed since this was asked and needs more approvals now.")
    else:
        request = allow(turn, request)
        if request.status is Status.APPROVED:
            turn.reply(ReplyKind.DONE)
        else:
            turn.reply(ReplyKind.GONE, f"Not run: {request.reason}.")


def _with_standing_votes(turn: Turn, request: Request, fresh: Decision) -> Request:
    """Let go of votes that the policy as it is now would not have taken."""
    if fresh.demand is None:
        return request
    return turn.put(request, votes=standing(fresh.demand, request.votes, request.requester))


def _needs_more(decision: Decision, votes: Iterable[Vote]) -> bool:
    return decision.effect is Effect.ASK and (decision.demand is None or not is_met(decision.demand, votes))


def _ask_anew(turn: Turn, request: Request, decision: Decision) -> None:
    """Back to waiting, under the policy as it is now; the votes that it takes still count."""
    fresh = turn.put(
        request,
        decision=decision,
        binding=bind(turn, request.snapshot, request.requester, decision),
        starting=False,
        start_by=None,
        held=None,
    )
    place(turn, fresh)


class Recheck(Enum):
    """What became of an approval when it was looked at again at the start of the run."""

    STANDS = auto()
    CHANGED = auto()
    UNKNOWN = auto()


def recheck(turn: Turn, request: Request, voters: Sequence[Actor]) -> Recheck:
    """Look at policy and voters once more; where that changes what becomes of the request, it is done here."""
    votes = request.votes
    if request.by_click:
        now = {actor.id: actor for actor in voters}
        groups: dict[str, frozenset[str]] = {}
        for vote in votes:
            actor = now.get(vote.voter)
            if vote.verdict is not Verdict.APPROVE:
                continue
            if actor is None or actor.standing is None:
                return Recheck.UNKNOWN
            groups[vote.voter] = groups_of(actor, turn.site.policy)
        votes = tuple(v.model_copy(update={"groups": tuple(sorted(groups.get(v.voter, ())))}) for v in votes)
        if request.decision.demand is not None and not is_met(request.decision.demand, votes):
            lost = [v.name for v in votes if v.verdict is Verdict.APPROVE and not v.groups]
            names = " and ".join(lost) or "an approver"
            end_before_running(turn, request, Status.REVOKED, reason=f"{names} may no longer approve this")
            return Recheck.CHANGED
    fresh = judge(turn, request.snapshot, request.decision.allowed_by)
    if fresh.effect is Effect.DENY:
        refuse(turn, turn.put(request, starting=False), "; ".join(fresh.reasons))
        return Recheck.CHANGED
    request = _with_standing_votes(turn, turn.put(request, votes=votes), fresh)
    if _needs_more(fresh, request.votes):
        _ask_anew(turn, request, fresh)
        return Recheck.CHANGED
    if fresh.effect is Effect.ALLOW and not request.by_click:
        _allow_anew(turn, request, fresh)
    return Recheck.STANDS


def _allow_anew(turn: Turn, request: Request, fresh: Decision) -> None:
    """What rules allow runs under the rules as they are now: nobody was shown more, and they may grant less."""
    count_uses(turn, fresh, request.decision.allowed_by)
    turn.put(request, decision=fresh, binding=bind(turn, request.snapshot, request.requester, fresh))
