"""Ordinary programs, run by the image's own interpreter and by the supervisor: the same bytes, codes and signals."""

from typing import Any

import pytest

from executor.types import InputFile
from tests.corpus import OTHER_WORDS, PROGRAMS, as_bytes, without_addresses
from tests.integration.inside import Inside
from tests.integration.supervisor.case import ROOMY

pytestmark = pytest.mark.docker

ARGUMENTS = ("a b", "c")
TEXTS = [name for name, program in PROGRAMS.items() if isinstance(program, str)]
"""A block of a message is no sequence of bytes."""

GIVEN: dict[str, Any] = {"args": ARGUMENTS, "stdin": b"one\ntwo\n", "collect": True, "limits": ROOMY}


def test_the_corpus_is_large_enough() -> None:
    assert len(set(TEXTS) - OTHER_WORDS) >= 60


@pytest.mark.parametrize("echo", [True, False])
@pytest.mark.parametrize("name", TEXTS)
def test_a_program_cannot_tell_the_difference(inside: Inside, name: str, *, echo: bool) -> None:
    program = as_bytes(name)
    at = "/workspace/case/main.py"
    real = inside.run(
        f'unset PYTHONUNBUFFERED; exec python3 {at} "$@"', "bash", files=(InputFile("case/main.py", program),), **GIVEN
    )
    ours = inside.run(program.decode(), echo=echo, **GIVEN)
    assert ours.out == real.out
    assert (ours.end.exit_code, ours.end.signal) == (real.end.exit_code, real.end.signal)
    if name not in OTHER_WORDS:
        assert without_addresses(ours.err) == without_addresses(real.err).replace(at, "main.py")
    assert ours.files == {path: data for path, data in real.files.items() if path != "case/main.py"}
