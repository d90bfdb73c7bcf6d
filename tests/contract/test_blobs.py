"""What every blob store keeps to."""

import asyncio
import hashlib
from pathlib import Path

import pytest

from adapters.storage.blobs import FolderBlobs
from adapters.storage.memory import MemoryBlobs
from bot.core.reports import FileRef
from bot.ports import Blobs


@pytest.fixture(params=["memory", "folder"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Blobs:
    return MemoryBlobs() if request.param == "memory" else FolderBlobs(tmp_path / "blobs")


@pytest.mark.parametrize("data", [b"", b"x", b"\0\xff" * 100_000])
async def test_content_comes_back_by_its_hash(blobs: Blobs, data: bytes) -> None:
    ref = await blobs.put(data, "a/b.png", "image/png")
    assert ref == FileRef(
        name="a/b.png", sha256=hashlib.sha256(data).hexdigest(), bytes=len(data), media_type="image/png"
    )
    assert await blobs.get(ref.sha256) == data


async def test_a_file_is_taken_over(blobs: Blobs, tmp_path: Path) -> None:
    path = tmp_path / "spool.txt"
    path.write_bytes(b"full text")
    ref = await blobs.put_file(path, "output-1.txt", "text/plain")
    assert not path.exists()
    assert (ref.name, ref.bytes, ref.media_type) == ("output-1.txt", 9, "text/plain")
    assert await blobs.get(ref.sha256) == b"full text"


async def test_the_same_content_twice_is_one(blobs: Blobs, tmp_path: Path) -> None:
    path = tmp_path / "spool.txt"
    path.write_bytes(b"same")
    first = await blobs.put(b"same", "one")
    second = await blobs.put_file(path, "two")
    assert first.sha256 == second.sha256
    assert not path.exists()
    assert await blobs.get(first.sha256) == b"same"


@pytest.mark.parametrize("sha256", ["0" * 64, "../../etc/passwd", "", "0" * 63 + "G"])
async def test_what_is_not_there_is_a_key_error(blobs: Blobs, sha256: str) -> None:
    with pytest.raises(KeyError):
        await blobs.get(sha256)


async def test_many_at_once(blobs: Blobs) -> None:
    refs = await asyncio.gather(*(blobs.put(bytes([n % 3]) * 1000, str(n)) for n in range(30)))
    assert len({ref.sha256 for ref in refs}) == 3
    assert [await blobs.get(ref.sha256) for ref in refs] == [bytes([n % 3]) * 1000 for n in range(30)]
