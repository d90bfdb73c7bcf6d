"""Ordinary programs: streams, exit codes, input, arguments, files of their own."""

import pytest

from tests.integration.inside import QUICK, Inside
from tests.integration.supervisor.case import Case, ends_as_it_should

pytestmark = pytest.mark.docker

IDENTITY = """
import os, resource
status = dict(line.split(':', 1) for line in open('/proc/self/status'))
print(os.getgroups() == [os.stat('.').st_gid] != [os.getgid()], oct(os.umask(0)), os.getcwd())
print([status[k].strip('\\t\\n0') for k in ('CapInh', 'CapPrm', 'CapEff', 'CapAmb')], status['NoNewPrivs'].strip())
print(resource.getrlimit(resource.RLIMIT_NPROC), resource.getrlimit(resource.RLIMIT_CORE))
print(open('/proc/self/oom_score_adj').read().strip(), len(set(os.getresuid())), os.getsid(0) == os.getpid())
print(sorted(os.listdir('/proc/self/fd'))[:4])
"""
CASES = {
    "hello": Case("print('hi')", out=b"hi\n", err=b""),
    "stderr apart": Case("import sys; print('o'); sys.stderr.write('e')", out=b"o\n", err=b"e"),
    "exit code": Case("raise SystemExit(7)", 7),
    "exit text": Case("raise SystemExit('x')", 1, out=b"", err=b"x\n"),
    "traceback": Case("def f():\n    1 / 0\nf()", 1, err=b'  File "main.py", line 2, in f\n    1 / 0\n'),
    "input at its end": Case("input()", 1, err=b"EOFError"),
    "input": Case("print(input() + input())", out=b"ab\n", changes={"stdin": b"a\nb\n"}),
    "arguments": Case("import sys; print(sys.argv)", out=b"['main.py', 'a b', '$']\n", changes={"args": ("a b", "$")}),
    "identity": Case(
        IDENTITY,
        out=b"True 0o7 /workspace\n['', '', '', ''] 1\n(64, 64) (0, 0)\n1000 1 True\n['0', '1', '2', '3']\n",
        err=b"",
    ),
    "workspace last": Case("import sys; print(sys.path[-1], '' in sys.path)", out=b"/workspace False\n"),
    "left open": Case("f = open('kept', 'w'); f.write('x')", files={"kept": b"x"}),
    "processes of its own": Case(
        "from multiprocessing import Pool\ndef f(x): return x * x\nwith Pool(3) as p: print(p.map(f, range(4)))",
        out=b"[0, 1, 4, 9]\n",
    ),
    "stored": Case("print(__file__)", out=b"/workspace/a/b/c.py\n", changes={"filename": "a/b/c.py"}),
    "stored module": Case("import a.b.c", out=b"/workspace/a/b/c.py\n"),
    "stored, and its traceback": Case(
        "x = 1\nx / 0", 1, err=b'  File "a/b/d.py", line 2, in <module>\n    x / 0\n', changes={"filename": "a/b/d.py"},
    ),
    "another program of that name": Case("# line\nx = 'not this one'\n", changes={"filename": "main.py"}),
    "is not quoted": Case("x = 2\nx / 0", 1, err=b'  File "main.py", line 2, in <module>\n    x / 0\n    ~~^~~\n'),
    "standard library wins": Case("print('mine')", out=b"mine\n", changes={"filename": "statistics.py"}),
    "standard library won": Case("import statistics; print(statistics.mean([1, 3]))", out=b"2\n"),
    "bash": Case("echo hi; echo e >&2; exit 3", 3, out=b"hi\n", err=b"e\n", language="bash"),
    "bash, its input is not the script": Case("cat; echo done", out=b"done\n", language="bash"),
    "bash, substitution of processes": Case("cat <(echo x) /dev/stdin <<< y", out=b"x\ny\n", language="bash"),
    "sh is read as bash reads it": Case(r"echo $'x\'; echo INJECTED #'", out=b"x'; echo INJECTED #\n", language="sh"),
    "matplotlib finds its fonts made ready": Case(
        "import matplotlib, os\nprint([n[:8] for n in os.listdir(matplotlib.get_cachedir())])", out=b"['fontlist']\n",
    ),
    "bash, arguments": Case(
        'echo "$1-$2-${0##*/}"', out=b"a-b c-main.sh\n", language="bash", changes={"args": ("a", "b c")},
    ),
    "bash, devices": Case("echo o > /dev/stdout; echo e > /dev/stderr", out=b"o\n", err=b"e\n", language="bash"),
    "javascript": Case(
        "console.log(process.argv.slice(2)); process.exitCode = 4", 4, out=b"[ 'a' ]\n", language="javascript",
        changes={"args": ("a",), "limits": QUICK},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_program_ends_as_it_should(inside: Inside, name: str) -> None:
    ends_as_it_should(inside, CASES[name])


def test_what_a_program_used_is_told(inside: Inside) -> None:
    end = inside.run("x = bytearray(50 << 20)\nfor _ in range(3_000_000): pass").end
    assert end.duration_ms >= end.cpu_ms * 0.9 > 10
    assert 50 << 20 <= end.peak_memory_bytes < 70 << 20


def test_a_program_of_a_moment_has_used_something(inside: Inside) -> None:
    assert 0 < inside.run("echo hi", "bash").end.peak_memory_bytes < 40 << 20
