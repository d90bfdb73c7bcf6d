"""What the kernel offers and Python's standard library does not, through ctypes. Numbers from the kernel's headers."""

import contextlib
import ctypes
import os
from collections.abc import Iterator
from typing import Final

PR_SET_DUMPABLE: Final = 4
PR_SET_SECCOMP: Final = 22
PR_SET_CHILD_SUBREAPER: Final = 36
PR_SET_NO_NEW_PRIVS: Final = 38

MACHINE: Final = os.uname().machine
LIBC: Final = ctypes.CDLL(None, use_errno=True)


def prctl(option: int, argument: int, pointer: int = 0) -> None:
    arguments = [ctypes.c_ulong(value) for value in (argument, pointer, 0, 0)]
    if LIBC.prctl(ctypes.c_int(option), *arguments) != 0:
        raise _error()


def syscall(number: int, *arguments: int) -> int:
    result: int = LIBC.syscall(ctypes.c_long(number), *(ctypes.c_long(value) for value in arguments))
    if result < 0:
        raise _error()
    return result


def give_back() -> None:
    """Memory that was freed, to the kernel: importing takes more than it keeps."""
    with contextlib.suppress(AttributeError):  # another libc
        LIBC.malloc_trim(0)


def resident_bytes() -> int:
    """Of this process, pages shared with others included."""
    with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - on the way of every execution
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@contextlib.contextmanager
def acting_as(uid: int, gid: int) -> Iterator[None]:
    """The files of a requester, with a requester's rights, without a process of its own.

    Only while no process of `uid` lives, or for reading /proc: the effective uid alone changes, so nobody gains a
    right over us, and our capabilities come back with it.
    """
    os.setresgid(-1, gid, -1)
    try:
        os.setresuid(-1, uid, -1)
        try:
            yield
        finally:
            os.setresuid(-1, 0, -1)
    finally:
        os.setresgid(-1, 0, -1)


def _error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))
