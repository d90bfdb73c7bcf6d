"""Reading the table of requests across channels: what is live, what was lately, what each rule did."""

import json
import sqlite3
from collections.abc import Iterable

import aiosqlite

from bot.core.keys import ChannelKey
from bot.core.overview import RuleUse
from bot.core.policy.decision import Effect

_HERE = "channel IN (SELECT value FROM json_each(?))"
_LIVE = "status IN ('waiting', 'approved', 'running')"


async def live(db: aiosqlite.Connection, channels: Iterable[ChannelKey]) -> Iterable[sqlite3.Row]:
    return await db.execute_fetchall(
        f"SELECT channel, json FROM requests WHERE {_HERE} AND {_LIVE} ORDER BY created, rowid",  # noqa: S608
        (_listed(channels),),
    )


async def ended_since(
    db: aiosqlite.Connection, channels: Iterable[ChannelKey], at: float, limit: int
) -> Iterable[sqlite3.Row]:
    return await db.execute_fetchall(
        f"SELECT channel, json FROM requests WHERE {_HERE} AND created >= ? AND NOT {_LIVE} "  # noqa: S608
        "ORDER BY created DESC, rowid DESC LIMIT ?",
        (_listed(channels), at, limit),
    )


async def rule_uses(db: aiosqlite.Connection, channels: Iterable[ChannelKey], at: float) -> list[RuleUse]:
    rows = await db.execute_fetchall(
        "SELECT channel, rule, effect, count(*) AS times, count(started) AS ran "  # noqa: S608
        f"FROM requests INDEXED BY requests_by_rule WHERE {_HERE} AND created >= ? GROUP BY channel, rule, effect",
        (_listed(channels), at),
    )
    return [
        RuleUse(
            channel=ChannelKey.parse(row["channel"]),
            rule=row["rule"],
            effect=Effect(row["effect"]),
            times=row["times"],
            ran=row["ran"],
        )
        for row in rows
    ]


def _listed(channels: Iterable[ChannelKey]) -> str:
    return json.dumps([str(channel) for channel in channels])
