"""The full text of a block that wrote more than is kept in memory, as a temporary file.

Writing is synchronous on purpose: at most `cap` bytes (10 MiB by default) go to the page cache in pieces of one frame,
tens of microseconds each; a thread per piece would cost more and reorder nothing for the better. A disk that is full or
gone costs the file, never the execution: the spool then gives up and says so by having no path.
"""

import contextlib
import os
import tempfile
from pathlib import Path


class Spool:
    """A file made at the first `write`, at most `cap` bytes long. Exactly one of `keep` and `discard` ends it."""

    def __init__(self, cap: int, directory: Path | None = None) -> None:
        self._room = cap
        self._directory = directory
        self._file: int | None = None
        self._path: Path | None = None
        self._failed = False

    def write(self, data: bytes) -> None:
        piece = data[: self._room]
        if not piece or self._failed:
            return
        try:
            if self._file is None:
                self._file, name = tempfile.mkstemp(prefix="fencepost-output-", suffix=".txt", dir=self._directory)
                self._path = Path(name)
            written = os.write(self._file, piece)
            if written < len(piece):
                raise OSError(f"{written} of {len(piece)} bytes were written")
        except OSError:
            self.discard()
            self._failed = True
        else:
            self._room -= written

    def keep(self) -> Path | None:
        """Close the file and hand it over: whoever takes the path removes it."""
        self._close()
        path, self._path = self._path, None
        return path

    def discard(self) -> None:
        self._close()
        if self._path is not None:
            with contextlib.suppress(OSError):
                self._path.unlink(missing_ok=True)
        self._path = None

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
