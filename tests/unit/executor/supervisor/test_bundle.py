import json
import subprocess
import sys

import pytest

from executor.supervisor import bundle
from executor.supervisor.config import Config

CONFIG = Config("00" * 32, 100_000, preload=("json",), languages=(("python", "python3"),))
PROBE = "def main(config): print(sorted(config)[:2], __name__); raise SystemExit(7)"


def test_what_is_sent_announces_its_own_length() -> None:
    data = bundle.build(CONFIG)
    assert int(data[:8]) == len(data) - 8
    assert json.loads(data[8:])["config"]["uid_base"] == 100_000


def test_the_host_side_stays_at_home_and_the_package_is_empty_inside() -> None:
    modules = bundle.modules()
    assert modules["executor"] == ""
    assert "executor.supervisor.bundle" not in modules
    assert {"executor.frames", "executor.messages", "executor.types", "executor.supervisor.main"} <= set(modules)


def test_a_configuration_arrives_as_it_was_sent() -> None:
    assert Config.from_json(json.loads(bundle.build(CONFIG)[8:])["config"]) == CONFIG


@pytest.mark.parametrize("change", [{"uid_base": 0}, {"uids": 0}, {"slots": 0}, {"spares": -1}, {"open_files": 0}])
def test_a_configuration_that_cannot_work_is_refused(change: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="above zero"):
        Config(**{"token": "", "uid_base": 1, **change})  # type: ignore[arg-type]


def test_the_bootstrap_imports_the_modules_it_is_sent_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    modules = bundle.modules() | {"executor.supervisor.main": PROBE}
    monkeypatch.setattr(bundle, "modules", lambda: modules)
    command = [sys.executable, *bundle.COMMAND[1:]]
    done = subprocess.run(
        command, check=False, input=bundle.build(CONFIG) + b"and more", capture_output=True, timeout=30, cwd="/"
    )
    assert (done.stdout, done.returncode) == (b"['languages', 'open_files'] executor.supervisor.main\n", 7), done.stderr


def test_the_bootstrap_says_that_nothing_came() -> None:
    command = [sys.executable, *bundle.COMMAND[1:]]
    done = subprocess.run(command, check=False, input=b"0000", capture_output=True, timeout=30)
    assert b"the supervisor did not arrive" in done.stderr


def test_a_change_of_the_supervisor_changes_its_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    digest = bundle.digest.__wrapped__
    before, modules = digest(), bundle.modules()
    monkeypatch.setattr(bundle, "modules", lambda: modules | {"executor.supervisor.main": PROBE})
    assert digest() != before
