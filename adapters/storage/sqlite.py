"""The store in one SQLite file."""

import json
import sqlite3
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import aiosqlite
from pydantic import ValidationError

from adapters.storage import ledger
from adapters.storage.connection import Database, open_database
from bot.core.effects import Effect, effect_codec
from bot.core.keys import ChannelKey
from bot.core.overview import RuleUse
from bot.core.state import ChannelState, Request
from bot.ports import Commit, DuplicateEvent, GuardBroken, Loaded, Owed, StoreUnavailable, VersionConflict

EVENTS_KEPT_S = 2 * 24 * 3600.0
PRUNE_EVERY_S = 3600.0


class SqliteStore:
    """`bot.ports.Store` and `Ledger`; made by `open_store`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._pruned_at: float | None = None

    async def load(self, channel: ChannelKey) -> Loaded:
        async with self._database.reading() as db:
            row = await _one(db, "SELECT version, state, requests FROM channels WHERE key = ?", str(channel))
            if row is None:
                return Loaded(ChannelState(channel=str(channel)), 0)
            requests = await db.execute_fetchall(
                "SELECT r.json FROM json_each(?) AS place JOIN requests AS r ON r.id = place.value ORDER BY place.key",
                (row["requests"],),
            )
        try:
            state = ChannelState.model_validate_json(row["state"])
        except ValidationError as error:
            raise StoreUnavailable(f"The saved state of {channel} cannot be read by this version.") from error
        found = tuple(_request(r["json"]) for r in requests)
        if [r.id for r in found] != json.loads(row["requests"]):
            raise StoreUnavailable(f"The saved state of {channel} names requests that are not there.")
        return Loaded(state.model_copy(update={"requests": found}), int(row["version"]))

    async def seen(self, event_id: str) -> bool:
        async with self._database.reading() as db:
            return await _one(db, "SELECT 1 FROM events WHERE id = ?", event_id) is not None

    async def save(self, commit: Commit) -> tuple[Owed, ...]:
        async with self._database.transaction() as db:
            await _save_event(db, commit)
            await _save_state(db, commit)
            if commit.requests:
                await _save_requests(db, commit)
            if commit.settles:
                await db.executemany("DELETE FROM owed WHERE seq = ?", [(seq,) for seq in commit.settles])
            owed = [await _owe(db, commit.channel, effect) for effect in commit.effects]
            if self._pruned_at is None or commit.at - self._pruned_at > PRUNE_EVERY_S:
                await db.execute("DELETE FROM events WHERE at < ?", (commit.at - EVENTS_KEPT_S,))
                self._pruned_at = commit.at
        return tuple(owed)

    async def settle(self, seq: int) -> None:
        async with self._database.transaction() as db:
            await db.execute("DELETE FROM owed WHERE seq = ?", (seq,))

    async def owed(self) -> Sequence[Owed]:
        async with self._database.reading() as db:
            rows = await db.execute_fetchall("SELECT seq, channel, json FROM owed ORDER BY seq")
        return [
            Owed(row["seq"], ChannelKey.parse(row["channel"]), effect_codec.validate_json(row["json"])) for row in rows
        ]

    async def live_channels(self) -> Sequence[ChannelKey]:
        async with self._database.reading() as db:
            rows = await db.execute_fetchall(
                "SELECT channel FROM requests WHERE status IN ('waiting', 'approved', 'running') "
                "UNION SELECT channel FROM owed ORDER BY channel"
            )
        return [ChannelKey.parse(row["channel"]) for row in rows]

    async def find_request(self, request_id: str) -> tuple[ChannelKey, Request] | None:
        async with self._database.reading() as db:
            row = await _one(db, "SELECT channel, json FROM requests WHERE id = ?", request_id)
        return None if row is None else (ChannelKey.parse(row["channel"]), _request(row["json"]))

    async def find_by_source(self, channel: ChannelKey, message: str) -> Sequence[Request]:
        async with self._database.reading() as db:
            rows = await db.execute_fetchall(
                "SELECT json FROM requests WHERE channel = ? AND source = ? ORDER BY created, rowid",
                (str(channel), message),
            )
        return [_request(row["json"]) for row in rows]

    async def recent_requests(self, channel: ChannelKey | None, limit: int) -> Sequence[tuple[ChannelKey, Request]]:
        async with self._database.reading() as db:
            if channel is None:
                rows = await db.execute_fetchall(
                    "SELECT channel, json FROM requests ORDER BY created DESC, rowid DESC LIMIT ?", (limit,)
                )
            else:
                rows = await db.execute_fetchall(
                    "SELECT channel, json FROM requests WHERE channel = ? ORDER BY created DESC, rowid DESC LIMIT ?",
                    (str(channel), limit),
                )
        return [(ChannelKey.parse(row["channel"]), _request(row["json"])) for row in rows]

    async def live_requests(self, channels: Collection[ChannelKey]) -> Sequence[tuple[ChannelKey, Request]]:
        async with self._database.reading() as db:
            rows = await ledger.live(db, channels)
        return [(ChannelKey.parse(row["channel"]), _request(row["json"])) for row in rows]

    async def ended_since(
        self, channels: Collection[ChannelKey], since: float, limit: int
    ) -> Sequence[tuple[ChannelKey, Request]]:
        async with self._database.reading() as db:
            rows = await ledger.ended_since(db, channels, since, limit)
        return [(ChannelKey.parse(row["channel"]), _request(row["json"])) for row in rows]

    async def rule_uses(self, channels: Collection[ChannelKey], since: float) -> Sequence[RuleUse]:
        async with self._database.reading() as db:
            return await ledger.rule_uses(db, channels, since)

    async def halted_by(self) -> str | None:
        async with self._database.reading() as db:
            row = await _one(db, "SELECT value FROM site WHERE key = 'halted_by'")
        return None if row is None else str(row["value"])

    async def set_halted(self, by: str | None) -> None:
        async with self._database.transaction() as db:
            if by is None:
                await db.execute("DELETE FROM site WHERE key = 'halted_by'")
            else:
                await db.execute("INSERT OR REPLACE INTO site (key, value) VALUES ('halted_by', ?)", (by,))


@asynccontextmanager
async def open_store(path: Path) -> AsyncIterator[SqliteStore]:
    """The store in this file, made if it is not there; StoreUnavailable says why it cannot be had."""
    async with open_database(path) as database:
        yield SqliteStore(database)


async def _save_event(db: aiosqlite.Connection, commit: Commit) -> None:
    try:
        await db.execute("INSERT INTO events (id, at) VALUES (?, ?)", (commit.event_id, commit.at))
    except sqlite3.IntegrityError as error:
        raise DuplicateEvent(commit.event_id) from error


async def _save_state(db: aiosqlite.Connection, commit: Commit) -> None:
    """The version moves on by one, from exactly where this step began."""
    state = commit.state.model_copy(update={"requests": ()}).model_dump_json()
    order = json.dumps([request.id for request in commit.state.requests])
    if commit.base_version == 0:
        sql = "INSERT INTO channels (state, requests, key, version) VALUES (?, ?, ?, ? + 1) ON CONFLICT DO NOTHING"
    else:
        sql = "UPDATE channels SET state = ?, requests = ?, version = version + 1 WHERE key = ? AND version = ?"
    cursor = await db.execute(sql, (state, order, str(commit.channel), commit.base_version))
    if cursor.rowcount != 1:
        raise VersionConflict(f"{commit.channel} moved on from version {commit.base_version}")


async def _save_requests(db: aiosqlite.Connection, commit: Commit) -> None:
    requests = commit.requests
    channel = str(commit.channel)
    await db.executemany(
        "INSERT INTO requests (id, channel, source, status, created, ended, json) VALUES (?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (id) DO UPDATE SET status = excluded.status, ended = excluded.ended, json = excluded.json",
        [(r.id, channel, r.source, r.status, r.created_at, r.ended_at, r.model_dump_json()) for r in requests],
    )
    votes = [(r.id, v.voter, v.verdict, v.at, v.revision, v.reason) for r in requests for v in r.votes]
    started = [(r.execution, r.id, r.started_at, r.execution, r.id) for r in requests if r.execution is not None]
    try:
        await db.executemany("DELETE FROM votes WHERE request = ?", [(r.id,) for r in requests])
        if votes:
            await db.executemany("INSERT INTO votes VALUES (?, ?, ?, ?, ?, ?)", votes)
        if started:
            await db.executemany(
                "INSERT INTO executions (id, request, started) SELECT ?, ?, ? "
                "WHERE NOT EXISTS (SELECT 1 FROM executions WHERE id = ? AND request = ?)",
                started,
            )
    except sqlite3.IntegrityError as error:
        raise GuardBroken(f"{channel}: a second vote of a person or a second execution of a request") from error


async def _owe(db: aiosqlite.Connection, channel: ChannelKey, effect: Effect) -> Owed:
    cursor = await db.execute(
        "INSERT OR REPLACE INTO owed (channel, key, json) VALUES (?, ?, ?)",
        (str(channel), effect.key, effect_codec.dump_json(effect).decode()),
    )
    if cursor.lastrowid is None:
        raise StoreUnavailable("The bot's database gave no number to an effect.")
    return Owed(cursor.lastrowid, channel, effect)


async def _one(db: aiosqlite.Connection, sql: str, *values: str) -> sqlite3.Row | None:
    rows: Iterable[sqlite3.Row] = await db.execute_fetchall(sql, values)
    return next(iter(rows), None)


def _request(text: str) -> Request:
    try:
        return Request.model_validate_json(text)
    except ValidationError as error:
        raise StoreUnavailable("A saved request cannot be read by this version.") from error
