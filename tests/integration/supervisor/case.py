"""A program, and what has to come of it: the rows of the tables in this folder."""

from dataclasses import dataclass, field, replace
from typing import Any

from executor.messages import Reason
from tests.integration.inside import QUICK, Inside, Result

SOON = replace(QUICK, timeout_s=0.5)
ROOMY = replace(QUICK, timeout_s=20.0)
IN_TIME: dict[str, Any] = {"limits": SOON}


@dataclass(frozen=True)
class Case:
    """None is not looked at; `err` is contained (empty: there is none), `files` are all that come out."""

    code: str
    exit_code: int | None = 0
    signal: int | None = None
    reason: Reason | None = None
    out: bytes | None = None
    err: bytes | None = None
    leftovers: bool | None = None
    language: str = "python"
    files: dict[str, bytes] | None = None
    left: int | None = None
    value: str | None = None
    changes: dict[str, Any] = field(default_factory=dict)


def ends_as_it_should(inside: Inside, case: Case) -> Result:
    wanted = {"collect": True} if case.files is not None or case.left is not None else {}
    wanted |= {"echo": True} if case.value is not None else {}
    result = inside.run(case.code, case.language, **(wanted | case.changes))
    end = result.end
    assert (end.exit_code, end.signal, end.reason) == (case.exit_code, case.signal, case.reason), result.err[-2000:]
    if case.out is not None:
        assert case.out == result.out, result.err[-2000:]
    if case.err is not None:
        assert case.err in result.err
        assert case.err or not result.err
    if case.leftovers is not None:
        assert (end.leftovers > 0) == case.leftovers
    if case.files is not None:
        assert result.files == case.files
    if case.left is not None:
        assert end.artifacts_left == case.left
    assert end.value == case.value
    assert result.started
    return result
