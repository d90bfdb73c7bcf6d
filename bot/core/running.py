"""From approved to ended: the sandbox is ready, cannot be had, has answered, or is gone.

An execution is moved to running by the step that answers `ExecutionReady`, which is saved before the sandbox gets the
code. So a crash before it leaves an approved request, which starts again; a crash after it leaves a running one,
which is reported as interrupted. There is no moment from which it could run twice.
"""

from bot.core.approvals import Recheck, recheck
from bot.core.asking import bind, end_before_running
from bot.core.effects import StopExecution
from bot.core.events import ExecutionEnded, ExecutionHeld, ExecutionLost, ExecutionReady
from bot.core.limits import QUIET_S, RETRY_START_MOST_S, RETRY_START_S, TELL_AFTER_S
from bot.core.state import Notice, Request, Status
from bot.core.turn import Turn
from executor.types import Outcome


def ready(turn: Turn, event: ExecutionReady) -> None:
    """The sandbox is there: start, unless something changed since it was allowed."""
    request = turn.state.request(event.request)
    if request is None or request.status is not Status.APPROVED or not request.starting:
        return
    if turn.site.halted is not None:
        turn.put(request, starting=False)
        return
    if request.start_by is not None and turn.at >= request.start_by:
        end_before_running(turn, request, Status.EXPIRED)
        return
    if request.binding != bind(turn, request.snapshot, request.requester, request.decision):
        end_before_running(turn, request, Status.REVOKED, reason="the sandbox it was asked for has changed")
        return
    match recheck(turn, request, event.voters):
        case Recheck.CHANGED:
            return
        case Recheck.UNKNOWN:
            _hold(turn, request, "Could not check whether its approvers may still approve. Nothing ran.", None)
        case Recheck.STANDS:
            turn.put(
                turn.state.request(request.id) or request,
                status=Status.RUNNING,
                starting=False,
                execution=event.execution,
                attempts=request.attempts + 1,
                started_at=turn.at,
                held=None,
                reference=None,
                show_at=turn.at + QUIET_S,
            )


def held(turn: Turn, event: ExecutionHeld) -> None:
    """Our machinery could not start it: say so, and try again until its time to start is over."""
    request = turn.state.request(event.request)
    if request is not None and request.status is Status.APPROVED and request.starting:
        _hold(turn, request, event.text, event.reference)


def _hold(turn: Turn, request: Request, text: str, reference: str | None) -> None:
    wait = min(RETRY_START_S * 2 ** min(request.failed_starts, 10), RETRY_START_MOST_S)
    request = turn.put(
        request,
        starting=False,
        failed_starts=request.failed_starts + 1,
        held=text,
        reference=reference,
        retry_at=turn.at + wait,
        show_at=None,
    )
    turn.show(request)


def ended(turn: Turn, event: ExecutionEnded) -> None:
    request = _running(turn, event.request, event.execution)
    if request is None:
        return
    outcome = next((b.outcome for b in event.blocks if b.outcome is not Outcome.COMPLETED), Outcome.COMPLETED)
    request = turn.put(
        request,
        status=Status.ENDED,
        outcome=outcome,
        blocks=event.blocks,
        files=event.files,
        files_left=event.files_left,
        ended_at=turn.at,
        show_at=None,
    )
    turn.show(request)
    _tell_requester(turn, request)


def lost(turn: Turn, event: ExecutionLost) -> None:
    request = _running(turn, event.request, event.execution)
    if request is None:
        return
    request = turn.put(
        request,
        status=Status.ENDED,
        outcome=Outcome.CANCELLED if request.stopping else Outcome.LOST,
        held=event.text,
        reference=event.reference,
        ended_at=turn.at,
        show_at=None,
    )
    turn.show(request)


def stop(turn: Turn, request: Request, by: str, reason: str | None = None) -> Request:
    """Ask the sandbox to end a running execution; its end still comes as an event."""
    execution = request.execution
    if execution is None or request.stopping:
        return request
    request = turn.put(request, stopping=True, ended_by=by, reason=reason)
    turn.owe(StopExecution(request=request.id, execution=execution))
    return request


def interrupt(turn: Turn, request: Request) -> None:
    """After a restart nobody knows how a running execution went on; it is not run again by itself."""
    request = turn.put(
        request,
        status=Status.INTERRUPTED,
        outcome=Outcome.INTERRUPTED,
        ended_at=turn.at,
        show_at=None,
    )
    turn.show(request)


def _running(turn: Turn, request_id: str, execution: str) -> Request | None:
    request = turn.state.request(request_id)
    if request is None or request.status is not Status.RUNNING or request.execution != execution:
        return None
    return request


def _tell_requester(turn: Turn, request: Request) -> None:
    """Whoever asked has long looked away when an approval took its time: one word to them, once."""
    if request.answer is None or not request.by_click or request.decided_at is None:
        return
    if request.decided_at - request.created_at <= TELL_AFTER_S:
        return
    notice = Notice(
        key=f"t-{request.id}",
        source=request.source,
        thread=request.answer.thread,
        text=f"{request.requester_name}: what you asked for was approved and has run.",
        mention=(request.requester,),
        created_at=turn.at,
    )
    turn.show_notice(notice)
