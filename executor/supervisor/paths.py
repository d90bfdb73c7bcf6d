"""Files below a directory that hostile programs also write to: no path is ever resolved by the kernel as a whole.

Every component is opened from the directory before it without following links, so that a link that is there, or is
put there in between, ends in an error instead of somewhere else. A file is written beside its place and renamed onto
it, which replaces a link, a FIFO or another member's file instead of writing through it.
"""

import contextlib
import os
import secrets
from typing import Final

DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_STEP: Final = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST_PARTS: Final = 16
_LONGEST_PART: Final = 255


class PathRefused(ValueError):
    """A path that does not name a file below its root; the text says why, and may be shown to the requester."""


def split(path: str) -> list[str]:
    """The components of a relative path that stays below its root."""
    parts = [part for part in path.split("/") if part != "."]
    if path.startswith("/"):
        raise PathRefused(f"{path!r} is not relative to the workspace")
    if ".." in parts:
        raise PathRefused(f"{path!r} leaves the workspace")
    if not parts or "" in parts or "\0" in path:
        raise PathRefused(f"{path!r} does not name a file")
    if len(parts) > _MOST_PARTS or any(len(os.fsencode(part)) > _LONGEST_PART for part in parts):
        raise PathRefused(f"{path!r} is too long or too deep")
    return parts


def create(directory: str, name: str, data: bytes) -> None:
    """Write a file into a directory that nobody else can reach."""
    file = os.open(f"{directory}/{name}", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o664)
    try:
        write_all(file, data)
    finally:
        os.close(file)


def lay(root: str, path: str, data: bytes) -> None:
    """Write a file, and the directories it needs, with the rights of this process.

    Raises:
        PathRefused: something else than a directory is in the way, or it names one.
        OSError: no space, no right.
    """
    *directories, name = split(path)
    directory = os.open(root, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in directories:
            with contextlib.suppress(FileExistsError):
                os.mkdir(part, 0o775, dir_fd=directory)
            directory = _into(directory, part, path)
        _replace(directory, name, path, data)
    except PermissionError as error:
        raise PathRefused(f"{path!r} cannot be written: it lies in a directory of somebody else") from error
    finally:
        os.close(directory)


def _into(directory: int, part: str, path: str) -> int:
    try:
        inner = os.open(part, _STEP, dir_fd=directory)
    except NotADirectoryError:
        raise PathRefused(f"{part!r} in {path!r} is not a directory") from None
    os.close(directory)
    return inner


def _replace(directory: int, name: str, path: str, data: bytes) -> None:
    beside = f".{secrets.token_hex(8)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(beside, flags, 0o664, dir_fd=directory)
    try:
        try:
            write_all(file, data)
        finally:
            os.close(file)
        os.rename(beside, name, src_dir_fd=directory, dst_dir_fd=directory)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(beside, dir_fd=directory)
        if isinstance(error, IsADirectoryError):
            raise PathRefused(f"{path!r} is a directory") from None
        raise


def write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
