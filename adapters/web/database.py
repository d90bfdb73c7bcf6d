"""The web chat's own SQLite file: two connections, one that writes and one that sees only what was committed.

Writes are transactions one after the other; a stream or a listing that reads meanwhile never sees half of one. In WAL
mode with synchronous=FULL, what was committed outlives the process and the machine's power.
"""

import asyncio
import secrets
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import aiosqlite

from bot.ports import PlatformUnavailable

VERSION = 2

SCHEMA = """
CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

-- One row a message for ever; a deleted one keeps its place and loses its content. `changed` is the number of its last
-- change and `created` that of its first: every change takes the next number of the whole chat. `body` is JSON.
-- `idem` is what makes a repeated post the same message.
CREATE TABLE messages (
    id TEXT PRIMARY KEY,
    channel TEXT NOT NULL,
    thread TEXT,
    author TEXT NOT NULL,
    reply_to TEXT,
    only_for TEXT,
    body TEXT NOT NULL,
    created_at REAL NOT NULL,
    created INTEGER NOT NULL,
    changed INTEGER NOT NULL UNIQUE,
    edited INTEGER NOT NULL DEFAULT 0,
    deleted INTEGER NOT NULL DEFAULT 0,
    idem TEXT UNIQUE
) STRICT;
CREATE INDEX messages_of_channel ON messages (channel, changed);
CREATE INDEX messages_by_creation ON messages (channel, created);

-- Every value that a button of a message ever had; `shown` is the change that showed it last.
CREATE TABLE buttons (
    message TEXT NOT NULL REFERENCES messages (id),
    button TEXT NOT NULL,
    value TEXT NOT NULL,
    shown INTEGER NOT NULL,
    PRIMARY KEY (message, button, value)
) STRICT, WITHOUT ROWID;

-- Events that the core has not saved yet, in the order they happened. `body` is JSON.
CREATE TABLE owed (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL,
    message TEXT NOT NULL,
    kind TEXT NOT NULL,
    author TEXT NOT NULL,
    at REAL NOT NULL,
    body TEXT NOT NULL
) STRICT;

-- Files that were handed to one person in answer to a click.
CREATE TABLE handouts (
    id TEXT PRIMARY KEY,
    channel TEXT NOT NULL,
    person TEXT NOT NULL,
    file TEXT NOT NULL,
    UNIQUE (channel, person, file)
) STRICT;

-- Logins, by the hash of the cookie. `password` names the password that was in force: a new one ends them.
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    person TEXT NOT NULL,
    password TEXT NOT NULL,
    ends_at REAL NOT NULL
) STRICT;
"""

STEPS = {1: "CREATE INDEX messages_by_creation ON messages (channel, created);"}
"""From a version to the next."""


class Database:
    def __init__(self, writer: aiosqlite.Connection, reader: aiosqlite.Connection, secret: bytes) -> None:
        self._writer = writer
        self._reader = reader
        self._turn = asyncio.Lock()
        self.secret = secret
        """32 bytes of this installation, for tokens that need no row."""

    @classmethod
    @asynccontextmanager
    async def open(cls, path: Path) -> "AsyncIterator[Database]":
        """Raises PlatformUnavailable where it cannot be opened, or was written by a later version."""
        _make_private(path)
        async with AsyncExitStack() as opened:
            with unavailable():
                writer = await opened.enter_async_context(aiosqlite.connect(path, isolation_level=None))
                writer.row_factory = sqlite3.Row
                await writer.execute("PRAGMA journal_mode=WAL")
                await writer.execute("PRAGMA synchronous=FULL")
                await writer.execute("PRAGMA foreign_keys=ON")
                secret = await _prepare(writer, path)
                reader = await opened.enter_async_context(aiosqlite.connect(path, isolation_level=None))
                reader.row_factory = sqlite3.Row
                await reader.execute("PRAGMA query_only=ON")
            yield cls(writer, reader, secret)

    @asynccontextmanager
    async def write(self) -> AsyncIterator[aiosqlite.Connection]:
        """One transaction: kept whole when the block ends, undone when it raises or is cancelled."""
        with unavailable():
            async with self._turn:
                try:
                    await self._writer.execute("BEGIN IMMEDIATE")
                    yield self._writer
                    await self._writer.execute("COMMIT")
                except BaseException:
                    await asyncio.shield(_undo(self._writer))
                    raise

    async def read(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        with unavailable():
            return await rows(self._reader, sql, *values)


async def rows(connection: aiosqlite.Connection, sql: str, *values: Any) -> list[sqlite3.Row]:
    return list(await connection.execute_fetchall(sql, values))


@contextmanager
def unavailable() -> Iterator[None]:
    """SQLite's own trouble (disk full, locked, damaged) as the platform's."""
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise
    except sqlite3.DatabaseError as error:
        raise PlatformUnavailable("The web chat's database cannot be used right now.") from error


def _make_private(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.touch(mode=0o600)


async def _prepare(writer: aiosqlite.Connection, path: Path) -> bytes:
    [(version,)] = await rows(writer, "PRAGMA user_version")
    if version > VERSION:
        raise PlatformUnavailable(f"{path} was written by a later version of Fencepost; start that one.")
    if version == 0:
        await writer.executescript(f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version={VERSION}; COMMIT;")
    else:
        for step in range(version, VERSION):
            await writer.executescript(f"BEGIN IMMEDIATE; {STEPS[step]} PRAGMA user_version={step + 1}; COMMIT;")
    await writer.execute("INSERT OR IGNORE INTO secrets VALUES ('key', ?)", (secrets.token_hex(32),))
    [(secret,)] = await rows(writer, "SELECT value FROM secrets WHERE name = 'key'")
    return bytes.fromhex(secret)


async def _undo(writer: aiosqlite.Connection) -> None:
    """A transaction that has ended already (committed while we were cancelled, or by SQLite itself) needs no end."""
    with suppress(sqlite3.OperationalError):
        await writer.execute("ROLLBACK")
