"""What people may do in the web chat: say, amend, take back, press. No HTTP beyond the status of a refusal.

What is said is durable, with the event that it owes to the core, before anybody is told that it is.
"""

import asyncio
import secrets
from collections.abc import Awaitable
from dataclasses import dataclass
from http import HTTPStatus

from adapters.web.answers import Refused
from adapters.web.bell import Bell
from adapters.web.inbound import Press, command_of, without_mention
from adapters.web.lanes import Lanes, Told
from adapters.web.message import Draft, Message, Owed, OwedBody, OwedKind
from adapters.web.messages import MessageStore
from adapters.web.outbound import body_of_text, told
from adapters.web.people import BOT, PLATFORM, People, User
from adapters.web.settings import WebSettings
from bot.core.buttons import parse_button_value
from bot.core.keys import ChannelKey
from bot.core.reports import FileRef
from bot.ports import Clock, Dispatch

WORKSPACE = "local"
RESTARTED = "Fencepost was restarted while it answered this. Send it again if you still need the answer."
REMOVED = "That message was removed."


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """`idem` is the sender's own name for this post: sent twice, it is one message."""

    text: str
    thread: str | None = None
    files: tuple[FileRef, ...] = ()
    idem: str | None = None


class Chat:
    def __init__(
        self,
        settings: WebSettings,
        people: People,
        store: MessageStore,
        *,
        bell: Bell,
        clock: Clock,
        dispatch: Dispatch,
    ) -> None:
        self.store = store
        self.bell = bell
        self._people = people
        self._clock = clock
        self._keys = keys_of(settings)
        self._lanes = Lanes(self._keys, dispatch, people.look_up, self._settle, clock)
        self._replayed: set[int] = set()

    async def resume(self) -> None:
        """Put what the process before this one still owed into the lanes, ahead of everything new."""
        for owed in await self.store.owed():
            if owed.channel in self._keys:
                self._replayed.add(owed.seq)
                self._lanes.owe(owed)

    def start(self, tasks: asyncio.TaskGroup) -> None:
        self._lanes.start(tasks)

    def channels_of(self, user: User) -> list[str]:
        return [channel for channel in self._keys if user.may_see(channel)]

    def enter(self, user: User, channel: str) -> None:
        """Raises Refused where there is no such channel for them; which of the two is nobody's business."""
        if channel not in self._keys or not user.may_see(channel):
            raise Refused(HTTPStatus.NOT_FOUND, "There is no such channel here for you.")

    async def find(self, user: User, message: str) -> Message:
        """The message, if they may see it and it is still there. Raises Refused."""
        found = await self.store.get(message)
        if found is None or not found.is_for(user.id) or found.channel not in self.channels_of(user):
            raise Refused(HTTPStatus.NOT_FOUND, "There is no such message.")
        if found.deleted:
            raise Refused(HTTPStatus.GONE, REMOVED)
        return found

    async def say(self, user: User, channel: str, saying: Saying) -> tuple[Message, asyncio.Future[Told] | None]:
        """The message, durable; and for a new command what will be answered to it."""
        self.enter(user, channel)
        if not saying.text.strip() and not saying.files:
            raise Refused(HTTPStatus.BAD_REQUEST, "text: there is nothing in it.")
        await self._make_sure_of_room(channel)
        thread = None if saying.thread is None else await self._thread_of(user, channel, saying.thread)
        command = command_of(saying.text)
        draft = Draft(
            channel=channel,
            author=user.id,
            body=body_of_text(saying.text, saying.files),
            thread=thread,
            only_for=None if command is None else user.id,
            idem=None if saying.idem is None else f"say:{channel}:{user.id}:{saying.idem}",
        )
        owes = (
            (OwedKind.POSTED, _said(saying.text, thread, saying.files))
            if command is None
            else (OwedKind.COMMAND, OwedBody(text=command, thread=thread))
        )
        message, owed = await self.store.add(draft, self._clock.now(), owes)
        answer = self._hand_on(owed)
        if owed is None and not message.deleted and message.body != draft.body:
            raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, "Idempotency-Key: it was used for another message.")
        return message, answer if command is not None else None

    async def amend(self, user: User, message: str, text: str) -> None:
        found = await self._own(user, message, "edit")
        if found.only_for is not None or command_of(text) is not None:
            raise Refused(HTTPStatus.BAD_REQUEST, "A command cannot be edited, nor made by an edit; send it anew.")
        if not text.strip() and not found.body.files:
            raise Refused(HTTPStatus.BAD_REQUEST, "text: there is nothing in it; delete the message instead.")
        said = _said(text, found.thread, found.body.files)
        body = body_of_text(text, found.body.files)
        _there(await self._changed(self.store.amend(message, body, self._clock.now(), (OwedKind.EDITED, said))))

    async def take_back(self, user: User, message: str) -> None:
        found = await self._own(user, message, "delete")
        owes = None if found.only_for is not None else (OwedKind.DELETED, OwedBody())
        _there(await self._changed(self.store.remove(message, self._clock.now(), owes)))

    async def press(self, user: User, message: str, button: str, press: Press) -> tuple[Message, Told]:
        """The message, and what the clicker is told. A button that shows no more reaches the core all the same."""
        found = await self.find(user, message)
        values = await self.store.button_values(message, button)
        value = press.value if press.value is not None else next(iter(values), None)
        meant = parse_button_value(value) if value in values and value is not None else None
        if meant is None:
            raise Refused(HTTPStatus.NOT_FOUND, "There never was such a button on this message.")
        actor = self._people.look_up(user.key, found.channel)
        event_id = f"web:press:{secrets.token_hex(8)}"
        event = press.event(event_id, self._keys[found.channel], self._clock.now(), meant, actor)
        return found, await self._lanes.now(event, found.reply_to)

    async def _own(self, user: User, message: str, do: str) -> Message:
        found = await self.find(user, message)
        if found.author != user.id:
            raise Refused(HTTPStatus.FORBIDDEN, f"Only its author can {do} a message.")
        await self._make_sure_of_room(found.channel)
        return found

    async def _make_sure_of_room(self, channel: str) -> None:
        if not await self._lanes.room(channel):
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, "Fencepost is behind in this channel. Try again in a moment.")

    async def _thread_of(self, user: User, channel: str, message: str) -> str:
        """The message that starts the thread which `message` starts or is in."""
        found = await self.find(user, message)
        if found.channel != channel or found.only_for is not None:
            raise Refused(HTTPStatus.NOT_FOUND, "thread: there is no such message to start a thread in this channel.")
        return found.thread or found.id

    async def _changed(self, change: Awaitable[tuple[Message | None, Owed | None]]) -> Message | None:
        message, owed = await change
        self._hand_on(owed)
        return message

    def _hand_on(self, owed: Owed | None) -> asyncio.Future[Told] | None:
        """In the same breath as the commit, so that the lane keeps the order of the store."""
        self.bell.ring()
        return None if owed is None else self._lanes.owe(owed)

    async def _settle(self, owed: Owed, replies: Told) -> None:
        """The core has it. What it says to the author alone is a message that they alone see."""
        body = told(replies)
        if body is None and owed.kind is OwedKind.COMMAND and owed.seq in self._replayed:
            body = body_of_text(RESTARTED)
        reply = None
        if body is not None:
            reply = Draft(
                channel=owed.channel,
                author=BOT,
                body=body,
                thread=owed.body.thread,
                reply_to=owed.message,
                only_for=owed.author,
            )
        await self.store.settle(owed, reply, self._clock.now())
        self._replayed.discard(owed.seq)
        self.bell.ring()


def keys_of(settings: WebSettings) -> dict[str, ChannelKey]:
    return {channel.id: ChannelKey(PLATFORM, WORKSPACE, channel.id) for channel in settings.channels}


def _said(text: str, thread: str | None, files: tuple[FileRef, ...]) -> OwedBody:
    plain, addressed = without_mention(text)
    return OwedBody(text=plain, thread=thread, addressed=addressed, files=files)


def _there(message: Message | None) -> None:
    if message is None:
        raise Refused(HTTPStatus.GONE, REMOVED)
