# ruff: noqa: E501, RUF005 - lists of words and of steps, a line each
"""Random Python: mostly ordinary statements over a few names, seasoned with everything that was ever a way out.

Each statement stands in a `try` of its own, so that one that fails leaves the rest to run, and what it raised is one
more value to go on with.
"""

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from bot.core.policy.python.tables import tables

Item = TypeVar("Item")

CANARY = "open('/canary')"
MODULES = sorted(tables().standard | {"asyncio", "io", "os", "os.path", "pathlib", "sys", "subprocess"})
DATA = ("numpy as np", "pandas as pd", "matplotlib.pyplot as plt")
DROPPED = (
    "string.Formatter",
    "operator.attrgetter",
    "operator.methodcaller",
    "functools.singledispatch",
    "typing.Type",
    "typing.get_type_hints",
    "typing.ForwardRef",
    "abc.ABCMeta",
    "enum.EnumType",
    "dataclasses.make_dataclass",
    "dataclasses.Field",
    "os.system",
    "os.popen",
    "sys.modules",
    "sys._getframe",
    "random._os",
    "contextlib.chdir",
    "uuid.getnode",
    "enum.global_enum",
)
PURE = sorted(name for name in tables().pure if name[0].islower() and name not in {"exit", "quit"})
REACHING = ("eval", "exec", "open", "getattr", "vars", "globals", "compile", "__import__", "type", "dir", "hasattr")
NAMES = ("a", "b", "c", "d", "f", "g", "x", "y")
CLASSES = ("A", "B", "C")
PLAIN = (
    "real imag append items keys values get update pop count index join split upper lower strip replace sort copy x y name"
    " value args func func keywords maxlen fget fset default default_factory type metadata init fields group groups string"
    " pattern send throw close start stop step conjugate hex fromhex from_bytes register cache_clear cache_info data args"
    " exceptions add_note seed getstate elements most_common numerator substitute template year date today now month"
).split()
AWAY = (
    "__class__ __globals__ __dict__ __self__ __init__ __code__ __subclasses__ __mro__ __name__ __doc__ __wrapped__ __func__"
    " __match_args__ __builtins__ __getattribute__ _x _os _sys _stream _old_targets _mgr gi_frame gi_code cr_frame f_globals"
    " f_back f_locals tb_frame tb_next obj mro format format_map with_traceback __traceback__ __context__ _asdict _replace"
    " _fields _make _value_ __annotations__ __reduce_ex__"
).split()
WORST = ("gi_frame", "__globals__", "__self__", "__class__", "__traceback__", "obj", "_stream", "_old_targets")
TABLE = "agg apply transform to_csv to_string to_dict query eval style plot ctypes head sum mean T values tofile savefig".split()
KEYWORDS = (
    "assigned updated module names key default reverse dict_factory qualname type rename sep end init name".split()
)
TEXTS = (
    "gi_frame", "f_globals", "__globals__", "__class__", "x", "a b", "name", "__builtins__", "{0}", "{0.__class__}", "%s",
    "to_csv", "_x", "sum", CANARY, f"x={CANARY}", f"x: int = {CANARY}", "/tmp/x.txt", "modules", "helper", "os", "",
)  # fmt: skip
BASES = (
    "object",
    "Exception",
    "ABC",
    "Enum",
    "NamedTuple",
    "TypedDict",
    "Protocol",
    "Generic[T]",
    "dict",
    "list",
    "str",
    "tuple",
    "int",
    "redirect_stdout",
    "Template",
    "Random",
    "partial",
    "property",
    "type",
    "type(int)",
    "Generator",
)
DECORATORS = (
    "dataclass",
    "dataclass(order=True)",
    "total_ordering",
    "unique",
    "runtime_checkable",
    "final",
    "property",
    "f",
)
METHODS = (
    "__init__ __eq__ __call__ __getitem__ __iter__ __str__ __enter__ __exit__ __len__ __format__ __hash__ __lt__ m n get eval"
    " __getattr__ __reduce__ __class_getitem__ __del__ __init_subclass__ __set_name__ _missing_"
).split()
HEAD = (
    "from dataclasses import dataclass, field, fields, asdict, astuple, replace",
    "from abc import ABC",
    "from enum import Enum, unique",
    "from typing import NamedTuple, TypedDict, Protocol, Generic, TypeVar, runtime_checkable, final",
    "from functools import wraps, partial, total_ordering, reduce, update_wrapper, cached_property",
    "from collections import namedtuple, defaultdict, Counter",
    "from collections.abc import Generator, Callable, Iterable",
    "from contextlib import redirect_stdout, ExitStack, closing, contextmanager, suppress",
    "from string import Template",
    "from random import Random",
    "from copy import copy, deepcopy",
    "from operator import itemgetter, call",
    "import io, sys, os",
)  # fmt: skip
FROM_HEAD = (
    "dataclass field fields asdict astuple replace ABC Enum unique NamedTuple TypedDict wraps partial total_ordering reduce"
    " update_wrapper cached_property namedtuple defaultdict Counter Generator Callable redirect_stdout ExitStack closing"
    " Template Random copy deepcopy itemgetter call sys.stdout io.StringIO"
).split()


