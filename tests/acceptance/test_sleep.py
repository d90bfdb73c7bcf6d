"""A channel's files outlive its sandbox: through sleep, kill -9, and a container that somebody removes."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.process import BotProcess, Person, running, until
from tests.conftest import Engine

pytestmark = pytest.mark.docker

WRITE = (
    "import os, pathlib\nos.makedirs('data/deep', exist_ok=True)\n"
    "pathlib.Path('data/deep/notes.txt').write_text('kept')\nos.chmod('data/deep/notes.txt', 0o600)"
)
READ = "print(open('data/deep/notes.txt').read())"
ADD = "open('data/deep/notes.txt', 'a').write(' and more')"


@pytest.fixture
async def bot(engine: Engine, tidy: str, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[BotProcess]:
    env = {"FENCEPOST_LIMITS__SLEEP_AFTER_S": "1", "FENCEPOST_LIMITS__RESERVE": str(getattr(request, "param", 0))}
    async with running(tmp_path, engine.address, env) as started:
        yield started


def of_channels(engine: Engine, instance: str) -> list[Any]:
    """Containers that belong to a channel, not to the reserve."""
    found = engine.client.containers.list(all=True, filters={"label": f"fencepost.instance={instance}"})
    return [container for container in found if "--reserve-" not in container.name]


async def asleep(engine: Engine, instance: str) -> None:
    async def gone() -> bool:
        return not await asyncio.to_thread(of_channels, engine, instance)

    await until("end of the sandbox", gone)


async def said(person: Person, code: str) -> str:
    answer = await person.answer("general", await person.run("general", code))
    assert answer["status"] == "completed", answer
    lines: list[str] = answer["text"].splitlines()
    return lines[1] if len(lines) > 1 else ""


@pytest.mark.parametrize("bot", [0, 1], indirect=True, ids=["no reserve", "reserve"])
async def test_files_are_there_after_sleep(bot: BotProcess, engine: Engine, tidy: str) -> None:
    ana = bot.person("ana")
    await said(ana, WRITE)
    await asleep(engine, tidy)
    began = time.perf_counter()
    assert await said(ana, READ) == "kept"
    print(f"first answer of a sandbox that slept: {(time.perf_counter() - began) * 1000:.0f} ms")  # noqa: T201
    await said(ana, ADD)
    await asleep(engine, tidy)
    assert await said(ana, READ) == "kept and more"


async def test_files_are_there_after_a_kill_and_a_container_removed_by_hand(
    bot: BotProcess, engine: Engine, tidy: str
) -> None:
    ana = bot.person("ana")
    await said(ana, WRITE)
    await saved(bot)
    await bot.kill()
    for container in of_channels(engine, tidy):
        await asyncio.to_thread(container.remove, force=True, v=True)
    await bot.start()
    assert await said(ana, READ) == "kept"


async def test_a_sandbox_that_outlives_a_killed_bot_is_saved_by_the_next(
    bot: BotProcess, engine: Engine, tidy: str
) -> None:
    ana = bot.person("ana")
    await said(ana, WRITE)
    await bot.restart()
    await said(ana, ADD)
    await bot.restart()
    await asleep(engine, tidy)
    assert await said(ana, READ) == "kept and more"


async def saved(bot: BotProcess) -> None:
    async def look() -> bool:
        return any((bot.data / "workspaces").glob("*.journal"))

    await until("journal", look)
    await asyncio.sleep(0.2)  # it is there before its first COMMIT is
