"""One connection to the database file: its settings, its transactions, its errors as sentences.

WAL with synchronous=FULL: what was committed survives a loss of power, and readers of other processes (a backup, a
shell command) are never in the way. All statements of this process go through one connection in turn, so a reader never
sees half a step.
"""

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import aiosqlite

from adapters.storage.schema import migrate
from bot.ports import StoreUnavailable

BUSY_TIMEOUT_MS = 5_000
WAL_AGAIN_MS = 20


class Database:
    """Use `open_database`. `transaction` and `reading` take turns; neither can be nested."""

    def __init__(self, db: aiosqlite.Connection) -> None:
        self._db = db
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[aiosqlite.Connection]:
        """All or nothing, also when the awaiting task is cancelled: the roll-back is queued behind whatever still runs
        in the connection's thread, and does nothing after a commit.
        """
        async with self._turn:
            with sentences("written"):
                try:
                    await self._db.execute("BEGIN IMMEDIATE")
                    yield self._db
                    await self._db.commit()
                except BaseException:
                    await self._db.rollback()
                    raise

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[aiosqlite.Connection]:
        async with self._turn:
            with sentences("read"):
                yield self._db


@asynccontextmanager
async def open_database(path: Path) -> AsyncIterator[Database]:
    """Open the file, made for its owner's eyes only, and bring its schema up to date."""
    with sentences("opened"):
        _make_private(path)
        db = await aiosqlite.connect(path, isolation_level=None, timeout=BUSY_TIMEOUT_MS / 1000)
    try:
        with sentences("opened"):
            db.row_factory = sqlite3.Row
            await _use_wal(db)
            for pragma in ("synchronous = FULL", "foreign_keys = ON"):
                await db.execute(f"PRAGMA {pragma}")
            await migrate(db)
        yield Database(db)
    finally:
        await db.close()


async def _use_wal(db: aiosqlite.Connection) -> None:
    """SQLite does not wait for others while it changes the mode of a new file, however long its time-out is."""
    tries = BUSY_TIMEOUT_MS // WAL_AGAIN_MS
    while True:
        try:
            await db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            tries -= 1
            if tries <= 0:
                raise
        await asyncio.sleep(WAL_AGAIN_MS / 1000)


@contextmanager
def sentences(what: str) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise StoreUnavailable(f"The bot's database cannot be {what} just now: {error}.") from error


def _make_private(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