GADGETS = (
    "{n} = namedtuple('T', {t!r})",
    "{n} = namedtuple('T', {t!r} + {u!r})",
    "class {k}({m}, ABC): pass",
    "{c}.register({m})",
    "{c}.register(Generator)",
    "{n} = dataclass({m})",
    "@dataclass\nclass {k}({m}): x: int = 0",
    "@dataclass\nclass {k}({c}): y: int = 0",
    "@dataclass\nclass {k}:\n    {w}: object = 1",
    "@dataclass\nclass {k}:\n    x: object = field(default=1)\n    y: object = 2",
    "{n} = fields({c})[0]",
    "{n} = field()",
    "{m}.name = {t!r}",
    "{m}.{w} = {t!r}",
    "{n} = asdict({c}())",
    "{n} = replace({c}(), **{{{t!r}: 1}})",
    "{n} = TypedDict('T', {{{t!r}: int}})",
    "{n} = NamedTuple('T', [({t!r}, int)])",
    "{n} = Enum('X', [({t!r}, {m}), ('A', 1)])",
    "{n} = Enum('X', {t!r}, module={u!r})",
    "{n} = wraps({m}, assigned=({t!r},))({c})",
    "{n} = wraps({m})({c})",
    "{n} = update_wrapper({c}, {m}, ({t!r},), ({u!r},))",
    "{n} = update_wrapper({c}, {m})",
    "{n} = {t!r}.format({m}, x={m})",
    "{n} = {m}.format({m})",
    "{n} = getattr({m}, {t!r})",
    "{n} = Template({t!r}).substitute(x={m})",
    "class {k}(redirect_stdout):\n    {w} = {t!r}\n{n} = {k}({m})\n{m} = {n}.__enter__()",
    "with redirect_stdout({m}) as {n}: pass",
    "match {m}:\n    case {c}({n}): pass",
    "match {m}:\n    case {c}({w}={n}): pass",
    "match {m}:\n    case object({w}={n}): pass",
    "match {c}():\n    case {c}({n}): pass",
    "{n} = type({m})\n{m} = {n}({t!r}, (), {{{u!r}: {m}}})",
    "{n} = {m}.{w}",
    "{n} = {c}().{w}",
    "class {k}:\n    def __init__(self): self.{w} = 1\n    def m(self): return self.{w}\n{n} = {k}().m()",
    "class {k}({m}):\n    def m(self): return self.{w}",
    "def {n}(v: {t!r}): return v",
    "{n} = copy({m})",
    "{n} = deepcopy({m})",
    "try: {m}.nope\nexcept AttributeError as {n}: {m} = {n}.{w}",
    "{n} = (i for i in [{m}])",
    "{n} = [v.{w} for v in [{m}]]",
    "{n} = (i for i in [1]).{w}",
    "{n} = (lambda: 0).{w}",
    "{n} = print.{w}",
    "{n} = {c}.m.{w}",
    "{n} = '{{0.{w}}}'.format({m})",
    "{n} = getattr((i for i in [1]), '{w}')",
    "{n} = sys.stdout.{w}",
    "{n} = partial({m}).{w}",
    "{n} = cached_property({m})\n{n}.attrname = {t!r}",
)
"""Steps of ways out that were found: what closes them has to hold for whatever they are put together with."""

