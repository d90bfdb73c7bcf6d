"""Time: what is due when, derived from the state, so that nothing has to be armed, stored or cleared."""

from collections.abc import Iterator

from bot.core.asking import end_before_running
from bot.core.state import ChannelState, Request, Status
from bot.core.turn import Turn


def next_deadline(state: ChannelState) -> float | None:
    """The earliest time at which a `DeadlinePassed` would change something, in epoch seconds."""
    return min((at for request in state.requests for at in _deadlines(request)), default=None)


def _deadlines(request: Request) -> Iterator[float]:
    if not request.status.is_live:
        return
    if request.status is Status.WAITING and request.expires_at is not None:
        yield request.expires_at
    if request.status is Status.APPROVED:
        if request.start_by is not None:
            yield request.start_by
        if request.retry_at is not None:
            yield request.retry_at
    if request.show_at is not None:
        yield request.show_at


def passed(turn: Turn) -> None:
    """Do what is due. The queue is looked at after every step, so a retry that is due needs nothing here but its
    time.
    """
    for request in turn.state.requests:
        if not request.status.is_live:
            continue
        current = expire(turn, request)
        if current.status is Status.APPROVED and current.retry_at is not None and current.retry_at <= turn.at:
            current = turn.put(current, retry_at=None)
        if current.status.is_live and current.show_at is not None and current.show_at <= turn.at:
            current = turn.put(current, show_at=None)
            turn.show(current)


def expire(turn: Turn, request: Request) -> Request:
    """End a request whose time to be decided, or to start once allowed, is over; the request as it is now."""
    late = (request.status is Status.WAITING and request.expires_at is not None and turn.at >= request.expires_at) or (
        request.status is Status.APPROVED and request.start_by is not None and turn.at >= request.start_by
    )
    return end_before_running(turn, request, Status.EXPIRED) if late else request
