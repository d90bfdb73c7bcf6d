"""After a start, and when an admin halts or resumes everything."""

from bot.core import running
from bot.core.events import BotStarted, HaltChanged
from bot.core.state import Status
from bot.core.turn import Turn


def started(turn: Turn, event: BotStarted) -> None:  # noqa: ARG001 - the event has nothing to say but that it happened
    """Nobody watches what was running; what was about to start is scheduled anew at the end of this step."""
    for request in turn.state.requests:
        if request.status is Status.RUNNING:
            running.interrupt(turn, request)
        elif request.status is Status.APPROVED and request.starting:
            turn.put(request, starting=False)


def halt_changed(turn: Turn, event: HaltChanged) -> None:
    """A halt ends what runs and holds what is queued; a resume lets the queue go on."""
    for request in turn.state.requests:
        if request.status is Status.RUNNING and event.halted:
            running.stop(turn, request, event.by, "everything was halted")
        elif request.status is Status.APPROVED:
            current = turn.put(request, held=None, show_at=None)
            turn.show(current)
