"""What only the store in a file can get wrong."""

import asyncio
import sqlite3
import stat
from pathlib import Path

import pytest

from adapters.storage import schema
from adapters.storage.connection import open_database
from adapters.storage.sqlite import EVENTS_KEPT_S, SqliteStore, open_store
from bot.core.effects import ShowAnswer
from bot.ports import DuplicateEvent, StoreUnavailable, VersionConflict
from tests.contract.samples import AT, CHANNEL, commit, request

SHOW = ShowAnswer(request="r1", answer="a-r1")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "fencepost.db"


async def test_what_was_saved_is_there_after_opening_again(path: Path) -> None:
    saved = commit(0, "e1", request("r1"), effects=(SHOW,))
    async with open_store(path) as store:
        owed = await store.save(saved)
    async with open_store(path) as store:
        assert (await store.load(CHANNEL)).state == saved.state
        assert tuple(await store.owed()) == owed
        assert await store.seen("e1")


async def test_files_are_for_their_owner_only(path: Path) -> None:
    async with open_store(path) as store:
        await store.save(commit(0, "e1"))
        modes = {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


async def test_a_commit_is_on_disk_when_it_returns(path: Path) -> None:
    async with open_database(path) as database, database.reading() as db:
        rows = [
            (await (await db.execute(f"PRAGMA {name}")).fetchone())
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        ]
    assert [row[0] for row in rows if row is not None] == ["wal", 2, 1, 5000]


async def test_two_processes_on_one_file_lose_cleanly_by_version(path: Path) -> None:
    async with open_store(path) as first, open_store(path) as second:
        await first.save(commit(0, "e1", request("r1")))
        with pytest.raises(VersionConflict):
            await second.save(commit(0, "e2", request("r2")))
        loaded = await second.load(CHANNEL)
        assert loaded.version == 1
        await second.save(commit(1, "e2", *loaded.state.requests, request("r2")))
        with pytest.raises(VersionConflict):
            await first.save(commit(1, "e3", request("r3")))
        with pytest.raises(DuplicateEvent):
            await first.save(commit(2, "e2", request("r3")))
        results = await asyncio.gather(
            *(store.save(commit(2, f"f{n}")) for n, store in enumerate((first, second) * 10)), return_exceptions=True
        )
        assert sum(isinstance(result, VersionConflict) for result in results) == 19


async def test_a_file_of_a_newer_version_is_refused_and_left_alone(path: Path) -> None:
    async with open_store(path):
        pass
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {len(schema.STEPS) + 1}")
    with pytest.raises(StoreUnavailable, match="newer Fencepost"):
        async with open_store(path):
            pass


async def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"not a database at all, " * 100)
    with pytest.raises(StoreUnavailable, match="cannot be opened"):
        async with open_store(path):
            pass


async def test_a_step_of_the_schema_is_taken_once_or_not_at_all(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_store(path) as store:
        await store.save(commit(0, "e1"))
    grown = (*schema.STEPS, "CREATE TABLE more (x TEXT) STRICT; CREATE TABLE broken (")
    monkeypatch.setattr(schema, "STEPS", grown)
    with pytest.raises(StoreUnavailable):
        async with open_store(path):
            pass
    monkeypatch.setattr(schema, "STEPS", (*schema.STEPS[:-1], "CREATE TABLE more (x TEXT) STRICT;"))
    async with open_store(path) as store, open_store(path):
        assert (await store.load(CHANNEL)).version == 1
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (len(grown),)


async def test_two_that_open_a_new_file_at_once_make_one_schema(path: Path) -> None:
    async def use(event: str) -> None:
        async with open_store(path) as store:
            await store.seen(event)

    await asyncio.gather(*(use(str(n)) for n in range(8)))


async def test_a_save_that_is_cancelled_leaves_nothing_half_done(path: Path) -> None:
    async with open_store(path) as store:
        for pauses in range(60):
            before = await store.load(CHANNEL)
            save = store.save(commit(before.version, f"e{pauses}", request(f"r{pauses}"), effects=(SHOW,)))
            task = asyncio.create_task(save)
            for _ in range(pauses):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            after = await store.load(CHANNEL)
            whole = (after.version, await store.seen(f"e{pauses}")) == (before.version + 1, True)
            nothing = (after.version, await store.seen(f"e{pauses}")) == (before.version, False)
            assert whole or nothing
            assert (f"r{pauses}" in [r.id for r in after.state.requests]) is whole
        await store.save(commit((await store.load(CHANNEL)).version, "last"))


async def test_events_are_forgotten_after_two_days(path: Path) -> None:
    async with open_store(path) as store:
        await store.save(commit(0, "old"))
        await store.save(commit(1, "young", at=AT + 3600))
        await store.save(commit(2, "new", at=AT + EVENTS_KEPT_S + 1))
        assert [await store.seen(name) for name in ("old", "young", "new")] == [False, True, True]


async def test_a_state_that_this_version_cannot_read_is_said(path: Path) -> None:
    async with open_store(path) as store:
        await store.save(commit(0, "e1", request("r1")))
        with sqlite3.connect(path) as db:
            db.execute("""UPDATE channels SET state = json_set(state, '$.schema_version', 99)""")
        with pytest.raises(StoreUnavailable, match="cannot be read"):
            await store.load(CHANNEL)


async def test_a_disk_that_is_full_is_a_sentence_and_the_store_goes_on(path: Path) -> None:
    async with open_database(path) as database:
        async with database.reading() as db:
            await db.execute("PRAGMA max_page_count = 1")
        store = SqliteStore(database)
        big = request("r1", reason="x" * 5_000_000)
        with pytest.raises(StoreUnavailable, match="cannot be written just now"):
            await store.save(commit(0, "e1", big))
        async with database.reading() as db:
            await db.execute("PRAGMA max_page_count = 1000000")
        await store.save(commit(0, "e1", big))
        assert (await store.load(CHANNEL)).version == 1
