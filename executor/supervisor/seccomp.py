"""A system call filter for user code, on top of the engine's own.

Docker's default profile leaves open what a chat's code has no use for and a kernel exploit has: io_uring, sockets of
the machine (vsock) and of the kernel (netlink). It also depends on the engine. This filter is installed by each child
just before its code runs, and closes those, everything that looks into or shapes other processes and namespaces, and
System V and POSIX message queues and segments, which would outlive an execution. A refused call fails with EPERM, so
that programs report it as they report any refusal.

A filter is classic BPF over `struct seccomp_data` (nr at 0, arch at 4, arguments from 16). Numbers: the kernel's
arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h (aarch64).
"""

import ctypes
import errno
import struct
from typing import Final

from executor.supervisor.system import MACHINE, PR_SET_SECCOMP, prctl

_DENIED: Final[dict[str, tuple[int, int]]] = {  # x86_64, aarch64
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "fanotify_init": (300, 262),
    "memfd_secret": (447, 447),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "unshare": (272, 97),
    "setns": (308, 268),
    "chroot": (161, 51),
    "pivot_root": (155, 41),
    "mount": (165, 40),
    "umount2": (166, 39),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "quotactl": (179, 60),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "personality": (135, 92),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semctl": (66, 191),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "msgget": (68, 186),
    "msgctl": (71, 187),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
}
_SOCKET: Final = (41, 198)
_CLONE: Final = (56, 220)
_CLONE3: Final = 435  # both
_FAMILIES: Final = (1, 2, 10)  # unix, inet, inet6
_NEW_NAMESPACES: Final = 0x7E020000  # CLONE_NEW{NS,CGROUP,UTS,IPC,USER,PID,NET}
_ARCHITECTURES: Final = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_X32: Final = 0x40000000

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NR, _ARCH, _ARGUMENT = 0, 4, 16
_ALLOW: Final = 0x7FFF0000
_ERRNO: Final = 0x00050000
_MODE_FILTER: Final = 2
_INSTRUCTION: Final = struct.Struct("=HBBI")


def program(machine: str = MACHINE) -> bytes:
    """The filter's instructions. OSError where the machine's numbers are not known: nothing may run there."""
    if machine not in _ARCHITECTURES:
        raise OSError(errno.ENOSYS, f"no system call filter for {machine}")
    column, architecture = _ARCHITECTURES[machine]
    deny, allow = _ERRNO | errno.EPERM, _ALLOW
    code = [(_LOAD, 0, 0, _ARCH), (_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, deny), (_LOAD, 0, 0, _NR)]
    if machine == "x86_64":  # the same calls under other numbers
        code += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, deny)]
    for numbers in _DENIED.values():
        code += [(_EQUAL, 0, 1, numbers[column]), (_RETURN, 0, 0, deny)]
    # its flags lie in memory, out of a filter's reach; libc then falls back to clone
    code += [(_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
    code += [(_EQUAL, 0, 4, _CLONE[column]), (_LOAD, 0, 0, _ARGUMENT), (_ANY_BIT, 0, 1, _NEW_NAMESPACES)]
    code += [(_RETURN, 0, 0, deny), (_RETURN, 0, 0, allow)]
    code += [(_EQUAL, 0, 2 + len(_FAMILIES), _SOCKET[column]), (_LOAD, 0, 0, _ARGUMENT)]
    code += [(_EQUAL, len(_FAMILIES) - at, 0, family) for at, family in enumerate(_FAMILIES)]
    code += [(_RETURN, 0, 0, deny), (_RETURN, 0, 0, allow)]
    return b"".join(_INSTRUCTION.pack(*instruction) for instruction in code)


class Filter:
    """A program in memory, ready to be installed: built once, before forking."""

    def __init__(self, instructions: bytes) -> None:
        self._code = ctypes.create_string_buffer(instructions, len(instructions))
        count = len(instructions) // _INSTRUCTION.size
        head = struct.pack("@HP", count, ctypes.addressof(self._code))  # struct sock_fprog
        self._head = ctypes.create_string_buffer(head, len(head))
        self._address = ctypes.addressof(self._head)

    def install(self) -> None:
        """For this process and all that come of it, for good. Needs no_new_privs. OSError: it is not in force."""
        prctl(PR_SET_SECCOMP, _MODE_FILTER, self._address)
