"""The workspace read-only, or hidden, for one execution: Landlock, which a process imposes on itself and its children.

Landlock is a list of what is allowed beneath given directories, for the kinds of access a ruleset handles. Read-only:
all kinds of writing are handled, and allowed beneath everything but the workspace. Hidden: reading and executing are
handled too, so a listing of the directories above the workspace is refused as well.

It takes version 3 of the kernel's interface (Linux 6.2): before, `truncate` was not covered, and a workspace called
read-only could be emptied. Changing a file's mode or times is not covered by any version; names can be probed with
`stat`. Numbers: include/uapi/linux/landlock.h.
"""

import ctypes
import os
import struct
from collections.abc import Callable, Iterator
from typing import Final, Literal

from executor.supervisor.system import syscall

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same on every architecture
_VERSION_FLAG: Final = 1
_PATH_BENEATH: Final = 1
_NEEDED_VERSION: Final = 3

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE: Final = 1 << 14
_REMOVE_MAKE_AND_REFER: Final = ((1 << 14) - 1) & ~((1 << 4) - 1)  # bits 4 to 13
_WRITING: Final = _WRITE_FILE | _TRUNCATE | _REMOVE_MAKE_AND_REFER
_READING: Final = _EXECUTE | _READ_FILE | _READ_DIR
_OF_A_FILE: Final = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE


def supported() -> bool:
    try:
        return syscall(_CREATE, 0, 0, _VERSION_FLAG) >= _NEEDED_VERSION
    except OSError:
        return False


def restrict(workspace: str, access: Literal["ro", "none"]) -> None:
    """Take the workspace away from this process for good. Needs no_new_privs. OSError: it is not in force."""
    handled = _WRITING if access == "ro" else _WRITING | _READING
    ruleset = _with(struct.pack("=Q", handled), lambda pointer, size: syscall(_CREATE, pointer, size, 0))
    try:
        for path in _beside(workspace):
            _allow(ruleset, path, handled)
        syscall(_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        target = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return  # what we cannot open stays forbidden
    try:
        rights = access if os.path.isdir(path) else access & _OF_A_FILE  # noqa: PTH112
        rule = struct.pack("=Qi", rights, target)
        _with(rule, lambda pointer, _: syscall(_ADD, ruleset, _PATH_BENEATH, pointer, 0))
    finally:
        os.close(target)


def _beside(workspace: str) -> Iterator[str]:
    """Everything that lies neither in the workspace nor above it. Links are left out: their targets are listed."""
    above = "/"
    for part in workspace.strip("/").split("/"):
        with os.scandir(above) as entries:
            yield from [entry.path for entry in entries if entry.name != part and not entry.is_symlink()]
        above = os.path.join(above, part)  # noqa: PTH118


def _with(data: bytes, call: Callable[[int, int], int]) -> int:
    """A system call that reads `data` from an address."""
    buffer = ctypes.create_string_buffer(data, len(data))
    return call(ctypes.addressof(buffer), len(data))
