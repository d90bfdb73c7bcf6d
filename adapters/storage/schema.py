"""The tables, as numbered steps from an empty file to today's; `PRAGMA user_version` says how many were taken.

`channels.state` is the channel's state without its requests; `channels.requests` lists their ids in order, and each
lies in `requests` once, whether it is still part of the state or not. So a step writes what it touched, not all that
the channel remembers.

`votes` and `executions` repeat what stands in the requests, for queries and as guards: a second vote of a person or a
second execution of a request cannot be saved.
"""

import sqlite3

import aiosqlite

from bot.ports import StoreUnavailable

STEPS: tuple[str, ...] = (
    """
    CREATE TABLE channels (
        key TEXT PRIMARY KEY,
        version INTEGER NOT NULL,
        state TEXT NOT NULL,
        requests TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE requests (
        id TEXT PRIMARY KEY,
        channel TEXT NOT NULL REFERENCES channels (key),
        source TEXT NOT NULL,
        status TEXT NOT NULL,
        created REAL NOT NULL,
        ended REAL,
        json TEXT NOT NULL
    ) STRICT;
    CREATE INDEX requests_by_source ON requests (channel, source, created);
    CREATE INDEX requests_by_channel ON requests (channel, created);
    CREATE INDEX requests_by_age ON requests (created);
    CREATE INDEX requests_live ON requests (channel) WHERE status IN ('waiting', 'approved', 'running');

    CREATE TABLE votes (
        request TEXT NOT NULL REFERENCES requests (id),
        voter TEXT NOT NULL,
        verdict TEXT NOT NULL,
        at REAL NOT NULL,
        revision TEXT NOT NULL,
        reason TEXT,
        PRIMARY KEY (request, voter)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE executions (
        id TEXT PRIMARY KEY,
        request TEXT NOT NULL UNIQUE REFERENCES requests (id),
        started REAL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE owed (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        channel TEXT NOT NULL REFERENCES channels (key),
        key TEXT NOT NULL,
        json TEXT NOT NULL,
        UNIQUE (channel, key)
    ) STRICT;

    CREATE TABLE events (id TEXT PRIMARY KEY, at REAL NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX events_by_age ON events (at);

    CREATE TABLE site (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    """,
    # What each rule did lately is counted in this index alone, without reading a request.
    """
    ALTER TABLE requests ADD COLUMN rule TEXT AS (json_extract(json, '$.decision.rule'));
    ALTER TABLE requests ADD COLUMN effect TEXT AS (json_extract(json, '$.decision.effect'));
    ALTER TABLE requests ADD COLUMN started REAL AS (json_extract(json, '$.started_at'));
    CREATE INDEX requests_by_rule ON requests (channel, created, rule, effect, started);
    """,
)


async def migrate(db: aiosqlite.Connection) -> None:
    """Take the steps that are missing, each in a transaction of its own, and safely against a second process."""
    for number, step in enumerate(STEPS, start=1):
        if await version(db) >= number:
            continue
        try:
            await db.executescript(f"BEGIN IMMEDIATE; {step} PRAGMA user_version = {number}; COMMIT;")
        except sqlite3.OperationalError:
            await db.rollback()
            if await version(db) < number:
                raise
    found = await version(db)
    if found > len(STEPS):
        raise StoreUnavailable(
            f"The database was written by a newer Fencepost (its schema is {found}, this one knows {len(STEPS)}). "
            "Start the newer version again, or restore the backup from before the update."
        )


async def version(db: aiosqlite.Connection) -> int:
    async with db.execute("PRAGMA user_version") as cursor:
        row = await cursor.fetchone()
    return int(row[0]) if row else 0
