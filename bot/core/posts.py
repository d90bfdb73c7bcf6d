"""What became of posts: those that exist are edited from here on, those that cannot be are forgotten."""

from bot.core.effects import RemovePost
from bot.core.events import AnswerPosted, PostRefused
from bot.core.turn import Turn


def posted(turn: Turn, event: AnswerPosted) -> None:
    for request in turn.state.requests:
        if request.answer is not None and request.answer.key == event.key:
            turn.put(request, answer=request.answer.model_copy(update={"message": event.message}))
            return
    for notice in turn.state.notices:
        if notice.key == event.key:
            turn.put_notice(notice.model_copy(update={"message": event.message}))
            return
    turn.owe(RemovePost(post=event.key, message=event.message))


def refused(turn: Turn, event: PostRefused) -> None:
    """Nobody can be told there any more; what was asked for goes on all the same."""
    for request in turn.state.requests:
        if request.answer is not None and request.answer.key == event.key:
            turn.put(request, answer=None, show_at=None)
    for notice in turn.state.notices:
        if notice.key == event.key:
            turn.drop_notice(notice)
