"""Buttons: every click acts, or the clicker alone is told why not."""

import shlex

from bot.core import approvals, running
from bot.core.arrival import has_half_character
from bot.core.asking import ask, end_before_running
from bot.core.binding import SHOWN_HEX
from bot.core.deadlines import expire
from bot.core.events import ButtonPressed, Verb
from bot.core.limits import DOUBLE_CLICK_S, INPUT_BYTES
from bot.core.policy.approvers import is_lead_or_admin
from bot.core.policy.text import visible
from bot.core.replies import ReplyKind
from bot.core.snapshot import Snapshot
from bot.core.state import Origin, Request, Status
from bot.core.turn import Turn
from bot.core.views import texts

MAY_RUN_AGAIN = frozenset({Status.ENDED, Status.INTERRUPTED, Status.CANCELLED, Status.REFUSED})
MAY_ASK_AGAIN = frozenset({Status.EXPIRED, Status.REVOKED})


def pressed(turn: Turn, event: ButtonPressed) -> None:
    request = turn.state.request(event.request)
    if request is None:
        turn.reply(ReplyKind.UNKNOWN, "This button belongs to nothing that is known here.")
        return
    if event.binding != request.binding[:SHOWN_HEX]:
        turn.reply(ReplyKind.GONE, "The code changed after this card was posted.")
        return
    if any(has_half_character(given) for given in (event.reason, event.stdin, event.args) if given):
        turn.reply(ReplyKind.INVALID, "What was filled in holds half of a surrogate pair, which is no character.")
        return
    request = expire(turn, request)
    match event.verb:
        case Verb.APPROVE | Verb.REMEMBER | Verb.DENY:
            _decide(turn, request, event)
        case Verb.CANCEL:
            _cancel(turn, request, event)
        case Verb.STOP:
            _stop(turn, request, event)
        case Verb.RUN_AGAIN | Verb.RUN_INPUT:
            _again(turn, request, event, MAY_RUN_AGAIN)
        case Verb.ASK_AGAIN:
            _again(turn, request, event, MAY_ASK_AGAIN)
        case Verb.FULL_OUTPUT:
            _full_output(turn, request)
        case Verb.SHOW_CODE:
            turn.reply(ReplyKind.DONE, _whole(request.snapshot))


def _decide(turn: Turn, request: Request, event: ButtonPressed) -> None:
    demand = request.decision.demand
    if request.status is not Status.WAITING or demand is None:
        turn.reply(ReplyKind.GONE, texts.gone(request, turn.at))
        return
    match event.verb:
        case Verb.APPROVE:
            approvals.approve(turn, request, demand, event)
        case Verb.REMEMBER:
            approvals.approve_and_remember(turn, request, demand, event)
        case _:
            approvals.deny(turn, request, demand, event)


def _cancel(turn: Turn, request: Request, event: ButtonPressed) -> None:
    if request.status not in {Status.WAITING, Status.APPROVED}:
        turn.reply(ReplyKind.GONE, texts.gone(request, turn.at))
    elif event.actor.id != request.requester and not event.actor.admin:
        turn.reply(ReplyKind.FORBIDDEN, f"Only {request.requester_name}, who asked, or an admin can cancel this.")
    else:
        end_before_running(turn, request, Status.CANCELLED, by=event.actor.name)
        turn.reply(ReplyKind.DONE)


def _stop(turn: Turn, request: Request, event: ButtonPressed) -> None:
    if not request.status.is_live or request.status is Status.WAITING:
        turn.reply(ReplyKind.GONE, texts.gone(request, turn.at))
    elif event.actor.id != request.requester and not is_lead_or_admin(event.actor, turn.site.policy):
        turn.reply(ReplyKind.FORBIDDEN, f"Only {request.requester_name}, who asked, leads and admins can stop this.")
    elif request.status is Status.RUNNING:
        running.stop(turn, request, event.actor.name)
        turn.reply(ReplyKind.DONE)
    else:
        end_before_running(turn, request, Status.CANCELLED, by=event.actor.name)
        turn.reply(ReplyKind.DONE)


def _again(turn: Turn, request: Request, event: ButtonPressed, may: frozenset[Status]) -> None:
    """The same snapshot as a new request of whoever clicked, with an answer of its own."""
    if request.status not in may:
        turn.reply(ReplyKind.GONE, texts.gone(request, turn.at))
        return
    snapshot = request.snapshot
    if event.verb is Verb.RUN_INPUT:
        if len((event.stdin or "").encode()) > INPUT_BYTES:
            turn.reply(ReplyKind.INVALID, f"Input is at most {INPUT_BYTES // 1024} KB; attach more as a file.")
            return
        given = _with_input(snapshot, event)
        if given is None:
            turn.reply(ReplyKind.INVALID, "The arguments have an open quote; close it.")
            return
        snapshot = given
    if _has_just_asked(turn, request.source, event.actor.id, snapshot):
        turn.reply(ReplyKind.DONE, "You asked for this a moment ago; its answer is below.")
        return
    ask(
        turn,
        snapshot,
        source=request.source,
        requester=event.actor.id,
        requester_name=event.actor.name,
        thread=request.thread,
        origin=Origin.BUTTON,
        hints=request.hints,
    )
    turn.reply(ReplyKind.DONE)


def _has_just_asked(turn: Turn, source: str, requester: str, snapshot: Snapshot) -> bool:
    """Whether this is the second half of a double click."""
    return any(
        r.status.is_live
        and r.origin is Origin.BUTTON
        and (r.source, r.requester) == (source, requester)
        and r.snapshot == snapshot
        and abs(turn.at - r.created_at) < DOUBLE_CLICK_S
        for r in turn.state.requests
    )


def _with_input(snapshot: Snapshot, event: ButtonPressed) -> Snapshot | None:
    """Standard input and arguments go to the first block; None where the arguments cannot be split."""
    try:
        args = tuple(shlex.split(event.args or ""))
    except ValueError:
        return None
    first = snapshot.blocks[0].model_copy(update={"stdin": event.stdin, "args": args})
    return snapshot.model_copy(update={"blocks": (first, *snapshot.blocks[1:])})


def _full_output(turn: Turn, request: Request) -> None:
    if request.status.is_live:
        turn.reply(ReplyKind.GONE, texts.gone(request, turn.at))
        return
    files = [block.full for block in request.blocks if block.full is not None]
    turn.reply(ReplyKind.DONE, "\n".join(block.text for block in request.blocks if block.full is None), files=files)


def _whole(snapshot: Snapshot) -> str:
    """All that would run, with every character to be seen."""
    texts_of = []
    for block in snapshot.blocks:
        texts_of.append(visible(block.code))
        if block.args:
            texts_of.append("Arguments: " + visible(shlex.join(block.args)))
        if block.stdin is not None:
            texts_of.append("Input:\n" + visible(block.stdin))
    return "\n".join(texts_of)
