"""What every store tells whoever looks across its channels."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.storage.memory import MemoryStore
from adapters.storage.sqlite import SqliteStore, open_store
from bot.core.overview import RuleUse
from bot.core.policy.decision import Decision, Effect
from bot.core.state import LIVE, Request, Status
from tests.contract.samples import AT, CHANNEL, OTHER, commit, request


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[MemoryStore | SqliteStore]:
    if request.param == "memory":
        yield MemoryStore()
    else:
        async with open_store(tmp_path / "fencepost.db") as opened:
            yield opened


BOTH = (CHANNEL, OTHER)


def decided(request_id: str, rule: str | None, effect: Effect, **changes: object) -> Request:
    decision = Decision(effect=effect, rule=rule, revision="0" * 64, code_sha256="1" * 64)
    return request(request_id, Status.ENDED).model_copy(update={"decision": decision, **changes})


async def test_live_requests_are_those_of_the_channels_that_are_asked_about(store: MemoryStore | SqliteStore) -> None:
    waits = request("r1", created_at=AT + 2)
    runs = request("r2", Status.RUNNING, created_at=AT + 1)
    ended = request("r3", Status.ENDED)
    elsewhere = request("r4", Status.APPROVED, created_at=AT + 3)
    await store.save(commit(0, "e1", waits, runs, ended))
    await store.save(commit(0, "e2", elsewhere, channel=OTHER))
    assert await store.live_requests([CHANNEL]) == [(CHANNEL, runs), (CHANNEL, waits)]
    assert await store.live_requests(BOTH) == [(CHANNEL, runs), (CHANNEL, waits), (OTHER, elsewhere)]
    assert await store.live_requests([]) == []


async def test_what_has_ended_since_a_time_comes_newest_first(store: MemoryStore | SqliteStore) -> None:
    made = [request(f"r{n}", Status.DENIED if n % 2 else Status.ENDED, created_at=AT + n) for n in range(5)]
    live = [request(f"l{status}", status, created_at=AT + 9) for status in LIVE]
    await store.save(commit(0, "e1", *made[:4], *live))
    await store.save(commit(0, "e2", made[4], channel=OTHER))
    since = await store.ended_since(BOTH, AT + 2, 10)
    assert [(key, each.id) for key, each in since] == [(OTHER, "r4"), (CHANNEL, "r3"), (CHANNEL, "r2")]
    assert [each.id for _, each in await store.ended_since(BOTH, AT, 2)] == ["r4", "r3"]
    assert [each.id for _, each in await store.ended_since([CHANNEL], AT + 3, 10)] == ["r3"]
    assert await store.ended_since([], AT, 10) == []


async def test_what_rules_did_is_counted(store: MemoryStore | SqliteStore) -> None:
    await store.save(
        commit(
            0,
            "e1",
            decided("r1", "a", Effect.ALLOW, started_at=AT),
            decided("r2", "a", Effect.ALLOW, started_at=AT),
            decided("r3", "a", Effect.ALLOW),
            decided("r4", "a", Effect.ASK),
            decided("r5", None, Effect.ASK, started_at=AT),
            decided("r6", "a", Effect.ALLOW, started_at=AT, created_at=AT - 1),
        )
    )
    await store.save(commit(0, "e2", decided("r7", "a", Effect.DENY), channel=OTHER))

    def use(rule: str | None, effect: Effect, times: int, ran: int) -> RuleUse:
        return RuleUse(channel=CHANNEL, rule=rule, effect=effect, times=times, ran=ran)

    here = [use("a", Effect.ALLOW, 3, 2), use("a", Effect.ASK, 1, 0), use(None, Effect.ASK, 1, 1)]
    assert set(await store.rule_uses([CHANNEL], AT)) == set(here)
    there = RuleUse(channel=OTHER, rule="a", effect=Effect.DENY, times=1, ran=0)
    assert set(await store.rule_uses(BOTH, AT)) == {*here, there}
    assert await store.rule_uses(BOTH, AT + 1) == []


async def test_a_request_that_goes_on_is_counted_as_it_is_now(store: MemoryStore | SqliteStore) -> None:
    await store.save(commit(0, "e1", decided("r1", "a", Effect.ALLOW)))
    await store.save(commit(1, "e2", decided("r1", "a", Effect.ALLOW, started_at=AT + 1)))
    (use,) = await store.rule_uses([CHANNEL], AT)
    assert (use.times, use.ran) == (1, 1)
