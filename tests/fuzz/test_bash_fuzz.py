"""A short run of the fuzz of bash, in every run of the tests; `make fuzz` is the long one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bot.core.policy.decision import Computed
from tests.fuzz.bash_fuzz import predicts, traced, unquoted

HOME = Path(__file__).parents[2]
SECONDS = 8


@pytest.mark.parametrize("seed", [1, None], ids=["fixed", "random"])
def test_what_runs_is_what_the_facts_said(seed: int | None) -> None:
    command = [sys.executable, "-m", "tests.fuzz.bash_fuzz", "--seconds", str(SECONDS)]
    if seed is not None:
        command += ["--seed", str(seed)]
    done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, check=False, timeout=SECONDS * 10)
    report = json.loads(done.stdout)
    print({key: report[key] for key in ("seed", "made", "accepted", "commands")})  # noqa: T201 (a figure that is asked for)
    assert report["unsound"] == [], f"seed {report['seed']}"
    assert report["accepted"] > 10


def test_a_prediction_is_held_to_every_word() -> None:
    many, one = Computed(dyn="$x"), Computed(dyn='"$x"', words="one")
    assert predicts(("ls", "-l"), ("ls", "-l"))
    assert not predicts(("ls", "-l"), ("ls",))
    assert not predicts(("ls",), ("ls", "-l"))
    assert predicts(("ls", many), ("ls",))
    assert predicts(("ls", many), ("ls", "a", "b"))
    assert predicts(("ls", many, "z"), ("ls", "a", "z"))
    assert not predicts(("ls", many, "z"), ("ls", "a"))
    assert predicts(("ls", one), ("ls", "a b"))
    assert not predicts(("ls", one), ("ls",))


def test_a_trace_is_read_as_bash_quotes_it() -> None:
    assert unquoted(r"echo 'a b' $'c\td' \! ''") == ("echo", "a b", "c\td", "!", "")
    assert list(traced("+@ x=1\n++@ ls -l\n+@ [[ -n a ]]\n+@ for f in a b\n")) == [("ls", "-l")]
