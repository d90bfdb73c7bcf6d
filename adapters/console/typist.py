"""Whoever sits at the terminal: what they mean becomes an event, or a sentence that says why there is none."""

import uuid
from collections.abc import Callable

from adapters.console.inbound import Commanded, Deleted, Pressed, Said, form, without_mention
from adapters.console.journal import Entry, Journal
from adapters.console.outbound import neutral
from adapters.console.people import Person, actor
from bot.core.buttons import parse_button_value
from bot.core.events import AnyEvent, ButtonPressed, CommandIssued, MessageDeleted, MessageEdited, MessagePosted
from bot.core.keys import Actor, ChannelKey


class Typist:
    """`person` is who acts just now; `choices` are the ids that were offered last, to be chosen by number."""

    def __init__(self, channel: ChannelKey, person: Person, journal: Journal, now: Callable[[], float]) -> None:
        self._channel = channel
        self._journal = journal
        self._now = now
        self.person = person
        self.choices: tuple[str, ...] = ()

    def event(self, meant: Said | Pressed | Commanded | Deleted) -> AnyEvent | str:
        """The event, or the sentence that says why there is none."""
        me, at, new = actor(self.person), self._now(), uuid.uuid4().hex
        match meant:
            case Said(text=text, edits=edits):
                return self._say(text, me, at, new, edits=edits)
            case Commanded(text=text):
                return CommandIssued(id=f"console:{new}", channel=self._channel, at=at, actor=me, text=text)
            case Deleted(message=message):
                entry_or_none = self._journal.get(message) if message else self._mine()
                if entry_or_none is None or entry_or_none.author != self.person.id:
                    return "You have no such message."
                self._journal.remove(entry_or_none.id)
                return MessageDeleted(id=f"console:{new}", channel=self._channel, at=at, message=entry_or_none.id)
            case Pressed():
                return self._click(meant, me, at, new)

    def _say(self, typed: str, me: Actor, at: float, new: str, *, edits: bool) -> AnyEvent | str:
        text, addressed = without_mention(typed)
        event, channel = f"console:{new}", self._channel
        if not edits:
            entry = self._journal.add(typed, at, author=self.person.id)
            return MessagePosted(
                id=event, channel=channel, at=at, message=entry.id, author=me, text=text, addressed=addressed
            )
        mine = self._mine()
        if mine is None:
            return "You have no message to edit."
        self._journal.change(mine, typed)
        return MessageEdited(
            id=event,
            channel=channel,
            at=at,
            message=mine.id,
            author=me,
            text=text,
            addressed=addressed,
            posted_at=mine.at,
        )

    def _click(self, pressed: Pressed, me: Actor, at: float, new: str) -> AnyEvent | str:
        found = self._button(pressed)
        if found is None:
            return f"There is no button {neutral(pressed.button)} to press."
        value = parse_button_value(found[2])
        if value is None:
            return "That button is of another version of Fencepost."
        words = form(value.verb.value, pressed.rest, self.choices)
        return ButtonPressed(
            id=f"console:{new}",
            channel=self._channel,
            at=at,
            request=value.request,
            verb=value.verb,
            binding=value.binding,
            actor=me,
            reason=words.reason,
            choice=words.choice,
            confirm=words.confirm,
            stdin=words.stdin,
            args=words.args,
        )

    def _button(self, pressed: Pressed) -> tuple[str, str, str] | None:
        if pressed.message is not None:
            entry = self._journal.get(pressed.message)
            entries = [entry] if entry else []
        else:
            entries = [entry for entry in self._journal.latest() if entry.buttons]
        for entry in entries:
            for number, button in enumerate(entry.buttons, 1):
                if pressed.button in {str(number), button[0]}:
                    return button
        return None

    def _mine(self) -> Entry | None:
        return next((entry for entry in self._journal.latest() if entry.author == self.person.id), None)
