import shutil
from pathlib import Path

import pytest

from adapters.storage.blobs import FolderBlobs
from bot.ports import StoreUnavailable


async def test_content_that_was_changed_on_disk_is_not_given_out(tmp_path: Path) -> None:
    blobs = FolderBlobs(tmp_path)
    ref = await blobs.put(b"approved", "x")
    (tmp_path / ref.sha256[:2] / ref.sha256).write_bytes(b"forged!!")
    with pytest.raises(KeyError):
        await blobs.get(ref.sha256)


async def test_nothing_is_left_beside_what_was_kept(tmp_path: Path) -> None:
    blobs = FolderBlobs(tmp_path)
    ref = await blobs.put(b"x", "x")
    await blobs.put(b"x", "again")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / ref.sha256[:2] / ref.sha256]


async def test_a_write_that_fails_is_a_sentence_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    blobs = FolderBlobs(tmp_path / "blobs")
    spool = tmp_path / "spool"
    spool.write_bytes(b"x")
    monkeypatch.setattr(shutil, "move", full)
    with pytest.raises(StoreUnavailable, match="No space left"):
        await blobs.put_file(spool, "x")
    assert spool.exists()
    assert [path for path in (tmp_path / "blobs").rglob("*") if path.is_file()] == []
