"""Messages: posted, edited, deleted.

The blocks of a message that can run here become one request; what cannot is hinted at beside it. An edit is compared
with what was taken from the message before: only changed blocks count, and what has ended runs again in the same
answer.
"""

from dataclasses import dataclass

from bot.core import running
from bot.core.arrival import has_half_character
from bot.core.asking import ask, end_before_running
from bot.core.codeblocks import Block, dialect_of, extract
from bot.core.events import MessageDeleted, MessageEdited, MessagePosted
from bot.core.limits import BLOCKS, EDIT_WINDOW_S, HINTS
from bot.core.snapshot import CodeBlock, Snapshot
from bot.core.state import Answer, Notice, Origin, Request, Status
from bot.core.turn import Turn

NO_MODEL = (
    "No model is set up here, so I can run code but not write it. Post a fence that begins with ```python and ends"
    " with ```, and I run it."
)
EDITED = "the message was edited; see the new request below"
EDITED_AWAY = "the message was edited"
DELETED = "the message was deleted"


HALF_CHARACTER = (
    "The message holds half of a surrogate pair, which is no character and cannot be kept; nothing was run."
)


@dataclass(frozen=True, slots=True)
class Taken:
    """What a message asks for: a snapshot to run, and sentences about the rest of it."""

    snapshot: Snapshot | None
    hints: tuple[str, ...]


def posted(turn: Turn, event: MessagePosted) -> None:
    if _is_for_us(turn, event):
        _take_up(turn, event, take(turn, event))


def edited(turn: Turn, event: MessageEdited) -> None:
    earlier = [r for r in turn.state.from_message(event.message) if r.origin is Origin.MESSAGE]
    notice = _hint_of(turn, event.message)
    if not earlier:
        young = event.posted_at is not None and event.at - event.posted_at <= EDIT_WINDOW_S
        if (notice is not None or young) and _is_for_us(turn, event):
            _take_up(turn, event, take(turn, event))
        return
    last = earlier[-1]
    if last.requester != event.author.id:
        return
    taken = take(turn, event)
    if taken.snapshot == last.snapshot and last.status is not Status.SUPERSEDED:
        return
    answer = _let_go(turn, last, event, taken)
    for request in turn.state.from_message(event.message):
        if request.status is Status.WAITING:
            end_before_running(turn, request, Status.SUPERSEDED, reason=EDITED if taken.snapshot else EDITED_AWAY)
    if answer is not None or last.status.is_live:
        _take_up(turn, event, taken, answer)


def deleted(turn: Turn, event: MessageDeleted) -> None:
    """The answers go with the message; whatever nobody approved by a click is ended."""
    for request in turn.state.from_message(event.message):
        current = request
        if request.status is Status.WAITING or (request.status is Status.APPROVED and not request.by_click):
            current = end_before_running(turn, request, Status.SUPERSEDED, reason=DELETED)
        elif request.status is Status.RUNNING and not request.by_click:
            current = running.stop(turn, request, request.requester_name, DELETED)
        turn.remove_answer(current)
    for notice in turn.state.notices:
        if notice.source == event.message:
            turn.remove_notice(notice)


def take(turn: Turn, event: MessagePosted | MessageEdited) -> Taken:
    """Read the blocks of a message, in the languages that this channel runs."""
    if has_half_character(event.text):
        return Taken(None, (HALF_CHARACTER,))
    config = turn.site.config
    languages = turn.site.languages.only(config.languages)
    found = extract(event.text, languages, dialect_of(event.channel.platform))
    hints = [hint.text for hint in found.worth_telling(addressed=event.addressed)[:HINTS]]
    blocks: list[Block] = []
    for block in found.runnable:
        if block.attributes.network or block.attributes.packages:
            hints.append(
                f"The sandbox of this channel has no network, so the block on line {block.line} was not run. Take"
                " network and packages off its fence line to run it without."
            )
        else:
            blocks.append(block)
    if len(blocks) > BLOCKS:
        return Taken(None, (f"A message may hold at most {BLOCKS} blocks that run; this one holds {len(blocks)}.",))
    if not blocks:
        return Taken(None, tuple(hints))
    timeouts = [b.attributes.timeout_s for b in blocks if b.attributes.timeout_s is not None]
    snapshot = Snapshot(
        blocks=tuple(_code(block) for block in blocks),
        files=event.files,
        timeout_s=max(timeouts) if timeouts else None,
    )
    return Taken(snapshot, tuple(hints))


def _code(block: Block) -> CodeBlock:
    return CodeBlock(
        language=block.language or "",
        code=block.code,
        filename=block.filename,
        args=block.attributes.args,
        stdin=block.stdin,
    )


def _is_for_us(turn: Turn, event: MessagePosted | MessageEdited) -> bool:
    config = turn.site.config
    if event.author.is_bot and event.author.id not in config.sources:
        return False
    match config.trigger:
        case "off":
            return False
        case "mention":
            return event.addressed
        case "always":
            return True


def _take_up(turn: Turn, event: MessagePosted | MessageEdited, taken: Taken, answer: Answer | None = None) -> None:
    notice = _hint_of(turn, event.message)
    if taken.snapshot is not None:
        if notice is not None:
            turn.remove_notice(notice)
        ask(
            turn,
            taken.snapshot,
            source=event.message,
            requester=event.author.id,
            requester_name=event.author.name,
            thread=event.thread,
            answer=answer,
            hints=taken.hints,
        )
        return
    text = " ".join(taken.hints) or (NO_MODEL if event.addressed and event.text.strip() else "")
    if text:
        key = notice.key if notice else f"h-{turn.new_id('n')}"
        turn.show_notice(
            Notice(
                key=key,
                source=event.message,
                text=text,
                thread=event.thread,
                message=notice.message if notice else None,
                created_at=turn.at,
            )
        )
    elif notice is not None:
        turn.remove_notice(notice)


def _hint_of(turn: Turn, message: str) -> Notice | None:
    return next((n for n in turn.state.notices if n.source == message and n.key.startswith("h-")), None)


def _let_go(turn: Turn, last: Request, event: MessageEdited, taken: Taken) -> Answer | None:
    """End what the old blocks were about to do; the old answer, where the new request may go on in it.

    What people approved by a click runs on: an edit after that changes nothing that runs.
    """
    reason = EDITED if taken.snapshot else EDITED_AWAY
    match last.status:
        case Status.WAITING:
            end_before_running(turn, last, Status.SUPERSEDED, reason=reason)
        case Status.APPROVED if not last.by_click:
            end_before_running(turn, last, Status.SUPERSEDED, reason=reason)
        case Status.RUNNING if not last.by_click:
            running.stop(turn, last, last.requester_name, reason)
        case status if not status.is_live:
            recent = event.at - (last.ended_at or last.created_at) <= EDIT_WINDOW_S
            if recent and taken.snapshot is not None and last.answer is not None:
                turn.put(last, answer=None)
                return last.answer
        case _:
            pass
    return None
