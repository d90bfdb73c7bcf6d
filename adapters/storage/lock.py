"""One process owns a data folder.

The lock is the kernel's, on an open file: it goes with the process, however that ends, so there is no stale lock to
clean up. The number in the file is for people.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class DataDirInUse(Exception):
    """Another process owns this data folder; `str` names it."""


@contextmanager
def own_data_dir(folder: Path) -> Iterator[Path]:
    """Own the folder, made if it is not there, until the end of the block. OSError where it cannot be written."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            owner = os.pread(file, 32, 0).decode(errors="replace").strip() or "unknown"
            raise DataDirInUse(
                f"{folder} is in use by another Fencepost (process {owner}). Stop that one, or set FENCEPOST_DATA_DIR "
                "to another folder."
            ) from error
        os.ftruncate(file, 0)
        os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
        yield folder
    finally:
        os.close(file)