RECIPES = (
    ("a = namedtuple('T', 'gi_fr' + 'ame')", "class K(a, ABC): pass", "K.register(Generator)")
    + ("b = (i for i in [1])", "match b:\n    case K(c): pass"),
    ("class K(ABC): gi_frame: object", "K = dataclass(K)", "K.register(Generator)")
    + ("b = (i for i in [1])", "match b:\n    case K(c): pass"),
    ("@dataclass\nclass K:\n    x: object = 0", "a = fields(K)[0]", f"a.name = {f'x={CANARY}'!r}")
    + ("@dataclass\nclass L(K):\n    y: object = 1",),
    ("@dataclass\nclass K:\n    x: object = 0", "a = fields(K)[0]", "a.name = '__init__'", "b = asdict(K())")
    + ("c = [*b.values()]",),
    (f"a = TypedDict('T', {{{f'x={CANARY}'!r}: int}})", "@dataclass\nclass K(a): pass"),
    (f"a = TypedDict('T', {{{f'x={CANARY}'!r}: int}})", "b = dataclass(a)"),
    (f"a = Enum('X', [('__annotations__', {{{f'x={CANARY}'!r}: int}})])", "b = dataclass(a)"),
    ("class K: pass", "a = wraps(print, assigned=('__self__',))(K)", "b = K.__self__"),
    ("class K(redirect_stdout):\n    _stream = 'modules'", "class L(K):\n    def m(self): return self._old_targets")
    + ("a = L(1)", "a.__enter__()", "b = a.m()"),
    ("a = type(int)('X', (), {'__match_args__': ('__globals__',)})", "b = type(a)"),
    ("a = eval", "eval = 1", "b = a"),
    ("class K:\n    a = exec\n    exec = 1", "b = K.a"),
    ("try: sys.nope\nexcept AttributeError as a: b = [a.obj]",),
    ("try: 1 / 0\nexcept ZeroDivisionError as a: b = a.__traceback__", "c = b.tb_frame"),
    ("class K:\n    def __exit__(self, a, b, c): self.x = c\n    def __enter__(self): return self", "a = K()")
    + ("with a: 1 / 0", "b = a.x", "c = b.tb_frame"),
    ("a = '{0.__glob' + 'als__}'", "b = a.format(lambda: 0)"),
    ("a = Generic[T].__class_getitem__", "b = a.__func__", "c = b.__globals__"),
    ("def a(v: 'exec') -> 'eval': return v", "b = a.__annotations__", "c = [*b.values()]"),
)
"""Ways out from end to end. One that is closed at any of its steps is refused; whatever is left has to lead nowhere."""


