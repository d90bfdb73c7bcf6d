"""The core: state and event in, state and effects out.

    events ──▶ step ──▶ state (saved) ──▶ views
                 ├────▶ effects (owed until carried out; how they came out are events again)
                 └────▶ replies (to whoever caused the event, at once)

`step` awaits nothing, reads no clock and draws no random number: the same state, event and site give the same step.
"""

from dataclasses import dataclass
from typing import assert_never

from bot.core import clicks, commands, deadlines, intake, posts, recovery, running
from bot.core.effects import Effect
from bot.core.events import (
    AnswerPosted,
    AnyEvent,
    BotStarted,
    ButtonPressed,
    CommandIssued,
    DeadlinePassed,
    ExecutionEnded,
    ExecutionHeld,
    ExecutionLost,
    ExecutionReady,
    HaltChanged,
    MessageDeleted,
    MessageEdited,
    MessagePosted,
    PostRefused,
)
from bot.core.queue import schedule
from bot.core.replies import Reply
from bot.core.retention import forget
from bot.core.site import Site
from bot.core.state import ChannelState
from bot.core.turn import Turn


@dataclass(frozen=True, slots=True)
class Step:
    state: ChannelState
    effects: tuple[Effect, ...]
    replies: tuple[Reply, ...]


def step(state: ChannelState, event: AnyEvent, site: Site) -> Step:
    """Take one event. Total: an event that means nothing in this state changes nothing."""
    turn = Turn(state, event, site)
    _handle(turn, event)
    schedule(turn)
    return Step(forget(turn.state, event.at), tuple(turn.effects.values()), tuple(turn.replies))


def _handle(turn: Turn, event: AnyEvent) -> None:  # noqa: C901 - one line an event
    match event:
        case MessagePosted():
            intake.posted(turn, event)
        case MessageEdited():
            intake.edited(turn, event)
        case MessageDeleted():
            intake.deleted(turn, event)
        case ButtonPressed():
            clicks.pressed(turn, event)
        case CommandIssued():
            commands.issued(turn, event)
        case AnswerPosted():
            posts.posted(turn, event)
        case PostRefused():
            posts.refused(turn, event)
        case ExecutionReady():
            running.ready(turn, event)
        case ExecutionHeld():
            running.held(turn, event)
        case ExecutionEnded():
            running.ended(turn, event)
        case ExecutionLost():
            running.lost(turn, event)
        case DeadlinePassed():
            deadlines.passed(turn)
        case BotStarted():
            recovery.started(turn, event)
        case HaltChanged():
            recovery.halt_changed(turn, event)
        case _:
            assert_never(event)
