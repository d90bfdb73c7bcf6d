# ruff: noqa: E501, ISC004 - a program a line
"""What people write all day runs by itself: the other half of the tables in `test_escapes`."""

import pytest

from tests.unit.core.policy.python.preset import asked

CODE = [
    "print(sorted({'b': 1, 'a': 2}.items(), key=lambda pair: pair[1]))",
    "from __future__ import annotations\ndef f(x: Node | None) -> None: ...\nclass Node: ...",
    "from typing import Literal\ndef f(x: Literal['a', 'b not code']) -> 'list[int]': return [1]",
    "def f(*args, **kwargs): return f(*args, **kwargs)",
    "x = [y := 1, y ** 2]\nprint(x, [z for z in x if (w := z) > 1], w)",
    "def outer():\n    n = 0\n    def inner():\n        nonlocal n\n        n += 1\n        return n\n    return inner",
    "total = 0\ndef add(x):\n    global total\n    total += x",
    "class A:\n    __slots__ = ('x', 'y')\n    _count: int = 0\n    def __init__(self, x): self.x = x; self._y = x; A._count += 1",
    "class Account:\n    def __init__(self): self.__balance = 0\n    def get(self): return self.__balance",
    "class A:\n    def __init__(self): self._x = 1\n    @property\n    def x(self): return self._x\n"
    "    @x.setter\n    def x(self, v): self._x = v\n    def __eq__(self, other): return self._x == other._x",
    "class B(Exception):\n    def __init__(self, m):\n        super().__init__(m)\n    def __str__(self): return super().__str__()",
    "print(type(1).__name__, type([]) is list, f'{type(1)}', (1).__class__.__name__)",
    "class V:\n    def __init__(self, x): self.x = x\n    def __add__(self, o): return type(self)(self.x + o.x)",
    "class A: pass\nprint(type(1) == int, type('') in (int, str), type(A()) == A, type(1) is not type(2))",
    "def f():\n    '''Doc.'''\nprint(f.__name__, f.__doc__, __name__)",
    "print(getattr('a', 'upper')(), hasattr(1, 'real'))",
    "print('{:>{w}} {0.real} {k[a]}'.format(1, w=3, k={'a': 1}), '{}'.format)",
    "print('%(a)s' % {'a': 1}, format(3.14159, '.2f'))",
    "try:\n    1 / 0\nexcept (ZeroDivisionError, ValueError) as e:\n    print(e.args, e)\nfinally:\n    pass",
    "match [1, {'a': 2}]:\n    case [int(n), {'a': x, **rest}] if n: print(n, x, rest)\n    case str() | None: pass\n    case _: pass",
    "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    y: int = 0\nmatch P(1):\n    case P(0, y): print(y)\n    case P(x=a): print(a)",
    "from dataclasses import dataclass, field, asdict, replace\n@dataclass(frozen=True, order=True)\nclass A:\n    x: list = field(default_factory=list)\n"
    "    def __post_init__(self): pass\n@dataclass\nclass B(A):\n    y: int = 1\nprint(asdict(B()), replace(B(), y=2))",
    "from collections import namedtuple, defaultdict, Counter, deque, OrderedDict, ChainMap\nP = namedtuple('P', 'x y')\n"
    "p = P(1, 2)\nprint(p._replace(x=3), p._asdict(), p._fields, p.x)",
    "from typing import NamedTuple, TypedDict, Generic, TypeVar\nT = TypeVar('T')\nclass S(Generic[T]):\n    items: list[T]\n"
    "class N(NamedTuple):\n    x: int\nclass D(TypedDict):\n    a: str",
    "from enum import Enum, IntEnum, Flag, auto, unique\n@unique\nclass C(Enum):\n    A = auto()\nprint(C.A.name, C['A'], C(1).value)",
    "from abc import ABC, abstractmethod\nclass S(ABC):\n    @abstractmethod\n    def area(self): ...",
    "from contextlib import contextmanager, suppress, redirect_stdout, ExitStack\nimport io\n@contextmanager\ndef c():\n    yield 1\n"
    "with c() as x, redirect_stdout(io.StringIO()) as out: print(x)\nprint(out.getvalue())",
    "import functools, itertools, operator\nprint(functools.reduce(operator.add, [1, 2]), list(itertools.chain([1], [2])), "
    "functools.partial(max, 1)(2), max([(1, 2)], key=operator.itemgetter(1)))",
    "from functools import lru_cache, wraps, cached_property, total_ordering\ndef d(f):\n    @wraps(f)\n    def g(*a): return f(*a)\n    return g",
    "import asyncio\nasync def f(n):\n    await asyncio.sleep(0)\n    return n\nasync def main():\n    async with asyncio.TaskGroup() as g:\n"
    "        g.create_task(f(1))\n    print(await asyncio.gather(f(1), f(2)))\nasyncio.run(main())",
    "import datetime as dt\nprint(dt.datetime.now().strftime('%Y'), dt.timedelta(days=1), dt.date.fromisoformat('2024-01-01'))",
    "import time, random, math, statistics\nrandom.seed(1)\nprint(random.choice([1]), math.sqrt(2), statistics.mean([1]), time.perf_counter())",
    "import re\nm = re.match(r'(?P<a>\\w+)', 'x')\nprint(m.group('a'), m['a'], re.compile('x', re.I).sub('y', 'X'))",
    "import json\nprint(json.loads('{}'), json.dumps({'a': 1}, default=str))",
    "import json\nwith open('data.json') as f: print(json.load(f))",
    "import csv, io\nfor row in csv.DictReader(io.StringIO('a\\n1')): print(row['a'])",
    "import sys, os\nprint(sys.argv, sys.version_info[:2], os.getcwd(), os.sep, os.path.join('a', 'b'))\nsys.stdout.write('x')\nsys.exit(0)",
    "import os.path\nprint(os.path.splitext('a.b'))",
    "from urllib.parse import urlparse\nimport urllib.parse\nprint(urllib.parse.quote('a b'), urlparse('http://a').netloc)",
    "from pathlib import Path\np = Path('a') / 'b.txt'\nprint(p.name, p.suffix, p.parent, Path('data.csv').exists(), Path.cwd())",
    "s = 'a b'\nprint(s.replace('a', 'b').upper().split(), s.encode().decode(), s[::-1])",
    "open('/tmp/x.txt', 'w').write('x')\nprint(open('/tmp/x.txt', encoding='utf-8').read())",
    "with open('/tmp/x', 'ab+') as f: f.write(b'x')",
    "import subprocess\nr = subprocess.run(['ls', '-la'], capture_output=True, text=True, check=True, timeout=5)\nprint(r.stdout)",
    "import subprocess\nprint(subprocess.check_output('git status --short', shell=True, text=True))",
    "import requests\ntry:\n    pass\nexcept requests.exceptions.Timeout:\n    pass",
    "name = input('name? ')\nprint(name)",
    "exit(0)",
    "import numpy as np\na = np.arange(6).reshape(2, 3)\nprint(a.T @ a, a.mean(axis=0), np.linalg.inv(np.eye(2)), np.random.default_rng(0).normal(size=3))",
    "import numpy as np\ndef f(a: np.ndarray | None = None) -> np.ndarray: return a if isinstance(a, np.ndarray) else np.zeros(1)",
    "import struct\nb = bytearray(8)\nstruct.pack_into('q', b, 0, 1)",
    "import numpy as np\nnp.random.seed(0)\nprint(np.__version__, np.fft.fft([1, 2]), np.save('/tmp/a', np.zeros(3)), np.load('/tmp/a.npy'))",
    "import pandas as pd\ndf = pd.read_csv('sales.csv', parse_dates=['day'], sep=';')\nprint(df.head().to_string(), df.to_csv(index=False), df.to_dict('records'))",
    "import pandas as pd, io\nbuf = io.StringIO()\ndf = pd.DataFrame({'a': [1]})\ndf.to_csv(buf)\nprint(pd.read_csv(io.StringIO('a\\n1')).a.sum())",
    "import pandas as pd\ndf = pd.DataFrame({'k': ['a'], 'v': [1]})\ndef f(x): return x\n"
    "print(df.groupby('k').agg(total=('v', 'sum'), most=('v', max)), df['v'].apply(lambda x: x + 1), df.apply(f, axis=1))",
    "import pandas as pd\npd.set_option('display.max_rows', 9)\ndf = pd.DataFrame({'a': [1], 'b': [2]})\ndf['c'] = df.a * df.b\n"
    "df.columns = ['x', 'y', 'z']\nprint(df.pivot_table(index='x', values='y', aggfunc='mean'), df.loc[0], df.iloc[0])",
    "import matplotlib\nmatplotlib.use('Agg')\nimport matplotlib.pyplot as plt\nplt.rcParams['figure.figsize'] = (4, 3)\nplt.style.use('ggplot')\n"
    "fig, ax = plt.subplots()\nax.plot([1, 2], label='x')\nax.set_title('t')\nax.legend()\nfig.savefig('/tmp/a.png', dpi=100)\nplt.show()",
    "import matplotlib.pyplot as plt, io\nb = io.BytesIO()\nplt.plot([1])\nplt.savefig(b, format='png')\nprint(len(b.getvalue()))",
    "import pandas as pd\nimport matplotlib.pyplot as plt\ndf = pd.DataFrame({'a': [1]})\nax = df.plot(kind='bar', title='x')\nax.figure.savefig('/tmp/x.svg')",
]


@pytest.mark.parametrize("code", CODE, ids=lambda code: code[:60])
def test_it_runs_by_itself(code: str) -> None:
    assert asked(code) == []


@pytest.mark.parametrize("more", ["eval('1')", "import socket", "().__class__"])
def test_nothing_that_runs_hides_what_stands_beside_it(more: str) -> None:
    assert [code for code in CODE if not asked(f"{code}\n{more}") or not asked(f"def f(): {more}\n{code}")] == []
