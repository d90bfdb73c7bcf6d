"""kill -9 at each stage of a request's life, then a new start on the same data: nothing lost, nothing done twice."""

import ast
import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.settings import LimitSettings
from tests.acceptance.process import BotProcess, Person, until
from tests.conftest import Engine

pytestmark = pytest.mark.docker

MARK = "open('/workspace/runs', 'a').write('x')\nprint('ran')"
COUNT = "print(len(open('/workspace/runs').read()), 'runs')"


async def runs(person: Person, channel: str) -> str:
    """How often MARK ran in this channel, as its workspace says."""
    message = await person.run(channel, COUNT)
    if channel == "data":
        card = await person.answer(channel, message, "waiting")
        other = person.__class__(person.http, person.base, "lee")
        assert (await other.press(card["id"], "approve")).status == 202
    text: str = (await person.answer(channel, message))["text"]
    return text.splitlines()[1]


async def test_while_approval_is_pending(bot: BotProcess) -> None:
    ana, lee = bot.person("ana"), bot.person("lee")
    message = await ana.run("data", MARK)
    card = await ana.answer("data", message, "waiting")
    await bot.restart()
    assert (await ana.answers("data", message)) == [await ana.message("data", card["id"])]
    assert (await ana.press(card["id"], "approve")).status == 403
    assert (await lee.press(card["id"], "approve")).status == 202
    answer = await ana.answer("data", message)
    assert (answer["id"], answer["status"]) == (card["id"], "completed")
    assert (await lee.press(card["id"], "approve")).status == 410
    assert await runs(ana, "data") == "1 runs"


async def test_approved_and_not_started(bot: BotProcess) -> None:
    """One that waits in the queue behind another of the same person."""
    ana, lee = bot.person("ana"), bot.person("lee")
    first = await ana.run("data", "import time\ntime.sleep(9)")
    second = await ana.run("data", MARK)
    for message in (first, second):
        card = await ana.answer("data", message, "waiting")
        assert (await lee.press(card["id"], "approve")).status == 202
    await ana.answer("data", first, "running")
    await ana.answer("data", second, "queued")
    await bot.restart()
    interrupted = await ana.answer("data", first)
    assert interrupted["status"] == "interrupted"
    ran = await ana.answer("data", second)
    assert ran["status"] == "completed"
    assert len(await ana.answers("data", second)) == 1
    assert await runs(ana, "data") == "1 runs"


async def test_while_it_runs(bot: BotProcess) -> None:
    ana = bot.person("ana")
    message = await ana.run("general", MARK + "\nimport time\ntime.sleep(9)")
    running = await ana.answer("general", message, "running")
    await bot.restart()
    answer = await ana.answer("general", message)
    assert (answer["id"], answer["status"]) == (running["id"], "interrupted")
    assert "interrupted by a restart" in answer["text"]
    assert [b["label"] for b in answer["buttons"]] == ["Run again"]
    assert await runs(ana, "general") == "1 runs"
    assert (await ana.press(answer["id"], "run_again")).status == 202
    again = await ana.answer("general", message, "running")
    assert again["id"] != answer["id"]
    assert (await ana.press(again["id"], "stop")).status == 202
    await ana.answer("general", message, "cancelled")
    assert await runs(ana, "general") == "2 runs"


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Nobody else can write this SQLite database meanwhile."""
    held = sqlite3.connect(database, isolation_level=None)
    try:
        held.execute("BEGIN IMMEDIATE")
        yield
    finally:
        held.close()


def rows(database: Path, query: str, *values: object) -> list[tuple[object, ...]]:
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        return connection.execute(query, values).fetchall()


async def test_while_an_answer_is_owed_and_not_posted(bot: BotProcess) -> None:
    """The chat cannot be written while the program ends, so its answer is owed when the process dies."""
    ana = bot.person("ana")
    await ana.answer("general", await ana.run("general", "print('warm')"))
    message = await ana.run("general", "import time\ntime.sleep(0.3)\n" + MARK)
    state = bot.data / "state.sqlite3"

    async def has_ended() -> bool:
        found = rows(state, "SELECT status FROM requests WHERE source = ?", message)
        return found == [("ended",)]

    with locked(bot.data / "web.sqlite3"):
        await until("end of the execution in the store", has_ended)
        owed = rows(state, "SELECT key FROM owed WHERE key LIKE 'show:%'")
        assert len(owed) == 1
        await bot.kill()
    await bot.start()
    answer = await ana.answer("general", message)
    assert answer["status"] == "completed"
    await asyncio.sleep(0.5)
    assert len(await ana.answers("general", message)) == 1
    assert rows(state, "SELECT key FROM owed") == []
    assert await runs(ana, "general") == "1 runs"


async def test_at_twenty_moments_of_a_short_run(bot: BotProcess, engine: Engine, tidy: str) -> None:
    """Wherever it dies, each message ends in one answer with a true end, and its code has run at most once. There is
    one sandbox for the one channel all along, beside the reserve, and somebody else's container is left alone.
    """
    ana = bot.person("ana")
    theirs = engine.client.containers.create(engine.image, ["sleep", "9"], labels={"fencepost.instance": "another"})
    try:
        await ana.answer("general", await ana.run("general", "print('warm')"))
        ends: list[str] = []
        for moment in range(20):
            code = f"open('/workspace/m{moment}', 'a').write('x')\nprint('ran')"
            message = await ana.run("general", code)
            await asyncio.sleep(moment * 0.004)
            await bot.restart()
            ends.append((await ana.answer("general", message))["status"])
            assert len(await ana.answers("general", message)) == 1
            ours = engine.client.containers.list(all=True, filters={"label": f"fencepost.instance={tidy}"})
            assert len(ours) <= 1 + LimitSettings().reserve
        assert set(ends) <= {"completed", "interrupted"}
        sizes = (
            "import glob, os\n"
            "print(sorted((int(p.rpartition('/m')[2]), os.path.getsize(p)) for p in glob.glob('/workspace/m*')))"
        )
        counted = (await ana.answer("general", await ana.run("general", sizes)))["text"]
        ran = dict(ast.literal_eval(counted.splitlines()[1]))
        assert set(ran.values()) == {1}, "a run that was repeated would have written twice"
        assert {moment for moment, end in enumerate(ends) if end == "completed"} <= set(ran)
        assert engine.client.containers.get(theirs.id).status == "created"
    finally:
        theirs.remove(force=True)
