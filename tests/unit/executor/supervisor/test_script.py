"""Each program is run by a real interpreter and by `script`, in a process of its own, and has to look the same."""

import subprocess
import sys
from pathlib import Path

import pytest

RUNNER = """
import sys
from executor.supervisor import script
name, path, workspace, scratch, echo, *arguments = sys.argv[1:]
source = open(path, "rb").read()
script.prepare()
script.diverge()
script.run(script.Program(source, name, path, tuple(arguments), workspace, scratch, scratch, echo == "echo"))
"""
PROGRAMS: dict[str, str | bytes] = {
    "hello": "print('hi')",
    "nothing": "",
    "unicode": "print('äß🙂', 'ab\\udcff'.encode('utf-8', 'surrogateescape'))",
    "coding cookie": b"# -*- coding: latin-1 -*-\nprint('\xe4')",
    "byte order mark": b"\xef\xbb\xbfprint('bom')",
    "invalid UTF-8": b"print('\xff')",
    "no newline, both streams": "import sys; sys.stdout.write('o'); sys.stderr.write('e')",
    "module": "print(__name__, __doc__, __spec__ is None, __builtins__.__name__, sorted(globals()))" * 0
    + "print(__name__)",
    "main module": "import sys; print(sys.modules['__main__'].__dict__ is globals(), sys.argv[1:])",
    "arguments": "import sys; print(sys.argv[1:], len(sys.argv))",
    "exit 0": "raise SystemExit",
    "exit 3": "import sys; sys.exit(3)",
    "exit -1": "import sys; sys.exit(-1)",
    "exit 256": "import sys; sys.exit(256)",
    "exit text": "import sys; sys.exit('goodbye')",
    "exit object": "raise SystemExit((1, 2))",
    "exit True": "raise SystemExit(True)",
    "os._exit": "import os; print('lost?', flush=True); os._exit(5)",
    "error": "def f(x):\n    return 1 / x\n\nf(0)\n",
    "chained errors": "try:\n    {}['k']\nexcept KeyError as e:\n    raise ValueError('v') from e\n",
    "error in a hook": "import sys\ndef hook(*a): 1 / 0\nsys.excepthook = hook\nraise ValueError('v')",
    "own hook": "import sys\nsys.excepthook = lambda *a: print('hooked', a[0].__name__)\nraise ValueError('v')",
    "exception group": "raise ExceptionGroup('g', [ValueError(1), TypeError(2)])",
    "syntax error": "x = = 1\n",
    "indentation error": "if 1:\nx\n",
    "zero byte": b"print(1)\0",
    "interrupted": "raise KeyboardInterrupt",
    "killed by itself": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "input": "print(input(), input())",
    "input at its end": "import sys; sys.stdin.read(); input()",
    "binary input": "import sys; print(sys.stdin.buffer.read())",
    "left open": "f = open('left', 'w'); f.write('kept')\nimport atexit\natexit.register(print, 'bye')",
    "destructors": "class A:\n    def __del__(self): print('gone')\na = A(); _b = A()",
    "exit handlers": "import atexit\natexit.register(print, 1)\natexit.register(print, 2)",
    "failing exit handler": (
        "import atexit\nclass F:\n    def __repr__(self): return 'F'\n    def __call__(self): 1 / 0\n"
        "atexit.register(print, 1)\natexit.register(F())"
    ),
    "threads are joined": "import threading as t, time\nt.Thread(target=lambda: (time.sleep(.1), print('t'))).start()",
    "error in a thread": "from threading import Thread\ndef f(): 1 / 0\nThread(target=f, name='n').start()",
    "daemon threads are not": "import time, threading as t\nt.Thread(target=time.sleep, args=[9], daemon=True).start()",
    "pool": "from concurrent.futures import ThreadPoolExecutor\np = ThreadPoolExecutor(2)\np.submit(print, 'x')",
    "multiprocessing": (
        "import multiprocessing as m\ndef f(x): return x * x\n"
        "if __name__ == '__main__':\n    with m.Pool(2) as p: print(p.map(f, range(4)))"
    ),
    "spawned processes": (
        "import multiprocessing as m\ndef f(x): return x * x\n"
        "if __name__ == '__main__':\n    with m.get_context('spawn').Pool(1) as p: print(p.map(f, range(4)))"
    ),
    "fork": "import os\nif os.fork(): os.wait(); print('parent')\nelse: print('child')",
    "asyncio": "import asyncio\nasync def f(): await asyncio.sleep(0); return 3\nprint(asyncio.run(f()))",
    "pickle": "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))) is A)",
    "dataclass": "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\nprint(A(1))",
    "source of a function": "import inspect\ndef f():\n    return 1\nprint(inspect.getsource(f))",
    "warning": "import warnings; warnings.warn('careful')",
    "closed stdout": "import sys; print('x'); sys.stdout.close()",
    "descriptor closed": "import os; print('x', flush=True); os.close(1); print('y', end='')",
    "recursion": "def f(): f()\ntry: f()\nexcept RecursionError: print('deep')",
    "future": "from __future__ import annotations\ndef f(x: undefined): pass\nprint(f.__annotations__)",
    "no annotations of ours": "x: int = 1\ndef f(y: int): pass\nprint(f.__annotations__, __annotations__)",
    "print to a full pipe": "print('x' * 200_000)",
}

# The interpreter reports these before there is a program, or after there was one, in words of its own.
OTHER_WORDS = {"invalid UTF-8", "zero byte", "descriptor closed"}


def run(command: list[str], folder: Path) -> tuple[bytes, bytes, int]:
    folder.mkdir()
    done = subprocess.run(command, check=False, input=b"one\ntwo\n", capture_output=True, timeout=60, cwd=folder)
    return done.stdout, done.stderr, done.returncode


@pytest.mark.parametrize("echo", ["echo", "no echo"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_cannot_tell_the_difference(name: str, echo: str, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    path = tmp_path / "main.py"
    path.write_bytes(program if isinstance(program, bytes) else program.encode())
    flags = ["-I", "-B", "-X", "utf8"]
    real = run([sys.executable, *flags, str(path), "a b", "c"], tmp_path / "real")
    checkout = str(Path(__file__).parents[4])
    runner = f"import sys; sys.path.insert(0, {checkout!r})\n{RUNNER}"
    command = [sys.executable, *flags, "-c", runner, "main.py", str(path), str(tmp_path), str(tmp_path), echo, "a b", "c"]
    ours = run(command, tmp_path / "ours")
    assert ours[0] == real[0]
    assert ours[2] == real[2]
    if name not in OTHER_WORDS:
        assert words(ours[1].decode()) == words(real[1].decode().replace(str(path), "main.py"))
    for left in (tmp_path / "real").iterdir():
        assert (tmp_path / "ours" / left.name).read_bytes() == left.read_bytes()


def words(text: str) -> list[str]:
    """Without indentation, and without the line that points at a place in the line before: hooks draw it or do not."""
    return [line.strip() for line in text.splitlines() if line.strip("~^ ")]
