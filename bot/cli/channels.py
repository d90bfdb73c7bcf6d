"""`fencepost channels`: which channels are known on this machine, and what is going on in each."""

import argparse
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from bot.cli.arguments import with_config, with_json
from bot.cli.machinery import settings_of
from bot.cli.terminal import answer, say
from bot.cli.trouble import DONE, Trouble

COUNTED = ("waiting", "approved", "running")

_QUERY = """
    SELECT channels.key, requests.status, count(requests.id)
    FROM channels LEFT JOIN requests ON requests.channel = channels.key
    GROUP BY channels.key, requests.status ORDER BY channels.key
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    with_json(parser)
    with_config(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    channels = [row for path in _databases(settings_of(args).settings.data) for row in _read(path)]
    if args.json:
        answer({"channels": channels})
        return DONE
    for row in channels:
        going_on = ", ".join(f"{row[status]} {status}" for status in COUNTED if row[status])
        say(f"{row['channel']} · {row['requests']} requests{f' · {going_on}' if going_on else ''} · {row['data_dir']}")
    if not channels:
        say("no channels yet")
    return DONE


def _databases(folder: Path) -> Iterator[Path]:
    """Of the bot, the demo and the consoles."""
    from bot.bootstrap.house import DATABASE  # noqa: PLC0415 - brings the whole bot

    for place in (folder, folder / "demo", *sorted(folder.glob("console/*"))):
        if (place / DATABASE).is_file():
            yield place / DATABASE


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5)) as db:
            found = db.execute(_QUERY).fetchall()
    except sqlite3.Error as error:
        raise Trouble(f"{path} cannot be read.", f"{error}.", "fencepost doctor checks it.") from error
    rows: dict[str, dict[str, Any]] = {}
    for channel, status, count in found:
        row = rows.setdefault(channel, {"channel": channel, "data_dir": str(path.parent), "requests": 0})
        row["requests"] += count
        if status in COUNTED:
            row[status] = count
    return [{**dict.fromkeys(COUNTED, 0), **row} for row in rows.values()]
