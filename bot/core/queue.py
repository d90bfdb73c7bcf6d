"""Who runs next in a channel: first come, first served, one at a time for each requester, `slots` at once.

The queue is not stored: it is the approved requests in the order in which they were allowed.
"""

from bot.core.effects import StartExecution
from bot.core.state import ChannelState, Request, Status
from bot.core.turn import Turn


def _order(request: Request) -> tuple[float, float, str]:
    return (request.decided_at or request.created_at, request.created_at, request.id)


def queued(state: ChannelState) -> tuple[Request, ...]:
    """Approved requests that nothing has been started for, next one first."""
    waiting = [r for r in state.requests if r.status is Status.APPROVED and not r.starting]
    return tuple(sorted(waiting, key=_order))


def running_or_starting(state: ChannelState) -> tuple[Request, ...]:
    return tuple(r for r in state.requests if r.status is Status.RUNNING or r.starting)


def place_in_line(state: ChannelState, request: Request) -> int:
    """From 1; 0 where the request is not in the queue."""
    return next((n for n, r in enumerate(queued(state), start=1) if r.id == request.id), 0)


def schedule(turn: Turn) -> None:
    """Start what may start now. Called once at the end of every step, so no handler has to think of it."""
    before = queued(turn.state)
    if turn.site.halted is None:
        _start(turn, before)
    after = queued(turn.state)
    for request in after:
        _tell_place(turn, request, moved=after != before)


def _start(turn: Turn, candidates: tuple[Request, ...]) -> None:
    slots = turn.site.config.limits.slots
    for request in candidates:
        active = running_or_starting(turn.state)
        if len(active) >= slots:
            return
        if any(r.requester == request.requester for r in active):
            continue
        if request.retry_at is not None and request.retry_at > turn.at:
            continue
        turn.put(request, starting=True, retry_at=None)
        turn.owe(StartExecution(request=request.id))


def _tell_place(turn: Turn, request: Request, *, moved: bool) -> None:
    """One that has to wait for others is told at once, and again when the line moves."""
    if request.show_at is not None:
        request = turn.put(request, show_at=None)
        turn.show(request)
    elif moved and request.held is None:
        turn.show(request)
