"""A whole bot over twins: platform, sandboxes and store in memory, time moved by hand."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from adapters.memory.gateway import MemoryGateway, Post
from adapters.storage.memory import MemoryBlobs, MemoryStore
from bot.core.config import ChannelConfig, ChannelLimits
from bot.core.events import ButtonPressed, CommandIssued, MessageDeleted, MessageEdited, MessagePosted, Verb
from bot.core.keys import Actor, ChannelKey
from bot.core.languages import DEFAULT_LANGUAGES
from bot.core.policy.decision import Demand, Need
from bot.core.policy.decision import Effect as Ruling
from bot.core.policy.rules import Grant, Group, Policy, Rule
from bot.core.replies import Reply
from bot.core.site import Site
from bot.core.state import ChannelState, Request
from bot.core.views.view import plain
from bot.ports import Blobs, Sandboxes, Store
from bot.shell.clock import ManualClock
from bot.shell.lifecycle import Bot
from executor.fake import ManualClock as SandboxClock
from executor.fake import ScriptedSandboxes
from executor.fake_supervisor import Step

CHANNEL = ChannelKey("memory", "home", "general")
OTHER = ChannelKey("memory", "home", "data")


def person(name: str, *roles: str, admin: bool = False) -> Actor:
    return Actor(f"memory:{name}", name, frozenset(f"web_roles:{role}" for role in roles), admin=admin)


ANA, BO = person("ana"), person("bo")
LEE, KIM = person("lee", "lead"), person("kim", "lead")
ROOT = person("root", "admin", admin=True)

ASKING = Policy(
    default_approve=Demand(needs=(Need(groups=("leads",), need=1),)),
    approvers={"leads": Group(web_roles=("lead", "admin"))},
)
ALLOWING = ASKING.model_copy(
    update={
        "rule": (Rule(id="all", effect=Ruling.ALLOW, language=("python", "bash"), profile="offline"),),
        "profiles": {"offline": Grant()},
    }
)


async def until(condition: Callable[[], object], timeout_s: float = 5.0) -> None:
    async with asyncio.timeout(timeout_s):
        while not condition():  # noqa: ASYNC110 - any condition, not one that could set an event
            await asyncio.sleep(0.0005)


@dataclass
class World:
    programs: Mapping[str, tuple[Step, ...]] = field(default_factory=dict)
    policy: Policy = ALLOWING
    store: Store = field(default_factory=MemoryStore)
    blobs: Blobs = field(default_factory=MemoryBlobs)
    gateway: MemoryGateway = field(default_factory=MemoryGateway)
    clock: ManualClock = field(default_factory=ManualClock)
    limits: ChannelLimits = field(default_factory=ChannelLimits)
    number: int = 0
    sandboxes: ScriptedSandboxes = field(init=False)
    bot: Bot = field(init=False)

    def __post_init__(self) -> None:
        for someone in (ANA, BO, LEE, KIM, ROOT):
            self.gateway.people[someone.id] = someone

    def site(self, channel: ChannelKey) -> Site:
        config = ChannelConfig(trigger="always", limits=self.limits)
        return Site(config, self.policy, "test", DEFAULT_LANGUAGES, image="sha256:i", channel_name=channel.channel)

    @asynccontextmanager
    async def running(self, sandboxes: Sandboxes | None = None) -> AsyncIterator[Bot]:
        """The bot, started, until the end of the block."""
        async with ScriptedSandboxes(self.programs, clock=SandboxClock()) as scripted:
            self.sandboxes = scripted
            self.bot = Bot(
                store=self.store,
                blobs=self.blobs,
                sandboxes=sandboxes or scripted,
                gateways=[self.gateway],
                clock=self.clock,
                site_of=self.site,
            )
            task = asyncio.create_task(self.bot.run())
            try:
                ready = asyncio.create_task(self.bot.started.wait())
                await asyncio.wait([task, ready], timeout=5, return_when=asyncio.FIRST_COMPLETED)
                ready.cancel()
                if task.done():
                    await task
                await until(self.gateway.served.is_set)
                yield self.bot
            finally:
                task.cancel()
                await asyncio.wait([task])

    # ---- what people do

    def base(self, channel: ChannelKey = CHANNEL) -> dict[str, Any]:
        self.number += 1
        return {"id": f"e{self.number}", "channel": channel, "at": self.clock.now()}

    async def say(self, text: str, author: Actor = ANA, message: str = "m1", **more: Any) -> tuple[Reply, ...]:
        base = self.base(more.pop("channel", CHANNEL))
        return await self.gateway.bring(MessagePosted(**base, message=message, author=author, text=text, **more))

    async def run(self, code: str, author: Actor = ANA, message: str = "m1", **more: Any) -> tuple[Reply, ...]:
        return await self.say(f"```python\n{code}\n```", author, message, **more)

    async def edit(self, code: str, author: Actor = ANA, message: str = "m1") -> tuple[Reply, ...]:
        text = f"```python\n{code}\n```"
        return await self.gateway.bring(MessageEdited(**self.base(), message=message, author=author, text=text))

    async def delete(self, message: str = "m1") -> tuple[Reply, ...]:
        return await self.gateway.bring(MessageDeleted(**self.base(), message=message))

    async def press(self, request: Request, verb: Verb, actor: Actor, **more: Any) -> Reply:
        event = ButtonPressed(
            **self.base(), request=request.id, verb=verb, binding=request.binding[:8], actor=actor, **more
        )
        (reply,) = await self.gateway.bring(event)
        return reply

    async def command(self, text: str, actor: Actor = ROOT, channel: ChannelKey = CHANNEL) -> tuple[Reply, ...]:
        return await self.gateway.bring(CommandIssued(**self.base(channel), actor=actor, text=text))

    # ---- what is to be seen

    async def state(self, channel: ChannelKey = CHANNEL) -> ChannelState:
        return (await self.store.load(channel)).state

    async def request(self, number: int = 0, channel: ChannelKey = CHANNEL) -> Request:
        return (await self.state(channel)).requests[number]

    async def quiet(self) -> None:
        """Until nothing is owed."""
        async with asyncio.timeout(5):
            while await self.store.owed():  # noqa: ASYNC110 - a store sets no event
                await asyncio.sleep(0.0005)

    async def done(self) -> None:
        """Until nothing is owed and nothing runs."""
        async with asyncio.timeout(5):
            while await self.store.owed() or await self.is_busy():  # noqa: ASYNC110 - a store sets no event
                await asyncio.sleep(0.0005)

    async def is_busy(self) -> bool:
        return any(request.status.is_live for request in (await self.state()).requests)

    @property
    def runs(self) -> int:
        """How many blocks a sandbox was given, in this life of the bot."""
        return len(self.sandboxes.started)

    @property
    def posts(self) -> list[Post]:
        return list(self.gateway.posts.values())

    @property
    def texts(self) -> list[str]:
        return [plain(post.view) for post in self.posts]


async def let_time_pass(world: World) -> None:
    """Whoever wants to be woken within half a minute is."""
    while True:
        wake = world.clock.next_wake
        if wake is not None and wake - world.clock.now() < 30:
            world.clock.advance(1)
        await asyncio.sleep(0.0005)
