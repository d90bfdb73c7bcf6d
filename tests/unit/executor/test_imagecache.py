"""Where copies of the image are kept, and how many."""

import os
from pathlib import Path

from executor.imagecache import cache_folder, prune, tarballs


def test_the_folder_is_the_users_own() -> None:
    assert cache_folder({}, 0) == Path("/var/cache/fencepost")
    assert cache_folder({"XDG_CACHE_HOME": "/c"}, 1000) == Path("/c/fencepost")
    assert cache_folder({}, 1000) == Path.home() / ".cache" / "fencepost"
    assert cache_folder({"FENCEPOST_CACHE": "/mine", "XDG_CACHE_HOME": "/c"}, 0) == Path("/mine")


def test_a_copy_is_named_by_image_and_architecture(tmp_path: Path) -> None:
    names = [path.name for _, path in tarballs(tmp_path, "fencepost-sandbox:0123", "aarch64")]
    assert "fencepost-sandbox-0123-aarch64.tar.gz" in names
    assert len(set(names)) == len(names)


def test_the_newest_copies_are_kept(tmp_path: Path) -> None:
    for age in range(5):
        path = tmp_path / f"fencepost-sandbox-{age}.tar.gz"
        path.touch()
        os.utime(path, (1000 - age, 1000 - age))
    (tmp_path / "lock").touch()
    prune(tmp_path, kept=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "fencepost-sandbox-0.tar.gz",
        "fencepost-sandbox-1.tar.gz",
        "lock",
    ]
    prune(tmp_path, kept=2)
    assert len(list(tmp_path.iterdir())) == 3
