"""Files that the core hands to one person in answer to a click (Full output): readable by them, under a name that
nobody can guess.
"""

import secrets
from dataclasses import dataclass

from adapters.web.database import Database, rows
from bot.core.reports import FileRef

PREFIX = "h"
"""Tells a hand-out from a message, whose id begins with m."""


@dataclass(frozen=True, slots=True)
class Handout:
    channel: str
    person: str
    file: FileRef


class Handouts:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def give(self, channel: str, person: str, file: FileRef) -> str:
        """The id of the hand-out; the same for the same file again."""
        values = (channel, person, file.model_dump_json())
        async with self._database.write() as tx:
            await tx.execute(
                "INSERT OR IGNORE INTO handouts VALUES (?, ?, ?, ?)", (PREFIX + secrets.token_hex(16), *values)
            )
            sql = "SELECT id FROM handouts WHERE channel = ? AND person = ? AND file = ?"
            return str((await rows(tx, sql, *values))[0]["id"])

    async def get(self, handout: str) -> Handout | None:
        found = await self._database.read("SELECT * FROM handouts WHERE id = ?", handout)
        if not found:
            return None
        return Handout(found[0]["channel"], found[0]["person"], FileRef.model_validate_json(found[0]["file"]))
