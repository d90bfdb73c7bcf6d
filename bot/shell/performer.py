"""Carries out what the core owes: each effect until it is done, in order where order matters, again after a restart.

An effect that the outside cannot take just now (platform or store unavailable) is repeated with patience until it is
done or a newer one with its key has taken its place. One that fails in a way nobody thought of is logged with a
reference and stays owed, so the next start tries it again.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import assert_never

import structlog

from bot.core.effects import ChangeHalt, RemovePost, ShowAnswer, ShowNotice, StartExecution, StopExecution
from bot.core.events import PostRefused
from bot.core.keys import ChannelKey
from bot.ports import GatewayError, MessageGone, Owed, PlatformUnavailable, StoreUnavailable
from bot.shell.backoff import Backoff
from bot.shell.dispatcher import Dispatcher
from bot.shell.halting import Halting
from bot.shell.lanes import Job, LaneKey, Lanes
from bot.shell.live import LiveViews, Workspace, workspace_of
from bot.shell.mailbox import StepFailed
from bot.shell.outside import Outside
from bot.shell.posting import Posting
from bot.shell.reference import new_event_id, new_reference
from bot.shell.running import Running
from bot.shell.sites import Sites
from bot.shell.tasks import task_group

REST_S = 1.0
"""How long live edits stay away from a workspace where something more important is on its way."""

log = structlog.get_logger()


def lane_of(owed: Owed) -> LaneKey:
    """What is changed outside: everything about one post is in order, and so is everything about a halt."""
    match owed.effect:
        case ShowAnswer(answer=post) | ShowNotice(notice=post) | RemovePost(post=post):
            return _post_lane(owed.channel, post)
        case StartExecution() | StopExecution() as effect:
            return (str(owed.channel), effect.key)
        case ChangeHalt() as effect:
            return (effect.key,)
        case _:
            assert_never(owed.effect)


def _job_key(owed: Owed) -> str:
    return f"{owed.channel} {owed.effect.key}"


def _post_lane(channel: ChannelKey, post: str) -> LaneKey:
    return (str(channel), f"post:{post}")


class Performer:
    """Usable within `open_performer`."""

    def __init__(self, dispatcher: Dispatcher, outside: Outside, sites: Sites, group: asyncio.TaskGroup) -> None:
        live = LiveViews(outside, self.show_live, group)
        self._dispatcher = dispatcher
        self._store = outside.store
        self._clock = outside.clock
        self._gateways = outside.gateways
        self._lanes = Lanes(group)
        self._posting = Posting(dispatcher, outside, live)
        self._running = Running(dispatcher, outside, live)
        self._halting = Halting(dispatcher, outside, sites)
        self._retrying: Counter[Workspace] = Counter()

    def take(self, owed: Sequence[Owed]) -> None:
        """Begin to carry these out; those that were taken before are not begun again."""
        for each in owed:
            if each.channel.platform in self._gateways:
                self._lanes.put(lane_of(each), Job(_job_key(each), each.seq, partial(self._perform, each)))
            else:
                log.warning("effect waits for its platform", channel=str(each.channel), effect=each.effect.key)

    def close(self) -> None:
        self._lanes.close()

    async def show_live(self, channel: ChannelKey, request_id: str) -> float:
        """`bot.shell.live.Show`: only where nothing else about the post, or of the workspace, is on its way."""
        _, request = await self._dispatcher.look(channel, request_id)
        if request is None or request.answer is None or request.answer.message is None:
            return 0.0
        lane = _post_lane(channel, request.answer.key)
        if self._retrying[workspace_of(channel)] or self._lanes.is_busy(lane):
            return REST_S
        shown: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._lanes.put(lane, Job("live", 0, partial(self._perform_live, channel, request_id, shown)))
        return await shown

    async def _perform(self, owed: Owed) -> None:
        about = {"channel": str(owed.channel), "effect": owed.effect.key}
        reference = await self._survive(self._insist(owed), about)
        if reference is not None and isinstance(owed.effect, StartExecution):
            await self._survive(self._running.give_up(owed, owed.effect, reference), about)

    async def _perform_live(self, channel: ChannelKey, request_id: str, shown: asyncio.Future[float]) -> None:
        about = {"channel": str(channel), "request": request_id}
        await self._survive(self._show_live(channel, request_id, shown), about)
        if not shown.done():
            shown.set_result(REST_S)

    async def _show_live(self, channel: ChannelKey, request_id: str, shown: asyncio.Future[float]) -> None:
        rest = 0.0
        try:
            await self._posting.show_live(channel, request_id)
        except PlatformUnavailable as error:
            rest = max(REST_S, error.retry_after_s or 0.0)
        except (GatewayError, StoreUnavailable) as error:
            log.info("live edit given up", channel=str(channel), request=request_id, error=str(error))
        if not shown.done():
            shown.set_result(rest)

    async def _survive(self, work: Coroutine[None, None, None], about: Mapping[str, str]) -> str | None:
        """The loop that must survive: a failure that nobody thought of gets a reference, and the next job its turn."""
        try:
            await work
        except Exception:
            reference = new_reference()
            log.exception("effect not carried out", reference=reference, **about)
            return reference
        return None

    async def _insist(self, owed: Owed) -> None:
        backoff = Backoff(self._clock)
        workspace = workspace_of(owed.channel)
        while True:
            asked_s: float | None = None
            try:
                await self._carry_out(owed)
                return
            except PlatformUnavailable as error:
                asked_s, why = error.retry_after_s, str(error)
            except (GatewayError, StoreUnavailable) as error:
                why = str(error)
            except StepFailed as failure:
                if not failure.again:
                    raise
                why = str(failure)
            log.warning("effect repeated later", channel=str(owed.channel), effect=owed.effect.key, error=why)
            self._retrying[workspace] += 1
            try:
                await backoff.wait(asked_s)
            finally:
                self._retrying[workspace] -= 1
            if self._lanes.is_replaced(lane_of(owed), _job_key(owed)):
                return

    async def _carry_out(self, owed: Owed) -> None:
        try:
            match owed.effect:
                case ShowAnswer() as effect:
                    await self._posting.show_answer(owed, effect)
                case ShowNotice() as effect:
                    await self._posting.show_notice(owed, effect)
                case RemovePost() as effect:
                    await self._posting.remove(owed, effect)
                case StartExecution() as effect:
                    await self._running.start(owed, effect)
                case StopExecution() as effect:
                    await self._running.stop(owed, effect)
                case ChangeHalt() as effect:
                    await self._halting.change(owed, effect)
                case _:
                    assert_never(owed.effect)
        except MessageGone:
            await self._give_up_post(owed)

    async def _give_up_post(self, owed: Owed) -> None:
        """There is no place for it any more: the core forgets the post, or it would wait for it for ever."""
        match owed.effect:
            case ShowAnswer(answer=key) | ShowNotice(notice=key):
                event = PostRefused(id=new_event_id("refused"), channel=owed.channel, at=self._clock.now(), key=key)
                await self._dispatcher.deliver(event, settles=(owed.seq,))
            case _:
                await self._store.settle(owed.seq)


@asynccontextmanager
async def open_performer(dispatcher: Dispatcher, outside: Outside, sites: Sites) -> AsyncIterator[Performer]:
    """At the end whatever is in the middle of something is given up: it is still owed, or still running on disk."""
    async with task_group() as group:
        performer = Performer(dispatcher, outside, sites, group)
        try:
            yield performer
        finally:
            performer.close()
