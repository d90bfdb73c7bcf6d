# ruff: noqa: E501 - a program a row
"""The value of a last expression, of programs that printed nothing."""

import pytest

from tests.integration.inside import Inside
from tests.integration.supervisor.case import ROOMY, Case, ends_as_it_should

pytestmark = pytest.mark.docker

ECHO = {"echo": True}
LEFT = "import os\nos.{}(os.environ['TMPDIR'] + '/value')\n"
CASES = {
    "a number": Case("6 * 7", value="42"),
    "after other things": Case("import math\nx = 2\nmath.sqrt(x * 8)", value="4.0"),
    "a text": Case("'a\\nb'", value=r"'a\nb'"),
    "a list": Case("[1, (2,), {3: {4}}]", value="[1, (2,), {3: {4}}]"),
    "of a condition": Case("x = 1\nif x: x", changes=ECHO),
    "of an assignment": Case("x = 1", changes=ECHO),
    "nothing": Case("None", changes=ECHO),
    "of a call that returns nothing": Case("[].append(1)", changes=ECHO),
    "printed": Case("print(1)\n2", out=b"1\n", changes=ECHO),
    "printed by a child": Case("import os\nos.system('echo x')\n2", out=b"x\n", changes=ECHO),
    "printed at the end": Case("import atexit\natexit.register(print, 'bye')\n2", out=b"bye\n", changes=ECHO),
    "printed as an error": Case("import sys\nprint('e', file=sys.stderr)\n2", value="2", err=b"e\n"),
    "not asked for": Case("2"),
    "of a program that fails": Case("import sys\n(2, sys.exit(3))", 3, changes=ECHO),
    "of a program that fails later": Case("import atexit, os\natexit.register(os._exit, 4)\n2", 4, changes=ECHO),
    "of a program that forks": Case("import os\npid = os.fork()\nif pid: os.wait()\n'parent' if pid else 'child'", value="'parent'"),
    "a table": Case(
        "import pandas\npandas.DataFrame({'a': [1, 2], 'b': ['x', 'y']})", value="   a  b\n0  1  x\n1  2  y",
        changes={"limits": ROOMY},
    ),
    "a column": Case(
        "import pandas\npandas.Series([1, 2], name='n')", value="0    1\n1    2\nName: n, dtype: int64",
        changes={"limits": ROOMY},
    ),
    "an array": Case("import numpy\nnumpy.eye(2)", value="array([[1., 0.],\n       [0., 1.]])", changes={"limits": ROOMY}),
    "a huge number": Case("1 << 100_000_000", value="<int of 100000001 bits>"),
    "a recursive list": Case("x = [1]\nx.append(x)\nx", value="[1, [...]]"),
    "a text of its own": Case("class A:\n    def __repr__(self): return 'A\\x1b[31m'\nA()", value="A\x1b[31m"),
    "a text that prints": Case("class A:\n    def __repr__(self): print('no'); return 'A'\nA()", value="A", out=b""),
    "a text that fails": Case(
        "class A:\n    def __repr__(self): 1 / 0\nA()", value="<A: its text could not be made (ZeroDivisionError)>", err=b"",
    ),
    "a text that ends the program": Case(
        "class A:\n    def __repr__(self): raise SystemExit(3)\n[A()]", value="<list: its text could not be made (SystemExit)>",
    ),
    "a text that is none": Case(
        "class A:\n    def __repr__(self): return 3\nA()", value="<A: its text could not be made (TypeError)>",
    ),
    "a text without an end": Case(
        "class A:\n    def __repr__(self): return repr(self)\nA()", value="<A: its text could not be made (RecursionError)>",
    ),
    "surrogates": Case("class A:\n    def __repr__(self): return '\\udcff'\nA()", value=r"\udcff"),
    "left by hand": Case(LEFT.format("mkfifo"), changes=ECHO),
    "left by hand, a folder": Case(LEFT.format("mkdir") + "5", changes=ECHO),
    "left by hand, a link": Case("import os\nos.symlink('/etc/passwd', os.environ['TMPDIR'] + '/value')\n5", changes=ECHO),
    "left by hand, too long": Case(
        "import os\nopen(os.environ['TMPDIR'] + '/value', 'w').write('x' * 99_999)\nNone", changes=ECHO,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_value_is_shown_as_it_should(inside: Inside, name: str) -> None:
    ends_as_it_should(inside, CASES[name])


@pytest.mark.parametrize(
    "code", ["list(range(10 ** 6))", "{n: n for n in range(10 ** 6)}", "'x' * 10 ** 7", "[['x' * 10 ** 6] * 99]"]
)
def test_a_long_value_is_cut(inside: Inside, code: str) -> None:
    value = inside.run(code, echo=True, limits=ROOMY).end.value
    assert value is not None
    assert 3900 < len(value) <= 4002
    assert value.endswith(" …")


def test_a_long_table_is_cut(inside: Inside) -> None:
    code = "import pandas\npandas.DataFrame({f'column {n}': range(10_000) for n in range(60)})"
    value = inside.run(code, echo=True, limits=ROOMY).end.value
    assert value is not None
    assert value.endswith("[10000 rows x 60 columns]")
    assert len(value) < 4000
