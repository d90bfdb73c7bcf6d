"""The messages of the web chat: every change takes the next number, and a change and the event that it owes to the
core are one transaction.
"""

import secrets
import sqlite3
from collections.abc import Collection

import aiosqlite

from adapters.web.database import Database, rows
from adapters.web.message import EMPTY, Body, Draft, Message, Owed, OwedBody, OwedKind

PAGE = 500
"""Changes in one answer, at most."""

PAGE_BYTES = 4 * 1024 * 1024
"""A page ends early once its bodies are this long together."""


class MessageStore:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, message: str) -> Message | None:
        found = await self._database.read("SELECT * FROM messages WHERE id = ?", message)
        return _message(found[0]) if found else None

    async def by_idem(self, idem: str) -> Message | None:
        found = await self._database.read("SELECT * FROM messages WHERE idem = ?", idem)
        return _message(found[0]) if found else None

    async def last_change(self) -> int:
        [row] = await self._database.read("SELECT coalesce(max(changed), 0) FROM messages")
        return int(row[0])

    async def changes(
        self, channels: Collection[str], person: str, after: int, *, thread: str | None = None, limit: int = PAGE
    ) -> tuple[list[Message], bool]:
        """Messages in these channels that this person may see and that changed after `after`, each once and as it is
        now, in the order of their last change; and whether there are more of them.
        """
        limit = max(1, min(limit, PAGE))
        places = ", ".join("?" * len(channels))
        of_thread = "" if thread is None else " AND thread = ?"
        found = await self._database.read(
            f"SELECT * FROM messages WHERE changed > ? AND channel IN ({places})"  # noqa: S608 - only question marks
            f" AND (only_for IS NULL OR only_for = ?){of_thread} ORDER BY changed LIMIT ?",
            *(after, *channels, person, *(() if thread is None else (thread,)), limit + 1),
        )
        return _page(found, limit)

    async def newest(
        self, channel: str, person: str, before: int | None, *, limit: int = PAGE
    ) -> tuple[list[Message], bool]:
        """The last messages of the channel, or the last that were created before that number, oldest first; and
        whether there are older ones. Those that were removed are left out.
        """
        limit = max(1, min(limit, PAGE))
        end = "" if before is None else " AND created < ?"
        found = await self._database.read(
            f"SELECT * FROM messages WHERE channel = ? AND (only_for IS NULL OR only_for = ?){end}"  # noqa: S608
            " AND NOT deleted ORDER BY created DESC LIMIT ?",
            *(channel, person, *(() if before is None else (before,)), limit + 1),
        )
        taken, more = _page(found, limit)
        return taken[::-1], more

    async def add(
        self, draft: Draft, at: float, owes: tuple[OwedKind, OwedBody] | None = None
    ) -> tuple[Message, Owed | None]:
        """The new message with what it owes; the one that is there already where `idem` was used before."""
        async with self._database.write() as tx:
            if draft.idem is not None:
                found = await rows(tx, "SELECT * FROM messages WHERE idem = ?", draft.idem)
                if found:
                    return _message(found[0]), None
            return await _insert(tx, draft, at, owes)

    async def amend(
        self, message: str, body: Body, at: float, owes: tuple[OwedKind, OwedBody] | None = None
    ) -> tuple[Message | None, Owed | None]:
        """Give the message this body, unless it has it; None where there is no such message any more."""
        async with self._database.write() as tx:
            found = await rows(tx, "SELECT * FROM messages WHERE id = ? AND NOT deleted", message)
            if not found:
                return None, None
            old = _message(found[0])
            if old.body == body:
                return old, None
            number = await _next_number(tx)
            await tx.execute(
                "UPDATE messages SET body = ?, changed = ?, edited = 1 WHERE id = ?",
                (body.model_dump_json(), number, message),
            )
            await _show_buttons(tx, message, body, number)
            return old, await _owe(tx, old, number, at, owes)

    async def remove(
        self, message: str, at: float, owes: tuple[OwedKind, OwedBody] | None = None, *, frees_idem: bool = False
    ) -> tuple[Message | None, Owed | None]:
        """Leave its place, take its content; None where there is no such message any more.

        `frees_idem`: a later post under its `idem` is a new message, not this one.
        """
        async with self._database.write() as tx:
            found = await rows(tx, "SELECT * FROM messages WHERE id = ? AND NOT deleted", message)
            if not found:
                return None, None
            number = await _next_number(tx)
            await tx.execute(
                "UPDATE messages SET body = ?, changed = ?, deleted = 1, idem = iif(?, NULL, idem) WHERE id = ?",
                (EMPTY.model_dump_json(), number, frees_idem, message),
            )
            old = _message(found[0])
            return old, await _owe(tx, old, number, at, owes)

    async def button_values(self, message: str, button: str) -> tuple[str, ...]:
        """Every value that this button of this message ever had, the latest first."""
        sql = "SELECT value FROM buttons WHERE message = ? AND button = ? ORDER BY shown DESC"
        return tuple(row["value"] for row in await self._database.read(sql, message, button))

    async def owed(self) -> list[Owed]:
        """Events that the core has not saved, oldest first."""
        return [_owed(row) for row in await self._database.read("SELECT * FROM owed ORDER BY seq")]

    async def settle(self, owed: Owed, reply: Draft | None, at: float) -> Message | None:
        """The core has saved the event; what it told its author becomes a message, in the same transaction."""
        async with self._database.write() as tx:
            await tx.execute("DELETE FROM owed WHERE seq = ?", (owed.seq,))
            if reply is None:
                return None
            message, _ = await _insert(tx, reply, at, None)
            return message


