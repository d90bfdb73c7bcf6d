"""Files that come out of a block, put together from frames.

The limits are kept inside the sandbox and checked again here: a supervisor that announces more than was asked for does
not keep to the protocol, and its sandbox is not trusted any further. A path is data from the user's program; one that
is not plainly inside the workspace is left out.
"""

from pathlib import PurePosixPath

from executor.frames import Frame, Kind
from executor.messages import MessageError, decode_artifact
from executor.types import Artifact, Limits


class Incoming:
    """The files of one block. `take` every ARTIFACT and DATA frame, then read `files` and `left`."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._path = ""
        self._data = bytearray()
        self._missing = 0
        self._heads = 0
        self._total = 0
        self.files: list[Artifact] = []
        self.left = 0

    def take(self, frame: Frame) -> None:
        """MessageError where the frame cannot be."""
        if frame.kind is Kind.ARTIFACT:
            if self._missing:
                raise MessageError("a file begins before the last one is complete")
            head = decode_artifact(frame.payload)
            self._heads += 1
            self._total += head.bytes
            if (
                not 0 <= head.bytes <= self._limits.artifact_bytes
                or self._heads > self._limits.artifact_count
                or self._total > self._limits.artifact_total_bytes
            ):
                raise MessageError("more files came out than were asked for")
            self._path, self._missing = head.path, head.bytes
            self._data.clear()
        else:
            if len(frame.payload) > self._missing:
                raise MessageError("more of a file came out than was announced")
            self._data += frame.payload
            self._missing -= len(frame.payload)
        if not self._missing:
            self._complete()

    def _complete(self) -> None:
        if _inside(self._path):
            self.files.append(Artifact(self._path, bytes(self._data)))
        else:
            self.left += 1


def merged(parts: list[tuple[Artifact, ...]], limits: Limits) -> tuple[tuple[Artifact, ...], int]:
    """The files of several blocks as those of one execution, each in its last form, and how many the limits cost."""
    latest = {artifact.path: artifact for part in parts for artifact in part}
    kept: list[Artifact] = []
    room = limits.artifact_total_bytes
    for artifact in latest.values():
        if len(kept) < limits.artifact_count and len(artifact.data) <= room:
            kept.append(artifact)
            room -= len(artifact.data)
    return tuple(kept), len(latest) - len(kept)


def _inside(path: str) -> bool:
    pure = PurePosixPath(path)
    return bool(path) and "\0" not in path and not pure.is_absolute() and ".." not in pure.parts
