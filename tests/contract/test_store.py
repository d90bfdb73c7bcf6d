"""What every store keeps to, whatever it is made of."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.storage.memory import MemoryStore
from adapters.storage.sqlite import open_store
from bot.core.effects import RemovePost, ShowAnswer, StartExecution
from bot.core.state import ChannelState, Status, Verdict
from bot.ports import DuplicateEvent, GuardBroken, Loaded, Store, VersionConflict
from tests.contract.samples import AT, CHANNEL, OTHER, commit, request, state, vote


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    if request.param == "memory":
        yield MemoryStore()
    else:
        async with open_store(tmp_path / "fencepost.db") as opened:
            yield opened


SHOW = ShowAnswer(request="r1", answer="a-r1")
START = StartExecution(request="r1")


async def test_a_channel_that_was_never_saved_is_empty(store: Store) -> None:
    assert await store.load(CHANNEL) == Loaded(ChannelState(channel=str(CHANNEL)), 0)


async def test_a_state_comes_back_as_it_was_saved(store: Store) -> None:
    saved = commit(0, "e1", request("r2"), request("r1", votes=(vote("web:lee"),)))
    await store.save(saved)
    assert await store.load(CHANNEL) == Loaded(saved.state, 1)
    assert await store.load(OTHER) == Loaded(ChannelState(channel=str(OTHER)), 0)


async def test_requests_that_a_step_did_not_touch_stay_as_they_were(store: Store) -> None:
    first, second = request("r1"), request("r2")
    await store.save(commit(0, "e1", first))
    await store.save(commit(1, "e2", first, second, touched=(second,)))
    assert (await store.load(CHANNEL)).state.requests == (first, second)


async def test_a_request_that_leaves_the_state_stays_in_the_table(store: Store) -> None:
    ended = request("r1", Status.ENDED, ended_at=AT)
    await store.save(commit(0, "e1", ended))
    await store.save(commit(1, "e2"))
    assert (await store.load(CHANNEL)).state == state()
    assert await store.find_request("r1") == (CHANNEL, ended)
    assert await store.find_request("r9") is None


async def test_a_save_from_an_old_version_loses(store: Store) -> None:
    await store.save(commit(0, "e1", request("r1"), effects=(SHOW,)))
    for base in (0, 2):
        with pytest.raises(VersionConflict):
            await store.save(commit(base, f"late{base}", request("r2"), effects=(START,), settles=(1,)))
    assert (await store.load(CHANNEL)).state == state(request("r1"))
    assert [owed.effect for owed in await store.owed()] == [SHOW]
    assert not await store.seen("late0")
    assert await store.find_request("r2") is None


async def test_an_event_is_saved_once(store: Store) -> None:
    assert not await store.seen("e1")
    await store.save(commit(0, "e1", request("r1")))
    assert await store.seen("e1")
    for base in (0, 1):
        with pytest.raises(DuplicateEvent):
            await store.save(commit(base, "e1", request("r2"), effects=(START,)))
    assert (await store.load(CHANNEL)).version == 1
    assert await store.owed() == []


async def test_effects_are_owed_until_they_are_settled(store: Store) -> None:
    show, start = await store.save(commit(0, "e1", request("r1"), effects=(SHOW, START)))
    assert (show.effect, start.effect) == (SHOW, START)
    assert show.channel == CHANNEL
    assert show.seq < start.seq
    assert await store.owed() == [show, start]
    await store.settle(show.seq)
    assert await store.owed() == [start]
    await store.settle(show.seq)
    assert await store.owed() == [start]


async def test_a_later_effect_with_the_same_key_takes_the_place_of_the_earlier(store: Store) -> None:
    (first,) = await store.save(commit(0, "e1", request("r1"), effects=(SHOW,)))
    (other,) = await store.save(commit(0, "e2", effects=(SHOW,), channel=OTHER))
    (second,) = await store.save(commit(1, "e3", request("r1"), effects=(SHOW,)))
    assert first.seq < other.seq < second.seq
    await store.settle(first.seq)
    assert await store.owed() == [other, second]


async def test_numbers_of_effects_are_never_given_again(store: Store) -> None:
    (first,) = await store.save(commit(0, "e1", request("r1"), effects=(SHOW,)))
    await store.settle(first.seq)
    (second,) = await store.save(commit(1, "e2", request("r1"), effects=(SHOW,)))
    assert second.seq > first.seq


async def test_a_step_settles_what_its_event_came_of(store: Store) -> None:
    show, start = await store.save(commit(0, "e1", request("r1"), effects=(SHOW, START)))
    again, remove = await store.save(
        commit(
            1,
            "e2",
            request("r1"),
            effects=(SHOW, RemovePost(post="a-r1", message=None)),
            settles=(show.seq, start.seq),
        )
    )
    assert await store.owed() == [again, remove]


async def test_live_channels_have_a_live_request_or_owe_something(store: Store) -> None:
    assert await store.live_channels() == []
    await store.save(commit(0, "e1", request("r1", Status.RUNNING)))
    (owed,) = await store.save(commit(0, "e2", effects=(SHOW,), channel=OTHER))
    assert await store.live_channels() == [OTHER, CHANNEL]
    await store.settle(owed.seq)
    assert await store.live_channels() == [CHANNEL]
    await store.save(commit(1, "e3", request("r1", Status.ENDED)))
    assert await store.live_channels() == []


@pytest.mark.parametrize("status", list(Status))
async def test_live_is_what_the_core_calls_live(store: Store, status: Status) -> None:
    await store.save(commit(0, "e1", request("r1", status)))
    assert await store.live_channels() == ([CHANNEL] if status.is_live else [])


async def test_requests_are_found_by_their_message(store: Store) -> None:
    late = request("r1", created_at=AT + 1)
    early = request("r2")
    await store.save(commit(0, "e1", late, early, request("r3", source="m2")))
    await store.save(commit(0, "e2", request("r4"), channel=OTHER))
    assert list(await store.find_by_source(CHANNEL, "m1")) == [early, late]
    assert list(await store.find_by_source(CHANNEL, "m9")) == []


async def test_recent_requests_come_newest_first(store: Store) -> None:
    requests = [request(f"r{n}", created_at=AT + n) for n in range(5)]
    await store.save(commit(0, "e1", *requests))
    await store.save(commit(0, "e2", request("other", created_at=AT + 2.5), channel=OTHER))
    assert [r.id for _, r in await store.recent_requests(CHANNEL, 2)] == ["r4", "r3"]
    everywhere = await store.recent_requests(None, 4)
    assert [(where, r.id) for where, r in everywhere] == [
        (CHANNEL, "r4"),
        (CHANNEL, "r3"),
        (OTHER, "other"),
        (CHANNEL, "r2"),
    ]


async def test_of_requests_of_the_same_moment_the_later_saved_is_newer(store: Store) -> None:
    await store.save(commit(0, "e1", request("r1"), request("r2")))
    assert [r.id for _, r in await store.recent_requests(None, 10)] == ["r2", "r1"]


async def test_a_request_is_executed_once(store: Store) -> None:
    running = request("r1", Status.RUNNING, execution="r1.1", started_at=AT)
    await store.save(commit(0, "e1", running))
    await store.save(commit(1, "e2", running.model_copy(update={"status": Status.ENDED})))
    with pytest.raises(GuardBroken):
        await store.save(commit(2, "e3", running.model_copy(update={"execution": "r1.2"})))
    with pytest.raises(GuardBroken):
        await store.save(commit(2, "e4", running, request("r2", execution="r1.1")))
    assert (await store.load(CHANNEL)).version == 2
    assert not await store.seen("e3")


async def test_a_person_votes_once_on_a_request(store: Store) -> None:
    await store.save(commit(0, "e1", request("r1", votes=(vote("web:lee"), vote("web:kim")))))
    changed = request("r1", votes=(vote("web:lee", Verdict.DENY),))
    await store.save(commit(1, "e2", changed))
    assert (await store.load(CHANNEL)).state.requests == (changed,)
    twice = request("r1", votes=(vote("web:lee"), vote("web:lee", Verdict.DENY)))
    with pytest.raises(GuardBroken):
        await store.save(commit(2, "e3", twice))


async def test_the_halt_is_remembered(store: Store) -> None:
    assert await store.halted_by() is None
    await store.set_halted("root")
    await store.set_halted("rita")
    assert await store.halted_by() == "rita"
    await store.set_halted(None)
    assert await store.halted_by() is None


async def test_saves_at_the_same_time_let_one_win_each_version(store: Store) -> None:
    results = await asyncio.gather(
        *(store.save(commit(0, f"e{n}", request(f"r{n}"), effects=(START,))) for n in range(20)),
        return_exceptions=True,
    )
    losers = [result for result in results if isinstance(result, VersionConflict)]
    assert len(losers) == 19
    assert (await store.load(CHANNEL)).version == 1
    assert len(await store.owed()) == 1


async def test_events_are_kept_for_a_day_at_least(store: Store) -> None:
    await store.save(commit(0, "e1"))
    await store.save(commit(1, "e2", at=AT + 24 * 3600))
    assert await store.seen("e1")
    with pytest.raises(DuplicateEvent):
        await store.save(replace(commit(2, "e1"), at=AT + 24 * 3600))
