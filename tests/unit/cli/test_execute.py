import pytest

from bot.cli.execute import report
from executor.types import Artifact, BlockResult, ExecutionResult, LimitHit, Outcome, Output


def test_the_shape_of_an_answer() -> None:
    output = Output(text="ab", stdout="a", stderr="b", total_bytes=2, truncated=True)
    block = BlockResult(
        Outcome.TIMED_OUT,
        exit_code=124,
        output=output,
        duration_ms=500.1234567,
        cpu_ms=3.0,
        peak_memory_bytes=7,
        limit=LimitHit("timeout_s", 0.5),
    )
    assert report(ExecutionResult((block,), (Artifact("a/b.txt", b"123"),))) == {
        "outcome": "timed_out",
        "exit_code": 124,
        "stdout": "a",
        "stderr": "b",
        "truncated": True,
        "duration_ms": pytest.approx(500.123),
        "cpu_ms": 3.0,
        "peak_memory_bytes": 7,
        "artifacts": [{"path": "a/b.txt", "bytes": 3}],
        "limit": {"name": "timeout_s", "value": 0.5},
    }


def test_no_limit_is_null() -> None:
    assert report(ExecutionResult((BlockResult(Outcome.COMPLETED, exit_code=0),)))["limit"] is None


@pytest.mark.parametrize("value", ["42", None])
def test_a_value_is_in_it_where_it_was_asked_for(value: str | None) -> None:
    result = ExecutionResult((BlockResult(Outcome.COMPLETED, exit_code=0, value=value),))
    assert report(result, echo=True)["value"] == value
    assert "value" not in report(result)
