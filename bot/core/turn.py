"""One step in the making: the state so far, what it owes, what whoever caused it is told.

A `Turn` lives inside one call of `machine.step` and is the only thing there that changes; everything in it is frozen.
"""

import hashlib
from collections.abc import Iterable

from bot.core.effects import Effect, RemovePost, ShowAnswer, ShowNotice
from bot.core.events import Event
from bot.core.replies import Choice, Reply, ReplyKind
from bot.core.reports import FileRef
from bot.core.site import Site
from bot.core.state import ChannelState, Notice, Request


class Turn:
    """`at` is the time of the event in epoch seconds; `site` is what holds around the channel."""

    def __init__(self, state: ChannelState, event: Event, site: Site) -> None:
        self.state = state
        self.site = site
        self.at = event.at
        self.effects: dict[str, Effect] = {}
        self.replies: list[Reply] = []

    # ---- state

    def put(self, request: Request, **changes: object) -> Request:
        """Replace or append the request, with `changes` applied; returns it as it is now."""
        request = request.model_copy(update=changes)
        requests = self.state.requests
        if any(r.id == request.id for r in requests):
            requests = tuple(request if r.id == request.id else r for r in requests)
        else:
            requests = (*requests, request)
        self.state = self.state.model_copy(update={"requests": requests})
        return request

    def put_notice(self, notice: Notice) -> None:
        others = tuple(n for n in self.state.notices if n.key != notice.key)
        self.state = self.state.model_copy(update={"notices": (*others, notice)})

    def drop_notice(self, notice: Notice) -> None:
        others = tuple(n for n in self.state.notices if n.key != notice.key)
        self.state = self.state.model_copy(update={"notices": others})

    def new_id(self, prefix: str) -> str:
        """An id that is the same whenever the same event is stepped in the same state, and unique beyond it."""
        number = self.state.next_number
        self.state = self.state.model_copy(update={"next_number": number + 1})
        seed = f"{self.state.channel}|{number}|{self.at!r}"
        return prefix + hashlib.sha256(seed.encode()).hexdigest()[:16]

    # ---- effects

    def owe(self, effect: Effect) -> None:
        """Owe an effect; a later one with the same key takes its place."""
        self.effects.pop(effect.key, None)
        self.effects[effect.key] = effect

    def show(self, request: Request) -> None:
        if request.answer is not None:
            self.owe(ShowAnswer(request=request.id, answer=request.answer.key))

    def show_notice(self, notice: Notice) -> None:
        self.put_notice(notice)
        self.owe(ShowNotice(notice=notice.key))

    def remove_answer(self, request: Request) -> Request:
        """Delete the answer of this request and forget it."""
        if request.answer is None:
            return request
        self.effects.pop(f"show:{request.answer.key}", None)
        self.owe(RemovePost(post=request.answer.key, message=request.answer.message))
        return self.put(request, answer=None, show_at=None)

    def remove_notice(self, notice: Notice) -> None:
        self.effects.pop(f"show:{notice.key}", None)
        self.owe(RemovePost(post=notice.key, message=notice.message))
        self.drop_notice(notice)

    # ---- replies

    def reply(
        self, kind: ReplyKind, text: str = "", choices: Iterable[Choice] = (), files: Iterable[FileRef] = ()
    ) -> None:
        self.replies.append(Reply(kind, text, tuple(choices), tuple(files)))
