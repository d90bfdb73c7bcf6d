"""The bot's own messages: an answer or notice as the state says now, or gone.

Called one at a time for each post (`lanes`). What was shown last is remembered, so nothing is sent that would change
nothing, and so is a post's id until the state has it.
"""

from collections import OrderedDict
from dataclasses import dataclass

from bot.core.effects import RemovePost, ShowAnswer, ShowNotice
from bot.core.events import AnswerPosted
from bot.core.keys import ChannelKey
from bot.core.state import Status
from bot.core.views.answer import answer_view
from bot.core.views.notice import notice_view
from bot.core.views.view import View
from bot.ports import Owed
from bot.shell.dispatcher import Dispatcher
from bot.shell.live import LiveViews
from bot.shell.outside import Outside
from bot.shell.reference import new_event_id

REMEMBERED = 512

Post = tuple[ChannelKey, str]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a post is, or is to be: `message` is its id as far as the state knows it."""

    key: str
    message: str | None
    reply_to: str | None
    thread: str | None


@dataclass(frozen=True, slots=True)
class Shown:
    message: str
    view: View | None


class Posting:
    """Raises what gateways and store raise; an effect that was carried out is settled."""

    def __init__(self, dispatcher: Dispatcher, outside: Outside, live: LiveViews) -> None:
        self._dispatcher = dispatcher
        self._store = outside.store
        self._gateways = outside.gateways
        self._clock = outside.clock
        self._live = live
        self._shown: OrderedDict[Post, Shown] = OrderedDict()

    async def show_answer(self, owed: Owed, effect: ShowAnswer) -> None:
        state, request = await self._dispatcher.look(owed.channel, effect.request)
        answer = request.answer if request is not None else None
        if request is None or answer is None or answer.key != effect.answer:
            await self._store.settle(owed.seq)
            return
        view = answer_view(request, state, self._dispatcher.site(owed.channel), self._live.of(request.id))
        place = Place(answer.key, answer.message, answer.reply_to, answer.thread)
        await self._show(owed, place, view, about=(request.id,))

    async def show_notice(self, owed: Owed, effect: ShowNotice) -> None:
        state = await self._dispatcher.state(owed.channel)
        notice = next((n for n in state.notices if n.key == effect.notice), None)
        if notice is None:
            await self._store.settle(owed.seq)
            return
        await self._show(owed, Place(notice.key, notice.message, notice.source, notice.thread), notice_view(notice))

    async def remove(self, owed: Owed, effect: RemovePost) -> None:
        gateway = self._gateways[owed.channel.platform]
        post = (owed.channel, effect.post)
        shown = self._shown.get(post)
        message = effect.message or (shown.message if shown else await gateway.find(owed.channel, effect.post))
        if message is not None:
            await gateway.delete(owed.channel, message)
        self._shown.pop(post, None)
        await self._store.settle(owed.seq)

    async def show_live(self, channel: ChannelKey, request_id: str) -> None:
        """Put the newest output of a running request into its answer, if it still runs and the answer exists."""
        state, request = await self._dispatcher.look(channel, request_id)
        live = self._live.of(request_id)
        if request is None or request.status is not Status.RUNNING or live is None:
            return
        if request.answer is None or request.answer.message is None:
            return
        view = answer_view(request, state, self._dispatcher.site(channel), live)
        await self._edit((channel, request.answer.key), request.answer.message, view)

    async def _show(self, owed: Owed, place: Place, view: View, about: tuple[str, ...] = ()) -> None:
        post = (owed.channel, place.key)
        shown = self._shown.get(post)
        message = place.message or (shown.message if shown else None)
        if message is None:
            gateway = self._gateways[owed.channel.platform]
            message = await gateway.post(owed.channel, place.key, place.reply_to, place.thread, view)
            self._remember(post, Shown(message, view))
        else:
            await self._edit(post, message, view)
        if place.message is None:
            event = AnswerPosted(
                id=new_event_id("posted"), channel=owed.channel, at=self._clock.now(), key=place.key, message=message
            )
            await self._dispatcher.deliver(event, settles=(owed.seq,), about=about)
        else:
            await self._store.settle(owed.seq)

    async def _edit(self, post: Post, message: str, view: View) -> None:
        """Between the call and its answer nobody knows what is shown, so nothing is remembered of it."""
        shown = self._shown.get(post)
        if shown is not None and shown.view == view and shown.message == message:
            return
        self._remember(post, Shown(message, None))
        await self._gateways[post[0].platform].edit(post[0], message, view)
        self._remember(post, Shown(message, view))

    def _remember(self, post: Post, shown: Shown) -> None:
        self._shown[post] = shown
        self._shown.move_to_end(post)
        if len(self._shown) > REMEMBERED:
            self._shown.popitem(last=False)
