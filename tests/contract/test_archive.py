"""What every archive of workspaces does, checked on the shipped twin and on a folder."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from executor.archive import NOTHING, PIECE, MemoryArchive, WorkspaceArchive
from executor.journal import FolderArchive
from executor.tree import (
    HEAD,
    Entry,
    Record,
    RecordReader,
    TreeError,
    decode_content,
    decode_entry,
    encode_close,
    encode_content,
    encode_entry,
    encode_gone,
    encode_mark,
    new_digest,
)

KEY = "general-0123456789ab"


@pytest.fixture(params=["memory", "folder"])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> WorkspaceArchive:
    return MemoryArchive() if request.param == "memory" else FolderArchive(tmp_path / "workspaces")


def entry(path: str, content: bytes = b"", *, owner: str = "ana", kind: str = "file", target: str = "") -> bytes:
    head = encode_entry(Entry(path, kind, 0o644, owner, 1, len(content), target))  # type: ignore[arg-type]
    records = [encode_content(at, content[at : at + 60_000]) for at in range(0, len(content), 60_000)]
    digest = new_digest(head[HEAD.size :])
    for record in records:
        digest.update(record[HEAD.size :])
    return b"".join([head, *records, encode_close(digest.digest())])


def mark(data: bytes) -> bytes:
    return b"".join(encode_mark(data))


async def save(archive: WorkspaceArchive, generation: str, *records: bytes) -> None:
    async with archive.saving(KEY, generation) as saving:
        for record in records:
            await saving.add(record)


async def pieces(archive: WorkspaceArchive, key: str = KEY) -> AsyncIterator[bytes]:
    async with archive.loading(key) as stored:
        async for piece in stored.pieces:
            yield piece


async def contents(archive: WorkspaceArchive, key: str = KEY) -> list[tuple[str, str, bytes]]:
    """Path, owner and content, in the order in which they come."""
    reader = RecordReader()
    found: list[tuple[str, str, bytes]] = []
    async for piece in pieces(archive, key):
        assert len(piece) <= PIECE
        for kind, payload in reader.feed(piece):
            if kind is Record.ENTRY:
                head = decode_entry(payload)
                found.append((head.path, head.owner, b""))
            elif kind is Record.CONTENT:
                path, owner, before = found[-1]
                found[-1] = (path, owner, before + decode_content(payload)[1])
    assert reader.between
    return found


async def test_nothing_is_kept_at_first(archive: WorkspaceArchive) -> None:
    assert await archive.generation(KEY) == NOTHING
    assert await archive.mark(KEY) == b""
    assert await contents(archive) == []
    async with archive.loading(KEY) as stored:
        assert (stored.generation, stored.owners, stored.entries) == (NOTHING, (), 0)


async def test_what_was_saved_comes_back(archive: WorkspaceArchive) -> None:
    await save(
        archive, "g1", entry("b/c", b"deep", owner="bo"), entry("b", kind="folder"), entry("a", b"x"), mark(b"m")
    )
    assert await archive.generation(KEY) == "g1"
    assert await archive.mark(KEY) == b"m"
    assert await contents(archive) == [("a", "ana", b"x"), ("b", "ana", b""), ("b/c", "bo", b"deep")]
    async with archive.loading(KEY) as stored:
        assert (stored.generation, stored.owners, stored.entries) == ("g1", ("ana", "bo"), 3)
    assert await archive.generation("other") == NOTHING
    assert await contents(archive, "other") == []


async def test_further_names_come_behind_their_file(archive: WorkspaceArchive) -> None:
    await save(archive, "g1", entry("z", b"x"), entry("a", kind="same", target="z"), mark(b""))
    assert [path for path, _, _ in await contents(archive)] == ["z", "a"]


async def test_what_changed_and_what_is_gone(archive: WorkspaceArchive) -> None:
    await save(archive, "g1", entry("a", b"1"), entry("b", b"1"), entry("c", b"1"), mark(b"first"))
    await save(archive, "g2", entry("b", b"2", owner="bo"), encode_gone("c"), encode_gone("never"), mark(b"second"))
    assert await contents(archive) == [("a", "ana", b"1"), ("b", "bo", b"2")]
    assert (await archive.generation(KEY), await archive.mark(KEY)) == ("g2", b"second")
    await save(archive, "g3", entry("c", b"again"), mark(b"third"))
    assert [path for path, _, _ in await contents(archive)] == ["a", "b", "c"]


async def test_what_comes_cut_anywhere_and_a_long_mark(archive: WorkspaceArchive) -> None:
    long = bytes(range(256)) * 1000
    data = entry("a", b"x" * 200_000) + mark(long)
    await save(archive, "g1", *(data[at : at + 70_001] for at in range(0, len(data), 70_001)))
    assert await contents(archive) == [("a", "ana", b"x" * 200_000)]
    assert await archive.mark(KEY) == long


async def test_a_save_that_fails_changes_nothing(archive: WorkspaceArchive) -> None:
    await save(archive, "g1", entry("a", b"1"), mark(b"first"))

    async def fail() -> None:
        async with archive.saving(KEY, "g2") as saving:
            await saving.add(entry("a", b"2"))
            raise LookupError

    with pytest.raises(LookupError):
        await fail()
    assert (await archive.generation(KEY), await archive.mark(KEY)) == ("g1", b"first")
    assert await contents(archive) == [("a", "ana", b"1")]
    await save(archive, "g3", entry("b", b"3"), mark(b"third"))
    assert [path for path, _, _ in await contents(archive)] == ["a", "b"]


async def test_nothing_added_changes_nothing(archive: WorkspaceArchive) -> None:
    await save(archive, "g1", entry("a"), mark(b"m"))
    await save(archive, "g2")
    assert await archive.generation(KEY) == "g1"


async def test_an_entry_without_its_end_does_not_count(archive: WorkspaceArchive) -> None:
    half = encode_entry(Entry("half", "file", 0o644, "ana", 0, 10)) + encode_content(0, b"12345")
    await save(archive, "g1", entry("a", b"1"), half, mark(b"m"))
    assert [path for path, _, _ in await contents(archive)] == ["a"]


@pytest.mark.parametrize("bad", [b"\x09\0\0\0\0", b"\x01\0\0\0\x02{}", b"\x01\xff\xff\xff\xff"])
async def test_what_is_no_record_is_refused(archive: WorkspaceArchive, bad: bytes) -> None:
    await save(archive, "g1", entry("a", b"1"), mark(b""))
    with pytest.raises(TreeError):
        await save(archive, "g2", entry("a", b"2"), bad)
    assert (await archive.generation(KEY), await contents(archive)) == ("g1", [("a", "ana", b"1")])


async def test_names_that_are_no_text(archive: WorkspaceArchive) -> None:
    names = ["line\nbreak", "\udcff\udc80", "naïve ☃", " ", "-rf", "\x1b[31m", "日本" * 40]
    await save(archive, "g1", *(entry(name) for name in names), mark(b""))
    assert sorted(path for path, _, _ in await contents(archive)) == sorted(names)


async def test_forgetting(archive: WorkspaceArchive) -> None:
    await save(archive, "g1", entry("a"), mark(b"m"))
    await archive.forget(KEY)
    await archive.forget(KEY)
    assert (await archive.generation(KEY), await archive.mark(KEY), await contents(archive)) == (NOTHING, b"", [])
    await save(archive, "g2", entry("b"), mark(b""))
    assert [path for path, _, _ in await contents(archive)] == ["b"]


async def test_many_saves(archive: WorkspaceArchive) -> None:
    for number in range(60):
        await save(archive, f"g{number}", entry("big", bytes([number]) * 500_000), entry(f"n{number % 7}"), mark(b"m"))
    found = {path: content for path, _, content in await contents(archive)}
    assert found == {"big": bytes([59]) * 500_000, **{f"n{n}": b"" for n in range(7)}}
    assert await archive.generation(KEY) == "g59"
