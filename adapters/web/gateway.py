"""The gateway over the web chat: the bot is one of its people, and this is its hand."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Self

import structlog
from aiohttp import web
from prometheus_client import CollectorRegistry

from adapters.web.access import Access
from adapters.web.bell import Bell
from adapters.web.chat import Chat, keys_of
from adapters.web.database import Database
from adapters.web.guard import only_identified
from adapters.web.handouts import Handouts
from adapters.web.health import HealthRoutes, Ready, always_ready
from adapters.web.message import Draft, Message
from adapters.web.messages import MessageStore
from adapters.web.outbound import body_of
from adapters.web.page import page_routes
from adapters.web.people import BOT, PLATFORM, People
from adapters.web.routes_buttons import ButtonRoutes
from adapters.web.routes_files import FileRoutes
from adapters.web.routes_messages import MessageRoutes
from adapters.web.routes_overview import OverviewRoutes
from adapters.web.routes_people import PeopleRoutes
from adapters.web.server import application, listening
from adapters.web.sessions import Sessions
from adapters.web.settings import WebSettings
from adapters.web.stream import EventRoutes
from bot.core.keys import Actor, ChannelKey
from bot.core.views.view import View
from bot.ports import Blobs, Clock, Dispatch, MessageGone, Overview

log = structlog.get_logger()

DATABASE = "web.sqlite3"
EDIT_INTERVAL_S = 0.15


class WebGateway:
    """Made by `open`, which owns the database. `serve` owns everything else: server, lanes, streams."""

    def __init__(
        self,
        settings: WebSettings,
        people: People,
        blobs: Blobs,
        clock: Clock,
        database: Database,
        *,
        registry: CollectorRegistry,
        ready: Ready,
        overview: Overview | None,
        routes: Sequence[web.RouteDef],
    ) -> None:
        self._settings = settings
        self._people = people
        self._blobs = blobs
        self._clock = clock
        self._database = database
        self._health = HealthRoutes(registry, ready)
        self._overview = overview
        self._routes = tuple(routes)
        self._keys = keys_of(settings)
        self._store = MessageStore(database)
        self._bell = Bell()
        self._port = _later()

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        settings: WebSettings,
        people: People,
        blobs: Blobs,
        clock: Clock,
        *,
        registry: CollectorRegistry | None = None,
        ready: Ready = always_ready,
        overview: Overview | None = None,
        routes: Sequence[web.RouteDef] = (),
    ) -> AsyncIterator[Self]:
        """`overview` is what operators see, `routes` are further ones; all are under the same guards. Raises
        PlatformUnavailable where the database does not open.
        """
        async with Database.open(settings.data_dir / DATABASE) as database:
            yield cls(
                settings,
                people,
                blobs,
                clock,
                database,
                registry=registry or CollectorRegistry(),
                ready=ready,
                overview=overview,
                routes=routes,
            )

    @property
    def platform(self) -> str:
        return PLATFORM

    @property
    def edit_interval_s(self) -> float:
        return EDIT_INTERVAL_S

    async def port(self) -> int:
        """Where it listens, once it does."""
        return await asyncio.shield(self._port)

    async def serve(self, dispatch: Dispatch) -> None:
        """Raises OSError where the address is taken."""
        chat = Chat(self._settings, self._people, self._store, bell=self._bell, clock=self._clock, dispatch=dispatch)
        sessions = Sessions(self._database, self._people, self._clock)
        handouts = Handouts(self._database)
        access = Access(self._people, sessions, demo=self._settings.demo)
        events = EventRoutes(self._settings, chat, access)
        app = application(
            self._settings,
            [
                *page_routes(self._settings),
                *self._health.routes(),
                *PeopleRoutes(self._settings, self._people, sessions, self._clock).routes(),
                *MessageRoutes(chat, self._blobs).routes(),
                *ButtonRoutes(chat, handouts).routes(),
                *FileRoutes(chat, handouts, self._blobs).routes(),
                *events.routes(),
                *self._overview_routes(chat),
                *self._routes,
            ],
            [only_identified(access)],
        )

        async def close_streams(_app: web.Application) -> None:
            events.close()

        app.on_shutdown.append(close_streams)
        await chat.resume()
        async with listening(app, self._settings.host, self._settings.port) as port, asyncio.TaskGroup() as tasks:
            chat.start(tasks)
            log.info("web chat is up", host=self._settings.host, port=port, demo=self._settings.demo)
            self._port.set_result(port)
            try:
                await asyncio.Event().wait()
            finally:
                self._port = _later()

    def _overview_routes(self, chat: Chat) -> list[web.RouteDef]:
        if self._overview is None:
            return []
        return OverviewRoutes(self._settings, self._people, chat, self._overview).routes()

    async def post(self, channel: ChannelKey, key: str, reply_to: str | None, thread: str | None, view: View) -> str:
        self._know(channel)
        draft = Draft(
            channel=channel.channel,
            author=BOT,
            body=body_of(view),
            thread=thread,
            reply_to=reply_to,
            idem=_idem(channel, key),
        )
        message, _ = await self._store.add(draft, self._clock.now())
        if message.body != draft.body:
            await self.edit(channel, message.id, view)
        self._bell.ring()
        return message.id

    async def find(self, channel: ChannelKey, key: str) -> str | None:
        message = await self._store.by_idem(_idem(channel, key))
        return None if message is None else message.id

    async def edit(self, channel: ChannelKey, message: str, view: View) -> None:
        await self._own(channel, message)
        if (await self._store.amend(message, body_of(view), self._clock.now()))[0] is None:
            raise MessageGone(message)
        self._bell.ring()

    async def delete(self, channel: ChannelKey, message: str) -> None:
        await self._own(channel, message)
        await self._store.remove(message, self._clock.now(), frees_idem=True)
        self._bell.ring()

    async def look_up(self, channel: ChannelKey, user: str, marks: frozenset[str]) -> Actor:
        actor = self._people.look_up(user, channel.channel)
        standing = None if actor.standing is None else actor.standing & marks
        return Actor(actor.id, actor.name, standing=standing, admin=actor.admin)

    def _know(self, channel: ChannelKey) -> None:
        if channel != self._keys.get(channel.channel):
            raise MessageGone(f"there is no channel {channel}")

    async def _own(self, channel: ChannelKey, message: str) -> Message:
        found = await self._store.get(message)
        if found is None or found.deleted or found.channel != channel.channel or found.author != BOT:
            raise MessageGone(message)
        return found


def _later() -> asyncio.Future[int]:
    return asyncio.get_running_loop().create_future()


def _idem(channel: ChannelKey, key: str) -> str:
    return f"bot:{channel.channel}:{key}"
