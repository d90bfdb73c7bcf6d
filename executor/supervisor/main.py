"""Where the supervisor begins: the container's own process, below the engine's init, root with SETUID, SETGID and KILL.

It makes itself unreachable for user code before there is any: not dumpable, so that its memory, environment and
descriptors are root's alone; reaper of every orphan, so that no process of a run gets away unaccounted for. The stream
to the host moves off the standard descriptors, so that nothing printed by accident gets into it.
"""

import gc
import os
import signal
from typing import Any

from executor.supervisor import seccomp
from executor.supervisor.config import Config
from executor.supervisor.deaths import wake_on_death
from executor.supervisor.nursery import Nursery
from executor.supervisor.service import Service
from executor.supervisor.system import PR_SET_CHILD_SUBREAPER, PR_SET_DUMPABLE, give_back, prctl


def main(config: dict[str, Any]) -> None:
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    prctl(PR_SET_DUMPABLE, 0)
    incoming, outgoing = _take_streams()
    settings = Config.from_json(config)
    gc.collect()
    give_back()
    gc.freeze()  # or the nursery's collections would make copies of what it shares with us
    nursery = Nursery(settings, seccomp.Filter(seccomp.program()))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    woken = wake_on_death()
    Service(settings, nursery, incoming, outgoing, woken).serve()


def _take_streams() -> tuple[int, int]:
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    for descriptor in (incoming, outgoing):
        os.set_blocking(descriptor, False)
    return incoming, outgoing
