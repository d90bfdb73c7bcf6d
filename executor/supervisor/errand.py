"""Work on files that may take long: in a process of its own, forked from the supervisor, no user code.

With a requester's uid it runs after the requester's last process has died, and is ended the same way as those if it
takes too long. With uid 0 it may change its effective uid from one owner of files to the next (see
`executor.supervisor.guise`), and `kill` ends it. What it writes comes to `on_data`; `on_end` follows once.
"""

import contextlib
import fcntl
import os
import signal
from collections.abc import Callable

from executor.supervisor.loop import Loop
from executor.supervisor.system import PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS, prctl

SOURCE = 4
"""The descriptor of `source` in the errand."""

_PIECE = 64 * 1024


class Errand:
    def __init__(self, loop: Loop, on_data: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        self._loop = loop
        self._on_data = on_data
        self._on_end = on_end
        self._pipe = -1
        self._handle = -1

    def begin(self, uid: int, gid: int, work: Callable[[int], None], source: int | None = None) -> None:
        """`work` gets the descriptor to write to. OSError: no process or no descriptor to be had."""
        self._pipe, writing = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(self._pipe, False)
        try:
            pid = os.fork()
            if pid == 0:
                _do(uid, gid, work, writing, source)
            with contextlib.suppress(OSError):  # where there is no such thing, it ends at its next write
                self._handle = os.pidfd_open(pid)
        except BaseException:
            os.close(self._pipe)
            raise
        finally:
            os.close(writing)
        self._loop.when_readable(self._pipe, self._read)

    def pause(self) -> None:
        self._loop.forget(self._pipe)

    def resume(self) -> None:
        self._loop.forget(self._pipe)
        self._loop.when_readable(self._pipe, self._read)

    def close(self) -> None:
        """Hear no more of it. It ends at its next write, at the latest with its uid."""
        self._loop.forget(self._pipe)
        for descriptor in (self._pipe, self._handle):
            with contextlib.suppress(OSError):
                os.close(descriptor)
        self._pipe = self._handle = -1

    def kill(self) -> None:
        """And hear no more of it."""
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        self.close()

    def _read(self) -> None:
        try:
            data = os.read(self._pipe, _PIECE)
        except BlockingIOError:
            return
        if data:
            self._on_data(data)
        else:
            self.close()
            self._on_end()


def _do(uid: int, gid: int, work: Callable[[int], None], writing: int, source: int | None) -> None:
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGTERM, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        given = os.open("/dev/null", os.O_RDONLY) if source is None else os.dup(source)
        pipe, given = _above(writing), _above(given)
        os.dup2(pipe, 3)
        os.dup2(given, SOURCE)
        os.closerange(SOURCE + 1, 65536)
        if uid:
            os.setgroups([])
            os.setresgid(gid, gid, gid)
            os.setresuid(uid, uid, uid)
            prctl(PR_SET_DUMPABLE, 1)  # nobody of this uid is left to look
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        work(3)
    finally:
        os._exit(0)


def _above(descriptor: int) -> int:
    """A copy that is not in the way of those with fixed numbers."""
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, SOURCE + 1)
