from typing import get_args

import pytest

from executor.messages import Exit, Reason
from executor.outcomes import block_result
from executor.types import MIB, LimitHit, Limits, Outcome, Output

LIMITS = Limits(timeout_s=3, memory_mb=100, processes=7, file_output_bytes=5 * MIB, file_bytes=9 * MIB)


@pytest.mark.parametrize(
    ("end", "outcome", "code", "limit"),
    [
        (Exit(exit_code=0), Outcome.COMPLETED, 0, None),
        (Exit(exit_code=3), Outcome.FAILED, 3, None),
        (Exit(signal=11), Outcome.FAILED, 139, None),
        (Exit(signal=9), Outcome.FAILED, 137, None),
        (Exit(signal=9, reason="timeout"), Outcome.TIMED_OUT, 124, LimitHit("timeout_s", 3)),
        (Exit(signal=24, reason="cpu"), Outcome.TIMED_OUT, 124, LimitHit("cpu_s", 3)),
        (Exit(signal=9, reason="memory"), Outcome.OUT_OF_MEMORY, 137, LimitHit("memory_mb", 100)),
        (Exit(exit_code=1, reason="memory"), Outcome.OUT_OF_MEMORY, 137, LimitHit("memory_mb", 100)),
        (Exit(signal=9, reason="output"), Outcome.OUTPUT_EXCEEDED, 137, LimitHit("output_bytes", 5 * MIB)),
        (Exit(exit_code=1, reason="processes"), Outcome.TOO_MANY_PROCESSES, 1, LimitHit("processes", 7)),
        (Exit(signal=25, reason="file_size"), Outcome.FAILED, 153, LimitHit("file_bytes", 9 * MIB)),
        (Exit(signal=9, reason="cancelled"), Outcome.CANCELLED, 130, None),
        (Exit(reason="stuck"), Outcome.LOST, None, None),
    ],
)
def test_an_end_and_what_it_is_called(end: Exit, outcome: Outcome, code: int | None, limit: LimitHit | None) -> None:
    result = block_result(end, LIMITS, Output(text="x"))
    assert (result.outcome, result.exit_code, result.signal, result.limit) == (outcome, code, end.signal, limit)


@pytest.mark.parametrize("reason", get_args(Reason))
def test_every_reason_has_an_outcome(reason: Reason) -> None:
    assert block_result(Exit(reason=reason), LIMITS, Output()).outcome is not Outcome.COMPLETED


def test_measures_are_passed_on() -> None:
    result = block_result(
        Exit(exit_code=0, duration_ms=1.5, cpu_ms=1.25, peak_memory_bytes=7), LIMITS, Output(text="x")
    )
    assert (result.duration_ms, result.cpu_ms, result.peak_memory_bytes) == (1.5, 1.25, 7)
    assert result.output.text == "x"