class Maker:
    """One stream of programs from one source of chance; `spice` is how likely a step is one that should be refused."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._spice = 0.0
        self._data = False
        self._modules: list[str] = []
        self._classes: list[str] = []
        self._names: Sequence[str] = NAMES
        self._texts: Sequence[str] = TEXTS
        self._away: Sequence[str] = AWAY
        self._gadgets: Sequence[str] = GADGETS
        self._heat = 0.0

    def program(self) -> str:
        self._spice = self._chance.choice((0.0, 0.01, 0.02, 0.05))
        self._data = self._chance.random() < 0.15
        self._swarm()
        self._modules = self._chance.sample(MODULES, 3)
        self._classes = list(CLASSES)
        lines = [*HEAD, "T = TypeVar('T')", *(f"import {name}" for name in self._modules)]
        if self._data:
            lines += [f"import {name}" for name in DATA]
        lines += [f"{name} = {self._literal()}" for name in NAMES]
        if self._data:
            lines += ["a = pd.DataFrame({'x': [1, 2], 'y': [3, 4]})", "b = np.arange(4)"]
        lines += [f"class {name}: pass" for name in CLASSES]
        steps = [self._statement() for _ in range(self._chance.randint(3, 12))]
        if self._chance.random() < 0.3:
            steps += self._recipe()
        for number, step in enumerate(steps):
            body = step.split("\n")
            lines += ["try:", *(f"    {line}" for line in body), f"except Exception as e{number}:"]
            lines += [f"    {self._one(self._names)} = e{number}"]
        return "\n".join(lines) + "\n"

    def _swarm(self) -> None:
        """Most programs are made of few things, so that those come together in many ways."""
        few = self._chance.random() < 0.75
        self._names = self._chance.sample(NAMES, 3) if few else NAMES
        self._texts = self._chance.sample(TEXTS, 3) if few else TEXTS
        self._away = [*self._chance.sample(AWAY, 2), self._one(WORST)] if few else AWAY
        self._gadgets = self._chance.sample(GADGETS, 6) if few else GADGETS
        self._heat = self._chance.choice((0.0, 0.1, 0.5)) if few else 0.02
        if self._heat > 0.1:
            self._spice = 0.0  # what is bad about it is one thing, which nothing else hides
            self._away = self._away[-1:]

    def _one(self, words: Sequence[Item]) -> Item:
        return self._chance.choice(words)

    def _bad(self) -> bool:
        return self._chance.random() < self._spice

    def _literal(self) -> str:
        return self._one(
            (
                "1",
                "2.5",
                repr(self._one(self._texts)),
                "[1, 'a']",
                "{'a': 1}",
                "(1, 2)",
                "(i for i in [1])",
                "lambda *p, **k: p",
            )
            + (
                "lambda v: v",
                "None",
                "b'x'",
                "print",
                "int",
                "{1, 2}",
                "Exception('x')",
                "(j async for j in [])"[:0] or "0",
            )
        )

    def _attribute(self) -> str:
        words: Sequence[str] = self._away if self._bad() else PLAIN
        return self._one(TABLE) if self._data and self._chance.random() < 0.3 else self._one(words)

    def _member(self) -> str:
        if self._bad():
            return self._one(DROPPED)
        if self._chance.random() < 0.6:
            return self._one(FROM_HEAD)
        module = self._one(self._modules)
        names = sorted(tables().members.get(module, ())) or ["x"]
        return f"{module}.{self._one(names)}"

    def _expression(self, depth: int = 3) -> str:
        if depth <= 0 or self._chance.random() < 0.15:
            return self._one(self._names) if self._chance.random() < 0.6 else self._literal()
        return self._chance.choice(self._shapes())(depth - 1)

    def _shapes(self) -> list[Callable[[int], str]]:
        return [
            lambda d: f"{self._wrapped(d)}.{self._attribute()}",
            lambda d: f"{self._wrapped(d)}.{self._attribute()}({self._arguments(d)})",
            lambda d: f"{self._callable()}({self._arguments(d)})",
            lambda d: f"{self._callable()}({self._arguments(d)})",
            lambda d: f"{self._wrapped(d)}({self._arguments(d)})",
            lambda d: f"{self._wrapped(d)}[{self._expression(d)}]",
            lambda d: f"[{self._expression(d)} for {self._one(self._names)} in {self._expression(d)}]",
            lambda d: f"f'{{{self._one(self._names)}.{self._attribute()}}}'",
            lambda d: f"{self._one(self._texts)!r}.format({self._arguments(d)})",
            lambda d: f"[{self._expression(d)}, {self._expression(d)}]",
            lambda d: f"{{{self._one(self._texts)!r}: {self._expression(d)}}}",
            lambda d: f"(lambda {self._one(self._names)}: {self._expression(d)})",
            lambda d: f"({self._expression(d)} + {self._expression(d)})",
            lambda d: f"type({self._expression(d)}).__name__",
            lambda d: f"type({self._expression(d)})({self._arguments(d)})" if self._bad() else "type(1).__name__",
            lambda d: f"getattr({self._expression(d)}, {self._attribute()!r}, None)",
            lambda d: f"sorted({self._expression(d)}, key={self._callable()})",
            lambda d: f"list(map({self._callable()}, {self._expression(d)}))",
            lambda d: self._callable(),
        ]

    def _wrapped(self, depth: int) -> str:
        inner = self._expression(depth)
        return inner if inner.isidentifier() else f"({inner})"

    def _callable(self) -> str:
        pick = self._chance.random()
        if self._bad():
            return self._one(REACHING)
        if pick < 0.4:
            return self._member()
        return self._one(PURE) if pick < 0.7 else self._one((*self._names, *self._classes))

    def _arguments(self, depth: int) -> str:
        parts = [self._expression(depth) for _ in range(self._chance.choice((0, 1, 1, 1, 2, 2, 3)))]
        if self._chance.random() < 0.15:
            parts.append(f"{self._one(KEYWORDS)}={self._expression(depth)}")
        if self._chance.random() < 0.04:
            parts.append(f"**{{{self._one(KEYWORDS)!r}: {self._expression(depth)}}}")
        return ", ".join(parts)

    def _statement(self) -> str:
        return self._chance.choice(
            (
                self._assignment,
                self._assignment,
                self._assignment,
                self._definition,
                self._class,
                self._match,
                self._store,
            )
            + (self._with, self._loop, self._annotated, self._file, *[self._gadget] * 12)
        )()

    def _recipe(self) -> list[str]:
        """A whole way out, with a step that is missing, or another one between."""
        steps = list(self._one(RECIPES))
        change = self._chance.random()
        if change < 0.4 and len(steps) > 1:
            steps.pop(self._chance.randrange(len(steps)))
        elif change < 0.6:
            steps.insert(self._chance.randrange(len(steps)), self._gadget())
        return steps

    def _gadget(self) -> str:
        """One step; a class that it makes is there for the steps after it."""
        name = f"K{len(self._classes)}"
        step = self._one(self._gadgets)
        made = step.format(
            n=self._one(self._names),
            m=self._one(self._names),
            k=name,
            c=self._one(self._classes),
            t=self._one(self._texts),
            u=self._one(self._texts),
            w=self._one(self._away) if self._chance.random() < self._heat else self._one(PLAIN),
        )
        if "{k}" in step:
            self._classes.append(name)
        return made

    def _assignment(self) -> str:
        return f"{self._one(self._names)} = {self._expression()}"

    def _store(self) -> str:
        return f"{self._one((*self._names, *self._classes))}.{self._attribute()} = {self._expression(2)}"

    def _definition(self) -> str:
        decorator = f"@{self._callable()}\n" if self._chance.random() < 0.2 else ""
        default = self._expression(1)
        return f"{decorator}def {self._one(self._names)}(v={default}, *p, **k):\n    {self._one(self._names)} = v\n    return {self._expression(2)}"

    def _class(self) -> str:
        bases = self._chance.sample(BASES, self._chance.choice((0, 0, 1, 1, 2)))
        above = [f"@{self._one(DECORATORS)}" for _ in range(self._chance.choice((0, 0, 1, 1, 2)))]
        if not self._bad():
            bases = [base for base in bases if not base.startswith("type")]
            above = [each for each in above if each != "@f"]
        if self._chance.random() < 0.4:
            bases.append(self._one((*self._classes, "a", "b")))
        body = [self._member_of_class() for _ in range(self._chance.randint(1, 3))]
        name = f"K{len(self._classes)}" if self._chance.random() < 0.9 else self._one(self._classes)
        self._classes.append(name)
        head = f"class {name}({', '.join(bases)}):"
        return "\n".join([*above, head, *(f"    {line}" for each in body for line in each.split("\n"))])

    def _member_of_class(self) -> str:
        pick = self._chance.random()
        field = (
            self._one(self._away)
            if self._bad()
            else self._one(("x", "y", "name", "gi_frame", "f_globals", "obj", "format"))
        )
        if pick < 0.5:
            value = self._chance.choice(("", " = 0", " = field(default=1)", f" = {self._literal()}"))
            return f"{field}: {self._one(('int', 'str', 'object', repr(self._one(self._names))))}{value}"
        if pick < 0.6:
            return f"{field} = {self._expression(1)}"
        name = self._one(METHODS if self._bad() else METHODS[:16])
        return f"def {name}(self, *p):\n    self.{self._one(('x', '_x', 'y', 'name'))} = p\n    return {self._expression(2)}"

    def _match(self) -> str:
        owner = self._one((*self._classes, *self._classes, "int", "str", "object", "dict", "Generator"))
        attribute = self._one(self._away) if self._bad() else self._one(PLAIN)
        positional = self._chance.random() < 0.6
        pattern = f"{self._one(self._names)}" if positional else f"{attribute}={self._one(self._names)}"
        return f"match {self._expression(2)}:\n    case {owner}({pattern}):\n        {self._assignment()}"

    def _with(self) -> str:
        return f"with {self._callable()}({self._arguments(2)}) as {self._one(self._names)}:\n    {self._assignment()}"

    def _loop(self) -> str:
        target = (
            f"{self._one(self._names)}.{self._attribute()}" if self._chance.random() < 0.2 else self._one(self._names)
        )
        return f"for {target} in {self._expression(2)}:\n    {self._assignment()}\n    break"

    def _annotated(self) -> str:
        return f"def {self._one(self._names)}(v: {self._one((*self._texts, *self._names))!r} = 1) -> int: return {self._expression(2)}"

    def _file(self) -> str:
        path = self._one(
            ("/tmp/x.txt", "data.csv", "/workspace/data.csv", "/etc/passwd", "/canary", "/tmp/../etc/passwd")
        )
        mode = self._one(("", ", 'w'", ", 'r+'", ", 'rb'", ", mode='a'"))
        return f"with open({path!r}{mode}) as {self._one(self._names)}:\n    {self._assignment()}"
