"""Any prefix of events, then a restart, ends like no restart; a crash anywhere loses nothing and runs nothing twice."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from adapters.storage.memory import MemoryStore
from bot.core.state import Status
from bot.ports import Store
from tests.unit.shell.mortal import Fate
from tests.unit.shell.theatre import SCRIPT, Ending, Open, Theatre, check_crashes, check_restarts


def new() -> Open:
    store = MemoryStore()

    @asynccontextmanager
    async def the_same() -> AsyncIterator[Store]:
        yield store

    return the_same


@pytest.fixture
async def undisturbed() -> Ending:
    return await Theatre(new(), Fate()).play(SCRIPT)


async def test_the_script_is_worth_playing(undisturbed: Ending) -> None:
    assert undisturbed.ran == {"one": 1, "three": 2}
    assert Counter(r.status for r in undisturbed.state.requests) == {
        Status.ENDED: 3,
        Status.DENIED: 1,
        Status.SUPERSEDED: 2,
    }
    assert len(undisturbed.posts) == 3


async def test_a_restart_between_any_two_events_changes_nothing(undisturbed: Ending) -> None:
    await check_restarts(undisturbed, new)


async def test_a_crash_anywhere_loses_nothing_and_runs_nothing_twice(undisturbed: Ending) -> None:
    await check_crashes(undisturbed, new)