def _page(found: list[sqlite3.Row], limit: int) -> tuple[list[Message], bool]:
    """As many of the rows as make one answer, and whether that leaves some."""
    taken: list[Message] = []
    size = 0
    for row in found[:limit]:
        if taken and size + len(row["body"]) > PAGE_BYTES:
            break
        size += len(row["body"])
        taken.append(_message(row))
    return taken, len(taken) < len(found)


async def _insert(
    tx: aiosqlite.Connection, draft: Draft, at: float, owes: tuple[OwedKind, OwedBody] | None
) -> tuple[Message, Owed | None]:
    number = await _next_number(tx)
    message = Message(
        id=f"m{secrets.token_hex(8)}",
        channel=draft.channel,
        thread=draft.thread,
        author=draft.author,
        reply_to=draft.reply_to,
        only_for=draft.only_for,
        body=draft.body,
        created_at=at,
        created=number,
        changed=number,
        edited=False,
        deleted=False,
    )
    await tx.execute(
        "INSERT INTO messages (id, channel, thread, author, reply_to, only_for, body, created_at, created, changed,"
        " idem) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            message.id,
            draft.channel,
            draft.thread,
            draft.author,
            draft.reply_to,
            draft.only_for,
            draft.body.model_dump_json(),
            at,
            number,
            number,
            draft.idem,
        ),
    )
    await _show_buttons(tx, message.id, draft.body, number)
    return message, await _owe(tx, message, number, at, owes)


async def _next_number(tx: aiosqlite.Connection) -> int:
    [row] = await rows(tx, "SELECT coalesce(max(changed), 0) + 1 FROM messages")
    return int(row[0])


async def _show_buttons(tx: aiosqlite.Connection, message: str, body: Body, number: int) -> None:
    for button in body.buttons:
        await tx.execute(
            "INSERT INTO buttons VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET shown = excluded.shown",
            (message, button["id"], button["value"], number),
        )


async def _owe(
    tx: aiosqlite.Connection, message: Message, number: int, at: float, owes: tuple[OwedKind, OwedBody] | None
) -> Owed | None:
    if owes is None:
        return None
    kind, body = owes
    event = f"web:{message.id}:{number}"
    cursor = await tx.execute(
        "INSERT INTO owed (id, channel, message, kind, author, at, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (event, message.channel, message.id, kind.value, message.author, at, body.model_dump_json()),
    )
    return Owed(
        seq=cursor.lastrowid or 0,
        id=event,
        channel=message.channel,
        message=message.id,
        kind=kind,
        author=message.author,
        at=at,
        body=body,
    )


def _message(row: sqlite3.Row) -> Message:
    values = {name: row[name] for name in Message.__slots__}
    values["body"] = Body.model_validate_json(row["body"])
    values["edited"] = bool(row["edited"])
    values["deleted"] = bool(row["deleted"])
    return Message(**values)


def _owed(row: sqlite3.Row) -> Owed:
    values = {name: row[name] for name in Owed.__slots__}
    values["kind"] = OwedKind(row["kind"])
    values["body"] = OwedBody.model_validate_json(row["body"])
    return Owed(**values)
