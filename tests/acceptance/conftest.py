"""A demo of its own for each test, and none of its sandboxes left behind."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from bot.settings import instance_of
from tests.acceptance.process import BotProcess, running
from tests.conftest import Engine


@pytest.fixture
def tidy(engine: Engine, tmp_path: Path) -> Iterator[str]:
    """The instance label of the demo under `tmp_path`; whatever carries it is removed at the end."""
    instance = instance_of(tmp_path / "data" / "demo")
    yield instance
    for container in engine.client.containers.list(all=True, filters={"label": f"fencepost.instance={instance}"}):
        container.remove(force=True, v=True)
    for volume in engine.client.volumes.list(filters={"label": f"fencepost.instance={instance}"}):
        volume.remove(force=True)


@pytest.fixture
async def bot(engine: Engine, tidy: str, tmp_path: Path) -> AsyncIterator[BotProcess]:
    async with running(tmp_path, engine.address) as started:
        yield started
