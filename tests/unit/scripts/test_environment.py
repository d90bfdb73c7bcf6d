"""When the virtual environment counts as filled, and from what."""

from pathlib import Path

from scripts.environment import LOCK, PROJECT, STAMP, digest, filled, installations, works

RUNTIME_LOCK = LOCK.with_name("requirements.lock")


def test_a_changed_lock_is_another_stamp(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("a")
    other.write_text("b")
    before = digest([one, other])
    assert before == digest([one, other])
    assert before != digest([other, one])
    other.write_text("c")
    assert before != digest([one, other])


def test_an_environment_without_a_stamp_is_not_filled(tmp_path: Path) -> None:
    assert filled(tmp_path) is None
    (tmp_path / STAMP).write_text("x")
    assert filled(tmp_path) == "x"


def test_a_missing_python_does_not_work(tmp_path: Path) -> None:
    assert not works(tmp_path / "python")


def test_everything_installed_is_checked_by_hash_or_is_ours() -> None:
    locked, project = installations(LOCK)
    assert "--require-hashes" in locked
    assert "--no-deps" in project
    assert "--no-build-isolation" in project  # what builds it is locked too


def test_the_locks_hold_hashes_and_no_address() -> None:
    for lock in (LOCK, RUNTIME_LOCK):
        entries = lock.read_text().replace("\\\n", " ").splitlines()
        packages = [line for line in entries if line and not line.lstrip().startswith("#")]
        assert packages
        assert all("==" in line and "--hash=sha256:" in line for line in packages)
        assert not [line for line in entries if "://" in line or "--index" in line or "--find-links" in line]


def test_the_runtime_lock_is_part_of_the_developers() -> None:
    runtime, developers = (
        {line.split()[0] for line in lock.read_text().splitlines() if "==" in line and not line.startswith(" ")}
        for lock in (RUNTIME_LOCK, LOCK)
    )
    assert runtime <= developers
    assert PROJECT.is_file()
