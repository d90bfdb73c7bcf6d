"""What operators see, over a whole bot in memory."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from adapters.storage.memory import MemoryStore
from bot.core.events import Verb
from bot.core.keys import Actor
from bot.core.policy.decision import Effect
from bot.ports import Overview
from bot.shell.overview import HISTORY_S, RULES_S, open_overview
from executor.fake_supervisor import Hold, Say
from executor.types import MIB
from tests.unit.shell.world import ANA, ASKING, BO, CHANNEL, LEE, OTHER, ROOT, World, until

BOTH = (CHANNEL, OTHER)


@asynccontextmanager
async def seen(world: World) -> AsyncIterator[Overview]:
    assert isinstance(world.store, MemoryStore)
    async with open_overview(world.store, world.sandboxes, world.site, world.clock) as overview:
        yield overview


async def test_what_waits_in_every_channel_and_what_is_left_of_it_after_the_click() -> None:
    world = World({"x": (Say("hi\n"),)}, policy=ASKING)
    async with world.running(), seen(world) as overview:
        await world.run("x", message="m1")
        world.clock.advance(1)
        await world.run("x", BO, "m2", channel=OTHER)
        await world.quiet()
        lines = await overview.approvals(LEE, BOTH)
        assert [(line.channel, line.requester_name, line.source) for line in lines] == [
            (CHANNEL, "ana", "m1"),
            (OTHER, "bo", "m2"),
        ]
        assert {line.message for line in lines} == {post.id for post in world.posts}
        assert [line.source for line in await overview.approvals(LEE, [OTHER])] == ["m2"]
        assert await overview.approvals(LEE, []) == []

        await world.press(await world.request(), Verb.APPROVE, LEE)
        await world.done()
        assert [line.source for line in await overview.approvals(LEE, BOTH)] == ["m2"]
        (line,) = await overview.history(BOTH, 10)
        assert (line.decided, line.outcome, line.source) == ("approved by lee", "completed", "m1")
        assert await overview.history([OTHER], 10) == []


async def test_what_runs_and_what_is_in_line() -> None:
    go = asyncio.Event()
    world = World({"slow": (Hold(go),)})
    async with world.running(), seen(world) as overview:
        await world.run("slow", message="m1")
        await world.run("next", message="m2")
        await world.run("slow", BO, "m3", channel=OTHER)
        await until(lambda: world.runs == 2)
        lines = await overview.executions(ANA, BOTH)
        assert [(line.channel, line.source, line.state, line.position) for line in lines] == [
            (CHANNEL, "m1", "running", 0),
            (CHANNEL, "m2", "queued", 1),
            (OTHER, "m3", "running", 0),
        ]
        assert [line.source for line in await overview.executions(ANA, [OTHER])] == ["m3"]
        go.set()
        await world.done()
        async with asyncio.timeout(5):
            while await overview.executions(ANA, BOTH):  # noqa: ASYNC110 - a store sets no event
                await asyncio.sleep(0.001)


async def test_a_halt_is_seen_on_what_it_holds() -> None:
    world = World({})
    async with world.running(), seen(world) as overview:
        await world.command("halt")
        await world.quiet()
        await world.run("x")
        (line,) = await overview.executions(LEE, BOTH)
        assert (line.state, line.held) == ("held", "root halted everything")


async def test_rules_with_what_they_did_in_a_week() -> None:
    world = World({})
    async with world.running(), seen(world) as overview:
        for number in range(3):
            await world.run("x", message=f"m{number}")
            await world.done()
        first = [(policy.channel, policy.rules[0]) for policy in await overview.policies(BOTH)]
        assert [(channel, rule.id, rule.times, rule.ran) for channel, rule in first] == [
            (CHANNEL, "all", 3, 3),
            (OTHER, "all", 0, 0),
        ]
        world.clock.advance(RULES_S + 1)
        (policy,) = await overview.policies([CHANNEL])
        assert policy.rules[0].times == 0


async def test_a_remembered_rule_is_one_of_the_rules() -> None:
    world = World({}, policy=ASKING)
    async with world.running(), seen(world) as overview:
        await world.run("x")
        await world.quiet()
        await world.press(await world.request(), Verb.REMEMBER, LEE, choice="exact")
        await world.done()
        await world.run("x", message="m2")
        await world.done()
        kept, default = (await overview.policies([CHANNEL]))[0].rules
        assert (kept.effect, kept.remembered, kept.times, kept.ran) == (Effect.ALLOW, True, 1, 1)
        assert (default.id, default.effect, default.times, default.ran) == (None, Effect.ASK, 1, 1)


async def test_history_is_of_one_day() -> None:
    world = World({})
    async with world.running(), seen(world) as overview:
        await world.run("x")
        await world.done()
        assert len(await overview.history([CHANNEL], 10)) == 1
        world.clock.advance(HISTORY_S + 1)
        assert await overview.history([CHANNEL], 10) == []


async def test_sandboxes_are_those_of_the_channels_and_of_none() -> None:
    world = World({})
    async with world.running(), seen(world) as overview:
        await world.run("x", message="m1")
        await world.run("x", message="m2", channel=OTHER)
        await world.done()
        await until(lambda: [status.state for status in world.sandboxes.list()] == ["idle", "idle"])
        here = await overview.sandboxes([CHANNEL])
        assert [(line.channel, line.state, line.executions) for line in here] == [(CHANNEL, "idle", 0)]
        assert [line.channel for line in await overview.sandboxes(BOTH)] == [OTHER, CHANNEL]


async def test_memory_comes_a_little_later() -> None:
    world = World({})
    async with world.running(), seen(world) as overview:
        await world.run("x")
        await world.done()
        await overview.sandboxes([CHANNEL])
        async with asyncio.timeout(5):
            while [each.memory_bytes for each in await overview.sandboxes([CHANNEL])] != [21 * MIB]:  # noqa: ASYNC110
                await asyncio.sleep(0)  # until the reading that was asked for is there


@pytest.mark.parametrize(
    ("person", "leads", "groups"), [(ANA, False, set()), (LEE, True, {"leads"}), (ROOT, True, {"leads"})]
)
async def test_who_leads(person: Actor, leads: bool, groups: set[str]) -> None:
    world = World({}, policy=ASKING)
    async with world.running(), seen(world) as overview:
        assert overview.leads(person, CHANNEL) is leads
        assert overview.groups(person, CHANNEL) == groups
