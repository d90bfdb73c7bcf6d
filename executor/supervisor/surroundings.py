"""What all executions of a supervisor share."""

from collections.abc import Callable
from dataclasses import dataclass

from executor.supervisor.config import Config
from executor.supervisor.killing import Killer
from executor.supervisor.loop import Loop
from executor.supervisor.outbox import Outbox
from executor.supervisor.usage import OutOfMemory


@dataclass(slots=True)
class Workspace:
    """`changed_at` (monotonic) is when a program last ended that may have changed something in it."""

    changed_at: float = float("-inf")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`reap` waits for whatever has died, and tells the executions. `queue` has a run wait for another spare."""

    config: Config
    loop: Loop
    outbox: Outbox
    killer: Killer
    kills: OutOfMemory
    reap: Callable[[], None]
    queue: Callable[[int], None]
    workspace: Workspace
