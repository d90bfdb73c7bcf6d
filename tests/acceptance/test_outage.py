"""The Docker engine goes away and comes back: people are told, nothing runs twice, and the bot needs no restart."""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from scripts.engine import own
from scripts.engine.machine import this_machine
from tests.acceptance.process import BotProcess, running
from tests.conftest import Engine

pytestmark = pytest.mark.docker

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class SecondEngine:
    """A Docker engine of the test's own, to be stopped and started."""

    folder: own.Folder

    def start(self) -> None:
        """From a process of its own: the engine outlives whoever starts it."""
        code = (
            "import sys, pathlib\n"
            "from scripts.engine import machine, own\n"
            "own.start(own.Folder(pathlib.Path(sys.argv[1])), machine.this_machine(), alone=False)"
        )
        subprocess.run([sys.executable, "-c", code, self.folder.root], check=True, cwd=ROOT)

    def stop(self) -> None:
        own.stop(self.folder)


@pytest.fixture(scope="module")
def second(engine: Engine) -> Iterator[SecondEngine]:
    """With the sandbox image, which comes from the cache that the first engine's was kept in."""
    if this_machine().become_root != ():
        pytest.skip("only root can start a second engine")
    with tempfile.TemporaryDirectory(prefix="fp-", dir=_fast_folder(), ignore_cleanup_errors=True) as folder:
        started = SecondEngine(own.Folder(Path(folder)))
        started.start()
        try:
            here = {"DOCKER_HOST": started.folder.address, "FENCEPOST_DOCKER__HOST": started.folder.address}
            env = {name: value for name, value in os.environ.items() if not name.startswith("FENCEPOST_")} | here
            subprocess.run([ROOT / "scripts/image"], check=True, env=env, stdout=subprocess.DEVNULL)
            yield started
        finally:
            started.stop()


def _fast_folder() -> str | None:
    """In memory where there is room for the image: a disk takes half a minute to delete it again."""
    memory = Path("/dev/shm")
    return str(memory) if memory.is_dir() and shutil.disk_usage(memory).free > 3 * 2**30 else None


@pytest.fixture
async def bot(second: SecondEngine, tmp_path: Path) -> AsyncIterator[BotProcess]:
    async with running(tmp_path, second.folder.address) as started:
        yield started


async def test_an_engine_that_stops_before_a_run_and_during_one(bot: BotProcess, second: SecondEngine) -> None:
    ana = bot.person("ana")
    assert "42" in (await ana.answer("general", await ana.run("general", "print(6 * 7)")))["text"]

    during = await ana.run("general", "import time\nprint('begun', flush=True)\ntime.sleep(9)")
    await ana.answer("general", during, "running")
    await asyncio.to_thread(second.stop)
    lost = await ana.answer("general", during)
    assert lost["status"] == "lost"
    assert "It was not run again by itself." in lost["text"]

    before = await ana.run("general", "print('after the outage')")
    held = await ana.answer("general", before, "queued")
    assert "Docker does not answer on this machine.\nNothing ran. It runs by itself once that is over" in held["text"]
    assert [button["id"] for button in held["buttons"]] == ["cancel"]

    await asyncio.to_thread(second.start)
    back = await ana.answer("general", before)
    assert (back["id"], back["status"]) == (held["id"], "completed")
    assert "after the outage" in back["text"]
    assert len(await ana.answers("general", before)) == 1
    assert "ok" in (await ana.answer("general", await ana.run("general", "print('ok')")))["text"]


async def test_a_start_without_an_engine(bot: BotProcess, second: SecondEngine) -> None:
    """The bot is there for its people all the same, and runs what they asked for once it can."""
    ana, lee = bot.person("ana"), bot.person("lee")
    await asyncio.to_thread(second.stop)
    await bot.restart()
    assert (await ana.call("GET", "/readyz")).status == 503
    message = await ana.run("data", "print('patience')")
    card = await ana.answer("data", message, "waiting")
    assert (await lee.press(card["id"], "approve")).status == 202
    await ana.answer("data", message, "queued")
    await asyncio.to_thread(second.start)
    assert "patience" in (await ana.answer("data", message))["text"]
