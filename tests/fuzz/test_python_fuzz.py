"""A short run of the fuzz of Python, in every run of the tests; `make fuzz` is the long one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bot.core.policy.decision import Fact
from tests.conftest import Engine
from tests.fuzz.python_fuzz import Inside, surprises

pytestmark = pytest.mark.docker

HOME = Path(__file__).parents[2]
SECONDS = 12


@pytest.mark.parametrize("seed", [1, None], ids=["fixed", "random"])
def test_what_runs_is_what_the_facts_said(engine: Engine, seed: int | None) -> None:
    command = [sys.executable, "-m", "tests.fuzz.python_fuzz", "--seconds", str(SECONDS)]
    if seed is not None:
        command += ["--seed", str(seed)]
    done = subprocess.run(
        command,
        cwd=HOME,
        env={"DOCKER_HOST": engine.address, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS * 12,
    )
    assert done.stdout, done.stderr[-2000:]
    report = json.loads(done.stdout)
    print({key: report[key] for key in ("seed", "made", "accepted", "events")})  # noqa: T201 (a figure that is asked for)
    assert report["unsound"] == [], f"seed {report['seed']}"
    assert report["accepted"] > 5


CAUGHT = {
    "open('/canary')": "open",
    "eval('1')": "compile",
    "x = exec": "holds x",
    "import os\nos.system('id')": "os.system",
    "import os\nx = [os.system]": "holds x",
    "import helper": "imported helper",
    "import json\nx = [json]": "holds x",
    "g = (i for i in [1])\nx = g.gi_frame": "holds x",
    "x = (lambda: 0).__globals__": "holds x",
    "import dataclasses\nx = dataclasses.make_dataclass": "",
    "import typing, dataclasses\ndataclasses.dataclass(typing.TypedDict('T', {\"x=open('/canary')\": int}))": "compile",
    "import subprocess\nsubprocess.run(['true'])": "subprocess.Popen",
    "import socket\nsocket.socket()": "socket.__new__",
}


def test_what_no_fact_says_is_noticed(engine: Engine) -> None:
    """The oracle can fail: each of these does something, and is told apart from code that does nothing."""
    imports = tuple(Fact(kind="import", value=name) for name in ("os", "json", "helper", "typing", "dataclasses"))
    programs = [*CAUGHT, "x = [1]\nprint(x)"]
    reports = Inside(engine.client, engine.image).run(programs)
    found = dict(zip(programs, ([*surprises(report, imports)] for report in reports), strict=True))
    assert found.pop("x = [1]\nprint(x)") == []
    for code, expected in CAUGHT.items():
        assert not expected or any(each.startswith(expected) for each in found[code]), (code, found[code])


def test_what_a_fact_says_is_no_surprise(engine: Engine) -> None:
    code = "import json\nopen('data.csv')\nopen('/tmp/x', 'w')"
    (report,) = Inside(engine.client, engine.image).run([code])
    facts = [
        Fact(kind="import", value="json"),
        Fact(kind="read", value="/workspace/data.csv"),
        Fact(kind="write", value="/tmp/x"),
    ]
    assert [*surprises(report, facts)] == []
    assert len([*surprises(report, facts[:2])]) == 1
