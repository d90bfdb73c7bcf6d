"""Failures of our own machinery, as opposed to those of a user's program, which are results.

Each class is named for the reaction it calls for. `str(error)` is one sentence that may be shown to a user; details
for the operator are in the cause.
"""


class ExecutorError(Exception):
    """Root of everything the executor raises."""


class EngineUnavailable(ExecutorError):
    """The container engine does not answer: nothing ran; try again later."""


class ImageMissing(ExecutorError):
    """The sandbox image is not on the engine: an operator has to build it."""


class SandboxUnavailable(ExecutorError):
    """The engine answers, but no sandbox could be made or reached; nothing ran."""


class SandboxLost(ExecutorError):
    """The sandbox went away while an execution was in it: whether it finished is unknown."""


class SandboxBusy(ExecutorError):
    """The sandbox has no free slot, or this requester already has an execution in it."""


class InvalidExecution(ExecutorError):
    """The execution cannot be carried out as asked: unknown language, path outside the workspace, oversized request."""
