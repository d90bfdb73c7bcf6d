"""The console's messages, kept in a file: what Slack's servers are to Slack.

JSON lines, one for every change of a message, the last one counts. A line that was cut off by a crash is passed over.
At the start the file is written anew with what still counts.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TextIO

KEPT = 500


@dataclass(frozen=True, slots=True)
class Entry:
    """A message, posted `at` (epoch seconds). `author` is a person's id, or None for the bot, whose messages have the
    `key` they were posted with. `buttons` are (id, label, value) in the order in which they are shown.
    """

    id: str
    text: str
    at: float = 0.0
    author: str | None = None
    key: str | None = None
    status: str | None = None
    buttons: tuple[tuple[str, str, str], ...] = ()


@contextmanager
def open_journal(path: Path) -> Iterator["Journal"]:
    """The journal in this file, which is made where there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    entries, last = _read(path) if path.exists() else ({}, 0)
    fresh = path.with_suffix(".new")
    with fresh.open("w", encoding="utf-8") as file:
        for value in ({"last": last}, *map(asdict, entries.values())):
            file.write(json.dumps(value) + "\n")
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    with path.open("a", encoding="utf-8") as file:
        yield Journal(entries, last, file)


class Journal:
    """What `open_journal` gives."""

    def __init__(self, entries: dict[str, Entry], last: int, file: TextIO) -> None:
        self._entries = entries
        self._last = last
        self._file = file

    def add(self, text: str, at: float, *, author: str | None = None, key: str | None = None) -> Entry:
        self._last += 1
        return self.put(Entry(str(self._last), text, at, author, key))

    def put(self, entry: Entry) -> Entry:
        """Keep this as the message with its id, on disk before it returns."""
        self._entries[entry.id] = entry
        self._append(json.dumps(asdict(entry)))
        return entry

    def change(self, entry: Entry, text: str) -> Entry:
        return self.put(replace(entry, text=text))

    def remove(self, message: str) -> bool:
        if self._entries.pop(message, None) is None:
            return False
        self._append(json.dumps({"id": message, "deleted": True}))
        return True

    def get(self, message: str) -> Entry | None:
        return self._entries.get(message)

    def posted(self, key: str) -> Entry | None:
        """The bot's message with this key."""
        return next((entry for entry in self._entries.values() if entry.key == key), None)

    def latest(self) -> Iterator[Entry]:
        """Newest first."""
        return iter(reversed(tuple(self._entries.values())))

    def _append(self, line: str) -> None:
        self._file.write(line + "\n")
        self._file.flush()


def _read(path: Path) -> tuple[dict[str, Entry], int]:
    """The messages that count, and the highest id that was ever given."""
    entries: dict[str, Entry] = {}
    last = 0
    for line in path.read_text("utf-8", errors="replace").splitlines():
        try:
            value = json.loads(line)
            last = max(last, int(value["last"] if "last" in value else value["id"]))
            if value.get("deleted"):
                entries.pop(value["id"], None)
            elif "id" in value:
                entry = Entry(**value)
                entries[entry.id] = replace(entry, buttons=tuple((b[0], b[1], b[2]) for b in entry.buttons))
        except (ValueError, TypeError, KeyError, IndexError, AttributeError):
            continue
    return dict(list(entries.items())[-KEPT:]), last
