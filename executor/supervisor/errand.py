"""Work with a requester's rights that may take long: in a process of its own, forked from the supervisor, no user code.

It runs after the requester's last process has died, under the requester's uid, and is ended the same way as those if
it takes too long. What it writes comes to `on_data`; `on_end` follows once.
"""

import contextlib
import os
import signal
from collections.abc import Callable

from executor.supervisor.loop import Loop
from executor.supervisor.system import PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS, prctl

_PIECE = 64 * 1024


class Errand:
    def __init__(self, loop: Loop, on_data: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        self._loop = loop
        self._on_data = on_data
        self._on_end = on_end
        self._pipe = -1

    def begin(self, uid: int, gid: int, work: Callable[[int], None]) -> None:
        """`work` gets the descriptor to write to. OSError: no process or no descriptor to be had."""
        self._pipe, writing = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(self._pipe, False)
        try:
            if os.fork() == 0:
                _do(uid, gid, work, writing)
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
        with contextlib.suppress(OSError):
            os.close(self._pipe)

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


def _do(uid: int, gid: int, work: Callable[[int], None], writing: int) -> None:
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGTERM, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        pipe = os.dup2(writing, 3)
        os.closerange(4, 65536)
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        prctl(PR_SET_DUMPABLE, 1)  # nobody of this uid is left to look
        work(pipe)
    finally:
        os._exit(0)
