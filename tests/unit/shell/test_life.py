"""The bot as a whole, from message to answer, over the twins of everything outside."""

import asyncio
from dataclasses import replace

from bot.core.events import Verb
from bot.core.replies import ReplyKind
from bot.core.state import Status
from executor.fake_supervisor import End, Hold, Say, Write
from executor.types import Outcome
from tests.unit.shell.world import ANA, ASKING, CHANNEL, LEE, World, until

PNG = b"\x89PNG\r\n\x1a\n"


async def test_allowed_code_is_run_and_answered_in_one_post() -> None:
    world = World({"print('hi')": (Say("hi\n"),)})
    async with world.running():
        assert await world.run("print('hi')") == ()
        await world.done()
    [post] = world.posts
    assert post.edits == 0
    assert post.reply_to == "m1"
    assert "✅ Python · exit 0" in world.texts[0]
    assert "hi" in world.texts[0]
    request = await world.request()
    assert (request.status, request.outcome) == (Status.ENDED, Outcome.COMPLETED)
    assert request.answer is not None
    assert request.answer.message == post.id


async def test_code_that_is_asked_about_runs_after_the_click() -> None:
    world = World({"print('hi')": (Say("hi\n"),)}, ASKING)
    async with world.running():
        await world.run("print('hi')")
        await world.quiet()
        assert world.runs == 0
        assert "🔒" in world.texts[0]
        reply = await world.press(await world.request(), Verb.APPROVE, LEE)
        assert reply.kind is ReplyKind.DONE
        await world.done()
        assert world.runs == 1
    assert len(world.posts) == 1
    assert "Approved by lee" in world.texts[0]
    assert world.gateway.calls.count("look_up memory:lee") == 1


async def test_whoever_lost_the_right_to_approve_is_noticed_at_the_start_of_the_run() -> None:
    world = World({}, ASKING)
    async with world.running():
        await world.run("print('hi')")
        await world.quiet()
        world.gateway.people[LEE.id] = replace(LEE, standing=frozenset())
        await world.press(await world.request(), Verb.APPROVE, LEE)
        await world.done()
        assert world.runs == 0
    assert (await world.request()).status is Status.REVOKED


async def test_files_and_long_output_come_out_as_blobs() -> None:
    long = "".join(f"line {n}\n" for n in range(5_000))
    world = World({"work": (Say(long), Write("plot.png", PNG))})
    async with world.running():
        await world.run("work")
        await world.done()
    request = await world.request()
    [block] = request.blocks
    assert block.cut
    assert len(block.text) < 9_000
    assert "lines left out …" in block.text
    assert block.full is not None
    assert await world.blobs.get(block.full.sha256) == long.encode()
    [file] = request.files
    assert (file.name, file.media_type) == ("plot.png", "image/png")
    assert await world.blobs.get(file.sha256) == PNG


async def test_the_value_of_a_last_expression_is_asked_for_and_shown() -> None:
    world = World({"6 * 7": (End(0, value="42"),)})
    async with world.running():
        await world.run("6 * 7")
        await world.done()
    assert "→ 42" in world.texts[0]
    assert "no output" not in world.texts[0]


async def test_a_long_run_is_shown_while_it_runs() -> None:
    go_on = asyncio.Event()
    world = World({"slow": (Say("one\n"), Hold(go_on), Say("two\n"))})
    async with world.running():
        await world.run("slow")
        await until(lambda: world.runs)
        assert world.posts == []
        world.clock.advance(0.4)
        await until(lambda: world.posts)
        assert "running" in world.texts[0]
        go_on.set()
        await world.done()
    assert "one\ntwo" in world.texts[0]
    assert len(world.posts) == 1


async def test_stop_ends_what_runs() -> None:
    world = World({"slow": (Say("one\n"), Hold(asyncio.Event()))})
    async with world.running():
        await world.run("slow")
        await until(lambda: world.runs)
        reply = await world.press(await world.request(), Verb.STOP, ANA)
        assert reply.kind is ReplyKind.DONE
        await world.done()
    assert (await world.request()).outcome is Outcome.CANCELLED


async def test_deleting_a_message_takes_its_answer_away() -> None:
    world = World({})
    async with world.running():
        await world.run("x")
        await world.done()
        assert len(world.posts) == 1
        await world.delete()
        await world.quiet()
    assert world.posts == []


async def test_an_engine_that_is_down_is_said_and_tried_again() -> None:
    world = World({"x": (Say("hi\n"),)})
    async with world.running():
        world.sandboxes.engine.down = True
        await world.run("x")
        await until(lambda: world.posts)
        await world.quiet()
        assert (await world.request()).held is not None
        world.sandboxes.engine.down = False
        world.clock.advance(2.5)
        await world.done()
    assert "hi" in world.texts[0]
    assert len(world.posts) == 1


async def test_a_waiting_request_expires_by_itself() -> None:
    world = World({}, ASKING)
    async with world.running():
        await world.run("x")
        await world.quiet()
        world.clock.advance(3600)
        await world.done()
    assert (await world.request()).status is Status.EXPIRED
    assert "nothing ran" in world.texts[0]


async def test_a_click_on_nothing_is_answered() -> None:
    world = World({}, ASKING)
    async with world.running():
        await world.run("x")
        await world.quiet()
        request = (await world.request()).model_copy(update={"id": "r0"})
        assert (await world.press(request, Verb.APPROVE, LEE)).kind is ReplyKind.UNKNOWN
    assert (await world.store.load(CHANNEL)).state.requests[0].status is Status.WAITING
