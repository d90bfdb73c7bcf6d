"""The journal of a workspace, cut off and damaged at every place."""

import os
from pathlib import Path

import pytest

from executor.archive import ArchiveUnavailable
from executor.journal import FolderArchive
from executor.tree import encode_gone
from tests.contract.test_archive import KEY, contents, entry, mark, save


def journal(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


async def state(archive: FolderArchive) -> tuple[str, bytes, list[tuple[str, bytes]]]:
    found = await contents(archive)
    return await archive.generation(KEY), await archive.mark(KEY), [(path, content) for path, _, content in found]


async def states(tmp_path: Path) -> tuple[bytes, list[tuple[str, bytes, list[tuple[str, bytes]]]]]:
    """A journal of three saves, and what each of them left."""
    archive = FolderArchive(tmp_path / "whole")
    seen = [await state(archive)]
    batches = {
        "g1": [entry("a", b"1"), entry("b", b"22"), mark(b"m1")],
        "g2": [entry("a", b"333"), encode_gone("b"), mark(b"m2")],
        "g3": [entry("c", b"4444"), mark(b"m3")],
    }
    for generation, records in batches.items():
        await save(archive, generation, *records)
        seen.append(await state(archive))
    return journal(tmp_path / "whole").read_bytes(), seen


async def test_wherever_it_is_cut_off_it_is_a_whole_earlier_workspace(tmp_path: Path) -> None:
    """A kill at any moment leaves a prefix; the next save goes on from there."""
    data, seen = await states(tmp_path)
    before = 0
    for length in range(len(data) + 1):
        folder = tmp_path / f"{length}"
        folder.mkdir()
        (folder / f"{KEY}.journal").write_bytes(data[:length])
        archive = FolderArchive(folder)
        found = await state(archive)
        assert found in seen[before : before + 2], length
        before = seen.index(found)
        if length % 7 == 0 or length == len(data):
            await save(archive, "g9", entry("z", b"z"), mark(b"m9"))
            assert await state(archive) == ("g9", b"m9", [*found[2], ("z", b"z")])
    assert before == 3


async def test_a_byte_that_is_wrong_costs_no_more_than_what_was_saved_since(tmp_path: Path) -> None:
    data, seen = await states(tmp_path)
    folder = tmp_path / "damaged"
    folder.mkdir()
    wholes = [whole for _, _, whole in seen]
    for at in range(len(data)):
        (folder / f"{KEY}.journal").write_bytes(data[:at] + bytes([data[at] ^ 0x41]) + data[at + 1 :])
        found = [(path, content) for path, _, content in await contents(FolderArchive(folder))]
        assert found in wholes[:-1], at


async def test_content_cannot_pass_for_the_end_of_a_save(tmp_path: Path) -> None:
    data, _ = await states(tmp_path)
    commit = data[-65:]
    archive = FolderArchive(tmp_path / "forged")
    await save(archive, "g1", entry("a", b"1"), mark(b"m1"))
    path = journal(tmp_path / "forged")
    with path.open("ab") as file:
        file.write(entry("a", commit)[:-21])
    assert await state(archive) == ("g1", b"m1", [("a", b"1")])


async def test_it_does_not_grow_beyond_what_it_holds(tmp_path: Path) -> None:
    archive = FolderArchive(tmp_path / "w")
    await save(archive, "g0", entry("small", b"x"), mark(b"m"))
    for number in range(40):
        await save(archive, f"g{number}", entry("big", os.urandom(1_000_000)), mark(b"m"))
        assert journal(tmp_path / "w").stat().st_size < 8_000_000
    assert [path for path, _, content in await contents(archive) if content] == ["big", "small"]


async def test_what_is_read_while_it_is_written_anew_is_as_it_was(tmp_path: Path) -> None:
    archive = FolderArchive(tmp_path / "w")
    await save(archive, "g0", entry("a", b"a" * 600_000), entry("b", b"b" * 600_000), mark(b"m"))
    async with archive.loading(KEY) as stored:
        for number in range(20):
            await save(archive, f"g{number}", entry("a", b"c" * 600_000), mark(b"m"))
        data = b"".join([piece async for piece in stored.pieces])
    assert data.count(b"a" * 1000) == 600
    assert b"ccc" not in data


async def test_its_files_are_the_owners_alone_and_its_failures_are_said(tmp_path: Path) -> None:
    archive = FolderArchive(tmp_path / "w")
    await save(archive, "g0", entry("a"), mark(b"m"))
    assert journal(tmp_path / "w").stat().st_mode & 0o077 == 0
    assert (tmp_path / "w").stat().st_mode & 0o077 == 0
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ArchiveUnavailable, match="cannot be kept"):
        await save(FolderArchive(tmp_path / "file"), "g", entry("a"), mark(b""))
