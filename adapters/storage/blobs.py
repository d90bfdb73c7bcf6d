"""Files by the sha256 of their content, in a folder: `ab/ab12…`.

A file appears under its name whole or not at all (written beside it, fsync, rename, fsync of the folder), so a name
that exists need not be written again. Content is checked against its name when it is read: what was approved by its
hash is what runs.
"""

import asyncio
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from bot.core.reports import FileRef
from bot.ports import StoreUnavailable

_SHA256 = re.compile(r"[0-9a-f]{64}")
T = TypeVar("T")


class FolderBlobs:
    """`bot.ports.Blobs` under `root`, which is made at the first write. Everything on disk happens in threads."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def put(self, data: bytes, name: str, media_type: str = "application/octet-stream") -> FileRef:
        sha256 = await _in_thread(lambda: self._write(data))
        return FileRef(name=name, sha256=sha256, bytes=len(data), media_type=media_type)

    async def put_file(self, path: Path, name: str, media_type: str = "application/octet-stream") -> FileRef:
        sha256, size = await _in_thread(lambda: self._take(path))
        return FileRef(name=name, sha256=sha256, bytes=size, media_type=media_type)

    async def get(self, sha256: str) -> bytes:
        if not _SHA256.fullmatch(sha256):
            raise KeyError(sha256)
        return await _in_thread(lambda: self._read(sha256))

    def _write(self, data: bytes) -> str:
        sha256 = hashlib.sha256(data).hexdigest()
        target = self._place(sha256)
        if not target.exists():
            with self._beside(target) as temporary:
                temporary.write_bytes(data)
        return sha256

    def _take(self, path: Path) -> tuple[str, int]:
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            size = file.tell()
        target = self._place(sha256)
        if target.exists():
            path.unlink()
        else:
            with self._beside(target) as temporary:
                shutil.move(path, temporary)
        return sha256, size

    def _read(self, sha256: str) -> bytes:
        try:
            data = self._place(sha256).read_bytes()
        except FileNotFoundError:
            raise KeyError(sha256) from None
        if hashlib.sha256(data).hexdigest() != sha256:
            raise KeyError(sha256)
        return data

    def _place(self, sha256: str) -> Path:
        return self._root / sha256[:2] / sha256

    @contextmanager
    def _beside(self, target: Path) -> Iterator[Path]:
        """A temporary file in the same folder, which is `target` in the end; nothing is left of it if that fails."""
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".part-", dir=target.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            _sync(temporary)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
        _sync(target.parent)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


async def _in_thread(work: Callable[[], T]) -> T:
    try:
        return await asyncio.to_thread(work)
    except OSError as error:
        raise StoreUnavailable(f"A file cannot be kept or read just now: {error.strerror or error}.") from error
