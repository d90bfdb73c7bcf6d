"""The promises of tests/unit/shell/test_restart.py with the store in a real file, opened anew in each life."""

import itertools
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from adapters.storage.sqlite import open_store
from tests.unit.shell.mortal import Fate
from tests.unit.shell.theatre import SCRIPT, Ending, Open, Theatre, check_crashes, check_restarts


@pytest.fixture
def new(tmp_path: Path) -> Callable[[], Open]:
    number = itertools.count()
    return lambda: partial(open_store, tmp_path / f"{next(number)}.db")


@pytest.fixture
async def undisturbed(new: Callable[[], Open]) -> Ending:
    return await Theatre(new(), Fate()).play(SCRIPT)


async def test_a_restart_between_any_two_events_changes_nothing(undisturbed: Ending, new: Callable[[], Open]) -> None:
    await check_restarts(undisturbed, new)


async def test_a_crash_anywhere_loses_nothing_and_runs_nothing_twice(
    undisturbed: Ending, new: Callable[[], Open]
) -> None:
    await check_crashes(undisturbed, new)
