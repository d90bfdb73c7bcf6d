# ruff: noqa: PTH123 - it runs where only the image's own packages are
"""Runs programs one after another and says what each really did; meant for a container of the sandbox image.

    python3 python_inside.py PROGRAMS RESULTS

PROGRAMS is a JSON list of texts. Each is run in a child of its own, under an audit hook that notes every event with the
file that caused it. Afterwards everything that the program's names hold is looked at: a frame, a module or a builtin
that could do more is as bad as its use. Only the standard library and the image's own packages are used.
"""

import builtins
import gc
import importlib
import json
import os
import resource
import signal
import sys
import types
from typing import Any

BLOCK = "<block>"
MOST_EVENTS = 300
SECONDS = 3
REACHING = frozenset(
    "__build_class__ __import__ breakpoint compile delattr dir eval exec getattr globals locals"
    " open setattr vars".split()
)
HARMLESS = frozenset({"cpu_count", "exit", "intern", "urandom"})
FOREIGN = frozenset(
    "_ctypes _frozen_importlib _frozen_importlib_external _posixsubprocess _socket ctypes gc importlib inspect"
    " marshal os pickle posix runpy shutil socket subprocess sys".split()
)


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as source:
        programs = json.load(source)
    warm_up()
    gc.collect()
    gc.freeze()  # children share the pages
    with open(sys.argv[2], "w", encoding="utf-8") as results:
        results.writelines(json.dumps(run(code)) + "\n" for code in programs)


def warm_up() -> None:
    """What libraries do once is not the program's doing."""
    importlib.import_module("asyncio")
    importlib.import_module("_strptime")
    try:
        pandas, plt = importlib.import_module("pandas"), importlib.import_module("matplotlib.pyplot")
    except ImportError:
        return
    pandas.DataFrame({"a": [1, 2]}).groupby("a").sum().to_string()
    plt.plot([1, 2])
    plt.savefig("/tmp/warm.png")
    plt.close("all")


def run(code: str) -> dict[str, Any]:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        try:
            report = observed(code)
        except BaseException as error:  # noqa: BLE001
            report = {"trouble": repr(error)[:300]}
        with os.fdopen(writing, "w") as pipe:
            json.dump(report, pipe)
            pipe.flush()
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    found: dict[str, Any] = json.loads(text) if text else {"late": True}
    return found


def observed(code: str) -> dict[str, Any]:
    signal.alarm(SECONDS)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    os.chdir("/workspace")
    sys.path.append("/workspace")
    null = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    program = compile(code, BLOCK, "exec", dont_inherit=True)
    events: list[list[Any]] = []
    state = {"on": True}

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if not state["on"]:
            return
        state["on"] = False
        try:
            if len(events) < MOST_EVENTS:
                events.append(noted(event, args, sys._getframe(1)))
        finally:
            state["on"] = True

    main = types.ModuleType("__main__")
    main.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = main
    before = set(sys.modules)
    error = None
    sys.addaudithook(hook)
    try:
        exec(program, main.__dict__)  # noqa: S102
    except BaseException as raised:  # noqa: BLE001
        error = type(raised).__name__
    state["on"] = False
    return {
        "events": events[1:],  # the first is this exec
        "held": held(main.__dict__),
        "modules": [name for name in set(sys.modules) - before if is_from_workspace(sys.modules[name])],
        "error": error,
    }


def noted(event: str, args: tuple[Any, ...], frame: types.FrameType) -> list[Any]:
    """The event, its arguments as text, and the file whose code caused it."""
    words = [worded(value) for value in args[:4]]
    return [event, words, frame.f_code.co_filename]


def worded(value: object) -> object:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")[:2000]
    if isinstance(value, types.CodeType):
        return f"code {value.co_filename} {value.co_names} {value.co_consts}"[:2000]
    if isinstance(value, str):
        return value[:2000]
    return value if isinstance(value, int | None) else type(value).__name__


def held(names: dict[str, Any]) -> list[Any]:
    """Names of the program whose values reach further than values do, and into what they hold."""
    return [
        f"{name}: {what}" for name, value in list(names.items()) if name[:2] != "__" and (what := reaching(value, 3))
    ]


def reaching(value: Any, depth: int) -> str:
    if isinstance(value, types.ModuleType):
        return "" if depth == 3 else f"module {value.__name__}"  # a name of its own is an import
    if isinstance(value, types.FrameType | types.CodeType):
        return type(value).__name__
    if isinstance(value, types.BuiltinFunctionType | types.FunctionType | types.MethodType):
        return named(value)
    if value is type or value is object.__subclasses__:
        return ""
    if depth and type(value) in (list, tuple, set, frozenset):
        return next((found for each in list(value)[:20] if (found := reaching(each, depth - 1))), "")
    if depth and type(value) is dict:
        if value.get("__builtins__") in (builtins, vars(builtins)) or value.get("__name__") == "builtins":
            return "a namespace"
        return next((found for each in list(value.values())[:20] if (found := reaching(each, depth - 1))), "")
    if value is sys.modules:
        return "sys.modules"
    return ""


def named(value: object) -> str:
    name, module = getattr(value, "__name__", ""), getattr(value, "__module__", None)
    if isinstance(value, types.BuiltinFunctionType) and module == "builtins" and name in REACHING:
        return f"builtin {name}"
    own = getattr(value, "__self__", None)
    if (
        isinstance(own, types.ModuleType)
        and own.__name__ in FOREIGN
        and not name.startswith("get")
        and name not in HARMLESS
    ):
        return f"{own.__name__}.{name}"
    return ""


def is_from_workspace(module: object) -> bool:
    return str(getattr(module, "__file__", None)).startswith("/workspace")


if __name__ == "__main__":
    main()
