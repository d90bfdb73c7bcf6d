import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor.supervisor.paths import PathRefused, lay, split


@pytest.mark.parametrize(
    ("path", "parts"),
    [("a", ["a"]), ("a/b.py", ["a", "b.py"]), ("./a", ["a"]), ("a/./b", ["a", "b"]), ("..a/b..", ["..a", "b.."])],
)
def test_a_path_below_the_root_has_parts(path: str, parts: list[str]) -> None:
    assert split(path) == parts


@pytest.mark.parametrize(
    "path", ["", ".", "..", "/a", "../a", "a/..", "a/../b", "a//b", "a/", "a\0b", "x" * 256, "/".join(["d"] * 17)]
)
def test_a_path_that_could_lead_elsewhere_is_refused(path: str) -> None:
    with pytest.raises(PathRefused):
        split(path)


@given(st.text(st.sampled_from("./ab\0"), max_size=12))
def test_no_path_leaves_its_root(path: str) -> None:
    try:
        parts = split(path)
    except PathRefused:
        return
    assert os.path.normpath("/root/" + path) == "/root/" + "/".join(parts)


def test_files_and_their_directories_are_made_and_replaced(tmp_path: Path) -> None:
    lay(str(tmp_path), "d/e/f", b"1")
    lay(str(tmp_path), "d/e/f", b"2")
    assert (tmp_path / "d/e/f").read_bytes() == b"2"
    assert [path.name for path in (tmp_path / "d/e").iterdir()] == ["f"]


def test_a_link_is_replaced_and_never_written_through(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"precious")
    root = tmp_path / "root"
    root.mkdir()
    (root / "f").symlink_to(outside)
    lay(str(root), "f", b"new")
    assert outside.read_bytes() == b"precious"
    assert not (root / "f").is_symlink()


def test_a_link_in_the_way_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    root = tmp_path / "root"
    root.mkdir()
    (root / "d").symlink_to(tmp_path / "outside")
    with pytest.raises(PathRefused, match="not a directory"):
        lay(str(root), "d/f", b"new")
    assert not list((tmp_path / "outside").iterdir())


def test_a_fifo_does_not_hold_anybody_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "f")
    lay(str(tmp_path), "f", b"new")
    assert (tmp_path / "f").read_bytes() == b"new"


def test_a_directory_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    with pytest.raises(PathRefused, match="is a directory"):
        lay(str(tmp_path), "d", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["d"]
