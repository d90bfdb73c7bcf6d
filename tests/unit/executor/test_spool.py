from pathlib import Path

import pytest

from executor.spool import Spool


def test_no_file_unless_something_is_written(tmp_path: Path) -> None:
    spool = Spool(10, tmp_path)
    assert spool.keep() is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("size", "kept"), [(9, 9), (10, 10), (11, 10)])
def test_the_cap_is_exact(tmp_path: Path, size: int, kept: int) -> None:
    spool = Spool(10, tmp_path)
    for _ in range(size):
        spool.write(b"x")
    path = spool.keep()
    assert path is not None
    assert path.read_bytes() == b"x" * kept
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_is_kept_is_not_discarded(tmp_path: Path) -> None:
    spool = Spool(10, tmp_path)
    spool.write(b"x")
    path = spool.keep()
    spool.discard()
    assert path is not None
    assert path.exists()


def test_discard_removes_the_file(tmp_path: Path) -> None:
    spool = Spool(10, tmp_path)
    spool.write(b"x")
    spool.discard()
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_is_gone_costs_the_file_only(tmp_path: Path) -> None:
    spool = Spool(10, tmp_path / "gone")
    spool.write(b"x")
    spool.write(b"y")
    assert spool.keep() is None
