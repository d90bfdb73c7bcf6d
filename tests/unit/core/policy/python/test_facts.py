"""Facts of Python code: kind, value, and the first line that they are true of."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.policy.decision import Fact
from bot.core.policy.python import MOST_FACTS, facts_of, parsing
from bot.core.policy.shell.analysis import facts_of as shell
from tests.unit.core.policy.making import unhurried


def said(code: str) -> list[tuple[str, str, int]]:
    return [(fact.kind, fact.value, fact.line) for fact in facts_of(code)]


@pytest.mark.parametrize(
    ("code", "facts"),
    [
        ("", []),
        ("x = 1", []),
        ("\nprint(1)\nprint(2)", [("builtin", "print", 2)]),
        ("import json\njson.dumps(1)", [("import", "json", 1), ("member", "json.dumps", 2)]),
        ("from json import dumps as d\nd(1)", [("import", "json", 1), ("member", "json.dumps", 1)]),
        ("import os.path as p\np.join", [("import", "os.path", 1), ("member", "os.path.join", 2)]),
        ("from os import path", [("import", "os.path", 1)]),
        ("import a.b.c\na.b.c.d", [("import", "a.b.c", 1), ("member", "a.b.c.d", 2)]),
        ("from os import system as s\ns('id')", [("import", "os", 1), ("member", "os.system", 1)]),
        ("x\ny = f'{x}'", [("name", "x", 1)]),
        ("open('a.txt')", [("read", "/workspace/a.txt", 1)]),
        ("open('/tmp//./a', 'w')", [("write", "/tmp/a", 1)]),
        ("open('/tmp/a', 'r+b')", [("read", "/tmp/a", 1), ("write", "/tmp/a", 1)]),
        ("open('//etc/passwd')", [("read", "/etc/passwd", 1)]),
        ("open(x := 1)", [("builtin", "open", 1)]),
        ("f = open", [("builtin", "open", 1)]),
        (
            "from pathlib import Path\n(Path('/tmp') / 'a').write_text('x')",
            [("import", "pathlib", 1), ("member", "pathlib.Path", 1), ("write", "/tmp/a", 2)],
        ),
        (
            "import os\nprint(os.environ['A'], os.getenv('B'), os.environ.get('C', ''), 'D' in os.environ)",
            [
                ("import", "os", 1),
                ("builtin", "print", 2),
                ("env", "A", 2),
                ("env", "D", 2),
                ("env", "C", 2),
                ("env", "B", 2),
            ],
        ),
        (
            "import requests\nrequests.get('https://API.github.com:443/x?y=1', timeout=1)",
            [("import", "requests", 1), ("net", "api.github.com", 2)],
        ),
        (
            "from urllib.request import urlopen\nurlopen('http://127.0.0.1:8080')",
            [("import", "urllib.request", 1), ("net", "127.0.0.1:8080", 2)],
        ),
        ("import pandas\npandas.read_csv('http://a.example/x')", [("import", "pandas", 1), ("net", "a.example", 2)]),
        (
            "import subprocess\nsubprocess.run(['git', 'log', '-n', '3'])",
            [("import", "subprocess", 1), ("cmd", "git log -n 3", 2)],
        ),
        (
            "import matplotlib.pyplot as plt\nplt.savefig('/tmp/plot')",
            [("import", "matplotlib.pyplot", 1), ("write", "/tmp/plot.png", 2)],
        ),
        ("import numpy as np\nnp.save('/tmp/a', 1)", [("import", "numpy", 1), ("write", "/tmp/a.npy", 2)]),
        ("x.__class__", [("name", "x", 1), ("unknown", "the attribute __class__", 1)]),
        ("def f(:", [("unknown", "what is not valid Python", 1)]),
    ],
)
def test_facts(code: str, facts: list[tuple[str, str, int]]) -> None:
    assert sorted(said(code)) == sorted(facts)


def test_a_command_is_read_like_the_same_one_in_a_shell() -> None:
    said_by_python = {
        (kind, value) for kind, value, _ in said("import subprocess\nsubprocess.run(['tee', '/tmp/a b'])")
    }
    assert {(fact.kind, fact.value) for fact in shell("tee '/tmp/a b'")} <= said_by_python
    assert ("write", "/tmp/a b") in said_by_python


def test_an_older_python_than_the_images_understands_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 0))
    assert said("print(1)") == [("unknown", "code for Python 3.11, which is newer than the analysis", 0)]
    monkeypatch.setattr(sys, "version_info", (3, 99, 0))
    assert said("print(1)") == [("builtin", "print", 1)]


def test_facts_are_bounded() -> None:
    facts = facts_of(";".join(f"a{n}" for n in range(MOST_FACTS + 1)))
    assert len(facts) == MOST_FACTS + 1
    assert facts[0] == Fact(kind="unknown", value="more code than can be looked through")
    assert facts_of(";".join(f"a{n}" for n in range(MOST_FACTS)))[0].kind == "name"


@pytest.mark.parametrize("depth", [1, 40, 2000])
def test_depth_is_bounded(depth: int) -> None:
    facts = facts_of("x = " + "-" * depth + "1")
    assert [fact.kind for fact in facts] == (["unknown"] if depth > parsing.MOST_DEPTH else [])


@unhurried
@given(st.text(max_size=400) | st.text("()[]{}:.,='\"\\\n \tabcdefimport01_*@", max_size=400))
def test_any_text_has_facts(code: str) -> None:
    facts = facts_of(code)
    assert len({(fact.kind, fact.value) for fact in facts}) == len(facts)
    assert [fact.line for fact in facts] == sorted(fact.line for fact in facts)


def test_a_warning_of_the_parser_is_not_ours() -> None:
    assert said("x = '\\d'") == []


def test_it_says_nothing_about_how_deep_the_caller_is() -> None:
    def deeper(frames: int) -> tuple[Fact, ...]:
        return deeper(frames - 1) if frames else facts_of("print([[[1]]])")

    assert deeper(sys.getrecursionlimit() // 2) == facts_of("print([[[1]]])")
