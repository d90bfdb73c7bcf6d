"""What may happen to a sandbox while it is at work: each blow hits one container, from outside, without warning."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from docker.errors import APIError

Blow = Callable[[Any, str], str]
"""Gets a docker client and a container's id; says what was hit."""


def kill(client: Any, container: str) -> str:
    client.api.kill(container)
    return "container killed"


def remove(client: Any, container: str) -> str:
    client.api.remove_container(container, force=True, v=True)
    return "container removed"


def supervisor(client: Any, container: str) -> str:
    """The oldest child of the container's init."""
    os.kill(min(children(_init(client, container))), signal.SIGKILL)
    return "supervisor killed"


def init(client: Any, container: str) -> str:
    os.kill(_init(client, container), signal.SIGKILL)
    return "init killed"


def shim(client: Any, container: str) -> str:
    """The process of containerd that a container lives below."""
    above = parent(_init(client, container))
    if "containerd-shim" not in Path(f"/proc/{above}/cmdline").read_text():
        raise ProcessLookupError("the container has no shim of its own")
    os.kill(above, signal.SIGKILL)
    return "shim killed"


def freeze(client: Any, container: str) -> str:
    client.api.pause(container)
    return "container frozen"


ALL: tuple[Blow, ...] = (kill, remove, supervisor, init, shim, freeze)


def strike(client: Any, container: str, blow: Blow) -> str | None:
    """What was hit; None where there was nothing to hit any more."""
    try:
        return blow(client, container)
    except (APIError, ProcessLookupError, FileNotFoundError, ValueError):
        return None


def _init(client: Any, container: str) -> int:
    pid = int(client.api.inspect_container(container)["State"]["Pid"])
    if pid <= 0:
        raise ProcessLookupError(container)
    return pid


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
