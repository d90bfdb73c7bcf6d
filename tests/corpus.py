# ruff: noqa: E501 - a program a line
"""Ordinary Python programs, to be run by a real interpreter and by the sandbox, and to look the same."""

import re

PROGRAMS: dict[str, str | bytes] = {
    "hello": "print('hi')",
    "nothing": "",
    "unicode": "print('äß🙂', 'ab\\udcff'.encode('utf-8', 'surrogateescape'))",
    "coding cookie": b"# -*- coding: latin-1 -*-\nprint('\xe4')",
    "byte order mark": b"\xef\xbb\xbfprint('bom')",
    "invalid UTF-8": b"print('\xff')",
    "no newline, both streams": "import sys; sys.stdout.write('o'); sys.stderr.write('e')",
    "module": "print(__name__, __doc__, __spec__ is None, __builtins__.__name__, __package__)",
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
    "input at its end": "import sys\nsys.stdin.read()\ninput()",
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
    "docstring": "'''What it does.'''\nprint(__doc__)",
    "only a docstring": "'''What it does.'''",
    "last value": "x = 6 * 7\nx",
    "last value that shows itself loudly": "class A:\n    def __repr__(self): print('loud'); return 'A'\nA()",
    "constants are the same one": "a = 1000\nprint(a is 1000)",
    "names": "x = 1\ndef f(): pass\nprint([n for n in globals() if n[0] != '_'])",
    "return outside a function": "x = 1\nreturn x\n",
    "await outside a function": "import asyncio\nawait asyncio.sleep(0)\n",
    "nonlocal at the top": "def f():\n    nonlocal x\n",
    "unclosed bracket": "print((1, 2)\n",
    "unterminated string": "x = 'abc\nprint(x)",
    "mixed indentation": "if True:\n\tx = 1\n        y = 2\n",
    "print of Python 2": "print 'hi'",
    "recursion without an end": "def f(n):\n    return f(n + 1)\n\nf(0)\n",
    "recursion that just fits": "import sys\ndef f(n): return n and f(n - 1)\nprint(f(sys.getrecursionlimit() - 8))",
    "limit of recursion": "import sys\nprint(sys.getrecursionlimit())\nsys.setrecursionlimit(80)\nprint(sys.getrecursionlimit())",
    "error while handling one": "try:\n    1 / 0\nexcept ZeroDivisionError:\n    {}['k']\n",
    "error without context": "try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise ValueError('v') from None\n",
    "error with notes": "e = ValueError('v')\ne.add_note('first')\ne.add_note('second')\nraise e",
    "own class of errors": "class Broken(Exception): pass\nraise Broken('it', 3)",
    "error with several lines": "raise ValueError('one\\ntwo')",
    "error deep in the library": "import json\njson.loads('{')",
    "error in a comprehension": "print([1 // n for n in (1, 0)])",
    "error in a generator": "def g():\n    yield 1\n    raise KeyError('k')\nprint(list(g()))",
    "error in a coroutine": "import asyncio\nasync def f(): raise OSError(2, 'gone', 'x')\nasyncio.run(f())",
    "error in executed text": "exec('def f():\\n  1/0\\nf()')",
    "attribute that is nearly right": "'abc'.uper()",
    "name that is nearly right": "value = 1\nprint(valeu)",
    "module that is not there": "import no_such_module",
    "assertion": "x = 3\nassert x == 4, f'{x=}'",
    "traceback printed": "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.print_exc()",
    "traceback as text": "import traceback\ntry: 1 / 0\nexcept Exception: print(traceback.format_exc().splitlines()[-1])",
    "error in a destructor": "class A:\n    def __del__(self): 1 / 0\n    def __repr__(self): return 'A'\na = A()\ndel a\nprint('on')",
    "logging": "import logging\nlogging.warning('w')\nlogging.getLogger('x').error('e')\nlogging.info('not shown')",
    "warning of use": "import warnings\nwarnings.warn('old', DeprecationWarning)",
    "warning once": "import warnings\nfor _ in range(3): warnings.warn('again')",
    "syntax warning": "x = 5\nprint(x is 5)",
    "arguments with a parser": "import argparse\np = argparse.ArgumentParser()\np.add_argument('n', type=int)\np.parse_args(['x'])",
    "help": "import argparse\nargparse.ArgumentParser(description='d').parse_args(['--help'])",
    "formatting": "print(f'{3.14159:>10.2f}|{42:#x}|{1234567:,}|{'a'!r:^7}|{0.1 + 0.2}')",
    "dates": "import datetime as d\nprint(d.date(2024, 2, 29) + d.timedelta(365), d.datetime(2024, 1, 1).isoformat())",
    "regular expressions": "import re\nprint(re.sub(r'(\\w+) (\\w+)', r'\\2 \\1', 'a b c d'), re.findall(r'\\d+', 'a1b22'))",
    "json": "import json\nprint(json.dumps({'b': [1, None, 1.5], 'a': 'ä'}, indent=1, sort_keys=True))",
    "csv": "import csv, sys\ncsv.writer(sys.stdout).writerows([['a', 'b c'], [1, 'x,y']])",
    "matching": "match {'k': [1, 2]}:\n    case {'k': [a, *rest]}: print(a, rest)",
    "generators": "def g():\n    got = yield 1\n    print(got)\n    return 2\ni = g(); next(i)\ntry: i.send('s')\nexcept StopIteration as e: print(e.value)",
    "context managers": "from contextlib import contextmanager\n@contextmanager\ndef c():\n    print('in')\n    yield\n    print('out')\nwith c(): print('within')",
    "classes": "class A:\n    def __init_subclass__(cls): print(cls.__name__)\nclass B(A): x = property(lambda s: 1)\nprint(B().x, B.__mro__, B.__module__)",
    "enumerations": "from enum import Enum\nclass C(Enum):\n    R = 1\nprint(C.R, repr(C.R), list(C))",
    "random numbers with a seed": "import random\nrandom.seed(1)\nprint(random.random(), random.sample(range(9), 3))",
    "hash of a string is random": "print(isinstance(hash('x'), int), {3, 1, 2})",
    "temporary files": "import tempfile, os\nwith tempfile.NamedTemporaryFile() as f: print(os.path.exists(f.name))\nprint(os.path.exists(f.name))",
    "paths": "import pathlib\npathlib.Path('made').write_text('x')\nprint([p.name for p in pathlib.Path('.').glob('mad*')], pathlib.Path(__file__).name)",
    "subprocess": "import subprocess, sys\nprint(subprocess.run([sys.executable, '-c', 'print(6)'], capture_output=True, text=True).stdout)",
    "output of a subprocess": "import subprocess\nprint('before', flush=True)\nsubprocess.run(['echo', 'between'])\nprint('after')",
    "signals": "import signal, os\nsignal.signal(signal.SIGUSR1, lambda n, f: print('got', n))\nos.kill(os.getpid(), signal.SIGUSR1)",
    "alarm": "import signal\nsignal.setitimer(signal.ITIMER_REAL, .05)\nsignal.pause()",
    "first descriptor": "f = open('first', 'w')\nprint(f.fileno())",
    "large output, both streams": "import sys\nfor n in range(2000): print(n, 'x' * 50, file=(sys.stdout, sys.stderr)[n % 2])",
    "printing without newline": "for n in range(5): print(n, end=' ')",
    "carriage returns": "import sys\nfor n in range(3): sys.stdout.write(f'\\r{n}/3')",
    "reading lines": "import sys\nfor line in sys.stdin: print(line.upper(), end='')",
    "a program of several parts": "import sys\ndef main():\n    print('main')\n    return 4\nif __name__ == '__main__':\n    sys.exit(main())",
}

# The interpreter reports these before there is a program, or after there was one, in words of its own.
OTHER_WORDS = {"invalid UTF-8", "zero byte", "descriptor closed"}


def without_addresses(text: bytes) -> str:
    return re.sub(r"\b0x[0-9a-f]{6,}", "0x", text.decode(errors="backslashreplace"))


def as_bytes(name: str) -> bytes:
    """With a newline at its end, as a block of a message has it."""
    program = PROGRAMS[name]
    return program if isinstance(program, bytes) else f"{program}\n".encode()
