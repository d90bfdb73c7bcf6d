"""From what the supervisor says about the end of a block to what we say about it.

A block's exit code is the program's own unless a limit or a person ended it: 124 timed out, 137 out of memory, 130
cancelled, and 128+n for a signal n. Running out of time and of memory are never mixed up: the supervisor names the
reason, the exit code is derived from it.
"""

from executor.messages import Exit, Reason
from executor.types import BlockResult, LimitHit, LimitName, Limits, Outcome, Output

_OUTCOMES: dict[Reason, Outcome] = {
    "timeout": Outcome.TIMED_OUT,
    "cpu": Outcome.TIMED_OUT,
    "memory": Outcome.OUT_OF_MEMORY,
    "output": Outcome.OUTPUT_EXCEEDED,
    "processes": Outcome.TOO_MANY_PROCESSES,
    "file_size": Outcome.FAILED,
    "cancelled": Outcome.CANCELLED,
    "stuck": Outcome.LOST,
}
_EXIT_CODES: dict[Reason, int] = {"timeout": 124, "cpu": 124, "memory": 137, "cancelled": 130}
_SIGNALLED = 128


def block_result(end: Exit, limits: Limits, output: Output) -> BlockResult:
    return BlockResult(
        outcome=_outcome(end),
        exit_code=_exit_code(end),
        signal=end.signal,
        output=output,
        duration_ms=end.duration_ms,
        cpu_ms=end.cpu_ms,
        peak_memory_bytes=end.peak_memory_bytes,
        limit=_limit(end.reason, limits),
        value=end.value,
    )


def _outcome(end: Exit) -> Outcome:
    if end.reason is not None:
        return _OUTCOMES[end.reason]
    return Outcome.COMPLETED if end.exit_code == 0 else Outcome.FAILED


def _exit_code(end: Exit) -> int | None:
    if end.reason in _EXIT_CODES:
        return _EXIT_CODES[end.reason]
    if end.signal is not None:
        return _SIGNALLED + end.signal
    return end.exit_code


def _limit(reason: Reason | None, limits: Limits) -> LimitHit | None:
    """A program ended for its output has filled the file as well, so that is the limit it met."""
    values: dict[Reason, tuple[LimitName, float]] = {
        "timeout": ("timeout_s", limits.timeout_s),
        "cpu": ("cpu_s", limits.timeout_s),
        "memory": ("memory_mb", limits.memory_mb),
        "output": ("output_bytes", limits.file_output_bytes),
        "processes": ("processes", limits.processes),
        "file_size": ("file_bytes", limits.file_bytes),
    }
    return LimitHit(*values[reason]) if reason in values else None
