import json
import sqlite3
from pathlib import Path

import pytest

from adapters.storage.lock import own_data_dir
from bot.bootstrap.house import DATABASE
from bot.cli import checks
from bot.cli.checks import Status
from bot.cli.sandbox_checks import _faults
from bot.settings import Settings

GOOD = {
    "uid": 10001,
    "capabilities": 0,
    "no_new_privileges": "1",
    "seccomp": "2",
    "interfaces": ["lo"],
    "root": "ro",
    "read_only": True,
    "memory": "1000000",
    "pids": "96",
}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"uid": 0}, "root"),
        ({"capabilities": 1}, "capabilities"),
        ({"no_new_privileges": "0"}, "privileges"),
        ({"seccomp": "0"}, "seccomp"),
        ({"interfaces": ["eth0", "lo"]}, "eth0"),
        ({"root": "rw"}, "written"),
        ({"read_only": False}, "written"),
        ({"memory": "9223372036854771712"}, "memory"),
        ({"memory": "max"}, "memory"),
        ({"pids": "max"}, "processes"),
        ({"pids": ""}, "processes"),
    ],
)
def test_every_weakness_that_the_probe_finds_is_named(settings: Settings, change: dict[str, object], says: str) -> None:
    assert _faults(json.dumps(GOOD), settings) == []
    (fault,) = _faults(json.dumps({**GOOD, **change}), settings)
    assert says in fault


def test_a_probe_that_says_nothing_is_a_fault(settings: Settings) -> None:
    assert _faults("", settings)


def test_the_data_directory(settings: Settings, tmp_path: Path) -> None:
    assert checks.data_dir(settings).status is Status.OK
    with own_data_dir(settings.data):
        assert "running" in checks.data_dir(settings).text
    settings.data.chmod(0o755)
    assert checks.data_dir(settings).status is Status.WARNING
    (tmp_path / "file").touch()
    assert checks.data_dir(Settings(data_dir=tmp_path / "file" / "x")).status is Status.FAILED


def test_the_store(settings: Settings) -> None:
    assert checks.store(settings).status is Status.OK
    settings.data.mkdir()
    path = settings.data / DATABASE
    path.write_bytes(b"not a database, and long enough to be looked at" * 100)
    assert checks.store(settings).status is Status.FAILED
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE channels (key)")
    db.close()
    assert checks.store(settings).status is Status.OK


def test_the_policy(settings: Settings, tmp_path: Path) -> None:
    assert checks.policy(settings).status is Status.OK
    bad = tmp_path / "p.toml"
    bad.write_text("nonsense")
    assert checks.policy(Settings(policy=str(bad))).status is Status.FAILED


def test_the_users(settings: Settings) -> None:
    assert checks.users(settings).status is Status.WARNING
    settings.data.mkdir()
    settings.users_file.write_text('{"users": []}')
    settings.users_file.chmod(0o600)
    assert checks.users(settings).status is Status.OK
    settings.users_file.write_text("{}{")
    assert checks.users(settings).status is Status.FAILED
