"""What doctor looks at on this machine, Docker apart."""

import os
import sqlite3
import sys
import tempfile
from contextlib import closing
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from bot.cli.machinery import check_port
from bot.cli.trouble import Trouble

if TYPE_CHECKING:
    from bot.settings import Settings

OLDEST = (3, 11)


class Status(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    """`text` is what was found; `fix` what to do about it."""

    name: str
    status: Status
    text: str
    fix: str = ""

    def as_json(self) -> dict[str, str]:
        return asdict(self)


def python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < OLDEST:
        return Check("python", Status.FAILED, f"Python {version} is too old.", "Fencepost needs Python 3.11 or later.")
    return Check("python", Status.OK, f"Python {version}")


def data_dir(settings: "Settings") -> Check:
    from adapters.storage.lock import DataDirInUse, own_data_dir  # noqa: PLC0415

    folder = settings.data
    try:
        with own_data_dir(folder), tempfile.TemporaryFile(dir=folder):
            pass
    except DataDirInUse as error:
        return Check("data_dir", Status.OK, f"a bot is running: {str(error).split('. ')[0]}")
    except OSError as error:
        text = f"{folder} cannot be written: {error.strerror}."
        return Check("data_dir", Status.FAILED, text, "Make it writable, or set FENCEPOST_DATA_DIR to another folder.")
    if folder.stat().st_mode & 0o077:
        fix = f"chmod 700 {folder}"
        return Check("data_dir", Status.WARNING, f"{folder} can be read by other users of this machine.", fix)
    return Check("data_dir", Status.OK, f"{folder} can be written and nobody else has it")


def store(settings: "Settings") -> Check:
    from bot.bootstrap.house import DATABASE  # noqa: PLC0415
    from bot.core.views.texts import plural  # noqa: PLC0415

    path = settings.data / DATABASE
    if not path.exists():
        return Check("store", Status.OK, "no database yet; the first start makes it")
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5)) as db:
            problems = [str(row[0]) for row in db.execute("PRAGMA quick_check(3)")]
            channels = db.execute("SELECT count(*) FROM channels").fetchone()[0]
    except sqlite3.Error as error:
        return Check("store", Status.FAILED, f"{path} cannot be read: {error}.", "Put back the last good copy of it.")
    if problems != ["ok"]:
        fix = "Stop the bot and put back the last good copy of the file."
        return Check("store", Status.FAILED, f"{path} is damaged: {problems[0]}.", fix)
    return Check("store", Status.OK, f"the database is whole ({plural(channels, 'channel')})")


def policy(settings: "Settings") -> Check:
    from bot.bootstrap.policies import load_policy  # noqa: PLC0415
    from bot.core.policy.load import PolicyError  # noqa: PLC0415
    from bot.core.views.texts import plural  # noqa: PLC0415

    try:
        rules = len(load_policy(settings.policy).rule)
    except PolicyError as error:
        fix = f"fencepost policy test {settings.policy} says all there is."
        return Check("policy", Status.FAILED, error.problems[0], fix)
    return Check("policy", Status.OK, f"the policy {settings.policy} holds: {plural(rules, 'rule')}, its examples hold")


def web(settings: "Settings") -> Check:
    from adapters.web.settings import is_loopback  # noqa: PLC0415

    host, port = settings.web.host, settings.web.port
    try:
        check_port(host, port)
    except Trouble as trouble:
        fix = "If that is the running bot, all is well; otherwise set FENCEPOST_WEB__PORT to another one."
        return Check("web", Status.WARNING, f"{trouble.what} {trouble.why}", fix)
    if not is_loopback(host):
        fix = "Put a proxy with TLS before it, and set web.cookies_over_tls and web.allowed_hosts."
        return Check("web", Status.WARNING, f"the web chat on {host}:{port} can be reached by others", fix)
    return Check("web", Status.OK, f"the web chat can listen on {host}:{port}")


def users(settings: "Settings") -> Check:
    from adapters.web.users_file import UsersFileError, read_users  # noqa: PLC0415
    from bot.core.views.texts import plural  # noqa: PLC0415

    path = settings.users_file
    add = "fencepost web adduser NAME --role admin (the demo needs none)"
    if not path.exists():
        return Check("users", Status.WARNING, "nobody can log in to `fencepost run` yet", add)
    try:
        known = read_users(path)
    except UsersFileError as error:
        return Check("users", Status.FAILED, f"{error}.", "Mend the file, or move it away and add users anew.")
    if path.stat().st_mode & 0o077:
        return Check("users", Status.WARNING, f"{path} can be read by others.", f"chmod 600 {os.fspath(path)}")
    return Check("users", Status.OK, f"{plural(len(known), 'user')} may log in")
