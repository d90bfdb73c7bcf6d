"""A short drill; `python -m tests.drills.sandboxes` (make drills) is the long one, which strikes the engine as well."""

import os
from pathlib import Path

import pytest

from tests.conftest import Engine
from tests.drills.blows import ALL
from tests.drills.drill import Drill

pytestmark = [
    pytest.mark.docker,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can strike the processes of an engine"),
]


async def test_sandboxes_that_are_struck_while_they_work(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("executor.containers.PING_S", 1.0)
    drill = Drill(engine.client, engine.address, engine.image, tmp_path, seed=7, blows=ALL)
    report = await drill.run(60)
    assert not report.problems, report
    assert len(report.records) == 60
    assert report.blows
