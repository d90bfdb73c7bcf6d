"""What leaves the state: the table keeps it, and an event that names it brings it back for its step."""

from collections.abc import Iterable

from bot.core.limits import EDIT_WINDOW_S, RECENT_REQUESTS
from bot.core.state import ChannelState, Request


def recall(state: ChannelState, requests: Iterable[Request]) -> ChannelState:
    """Put archived requests back, in order of arrival."""
    known = {request.id for request in state.requests}
    missing = [request for request in requests if request.id not in known]
    if not missing:
        return state
    merged = sorted((*state.requests, *missing), key=lambda request: (request.created_at, request.id))
    return state.model_copy(update={"requests": tuple(merged)})


def forget(state: ChannelState, at: float) -> ChannelState:
    """Drop ended requests that no edit can reach any more, and the oldest where there are many; notices likewise.

    What still has to be posted stays until it is.
    """
    ended = [r for r in state.requests if not _is_kept(r)]
    fresh = [r for r in ended if at - _end(r) <= EDIT_WINDOW_S]
    keep = {r.id for r in sorted(fresh, key=_end)[-RECENT_REQUESTS:]}
    requests = tuple(r for r in state.requests if _is_kept(r) or r.id in keep)
    notices = tuple(n for n in state.notices if n.message is None or at - n.created_at <= EDIT_WINDOW_S)
    if len(requests) == len(state.requests) and len(notices) == len(state.notices):
        return state
    return state.model_copy(update={"requests": requests, "notices": notices})


def _is_kept(request: Request) -> bool:
    return request.status.is_live or (request.answer is not None and request.answer.message is None)


def _end(request: Request) -> float:
    return request.ended_at or request.created_at
