"""Posts that now exist on the platform: from here on they are edited, not posted."""

from bot.core.effects import RemovePost
from bot.core.events import AnswerPosted
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
