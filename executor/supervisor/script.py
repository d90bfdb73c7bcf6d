"""Runs Python source in this process so that it behaves like `python main.py` in a process of its own.

The interpreter has been started, and has imported much of the standard library, long before; that is what makes a run
fast. What a program can tell the difference by is put in order here: `__main__`, `argv`, the standard streams, the
path, hooks, random numbers, and above all the end, where an interpreter that shuts down joins threads, runs exit
handlers, and closes files that the program left open, without which their content would be lost.

A program's file is named in tracebacks as its author knows it (`main.py`), while `__file__` is where it really lies.
The source lines of tracebacks that Python code makes come from `linecache`. The interpreter's own hooks, which know
things that Python code does not ("Did you mean"), look for files of that name, so they are called where it is found.
"""

import atexit
import builtins
import contextlib
import functools
import gc
import io
import linecache
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, FrameType, ModuleType, TracebackType
from typing import Any, Final, NoReturn

from executor.supervisor import lastvalue
from executor.supervisor.figures import Figures

_FLUSH_FAILED: Final = 120  # the interpreter's own code for it


@dataclass(frozen=True, slots=True)
class Program:
    """`name` is what it is called, relative to `root`, and `path` where it lies.

    `workspace` goes last on the import path: a file in it never shadows a module of the library or the image.
    `scratch` is the execution's own directory; with `echo` the text of the last value is put there, figures that are
    shown go to `figures`, numbered from after `shown`.
    """

    source: bytes
    name: str
    path: str
    root: str
    arguments: tuple[str, ...]
    workspace: str | None
    scratch: str
    figures: str
    echo: bool = False
    shown: int = 0


class _Place:
    """Where the program lies (`Program.root`), how many levels of the stack below `prepare` have no frame, and how deep
    the program lies in it.
    """

    root = "."
    hidden = 0
    depth = 0


_place = _Place()
_figures = Figures()


def watch() -> None:
    """Before anything is imported that might be asked to show figures."""
    _figures.watch()


def prepare() -> None:
    """What is the same for every program, before forking. Nothing of ours can be imported afterwards."""
    sys.stdout = sys.__stdout__ = _stream(1, "w", "surrogateescape")  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _stream(2, "w", "backslashreplace")  # type: ignore[misc]
    sys.excepthook = sys.__excepthook__ = _excepthook
    sys.unraisablehook = sys.__unraisablehook__ = _where_the_file_is(sys.__unraisablehook__)
    threading.excepthook = threading.__excepthook__ = _where_the_file_is(threading.__excepthook__)
    sys.path = [entry for entry in sys.path if entry]
    sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != "MemoryImporter"]
    for name in [name for name in sys.modules if name == "executor" or name.startswith("executor.")]:
        del sys.modules[name]
    lastvalue.compiled(b"1", "main.py")  # the first time takes longer
    _place.hidden = _levels() - _frames()
    sys.getrecursionlimit, sys.setrecursionlimit = _limits_of_recursion()
    main = ModuleType("__main__")
    main.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = main


def diverge() -> None:
    """What must not be the same in two programs, after forking. (`random` sees to that itself.)"""
    if numpy_random := sys.modules.get("numpy.random"):
        numpy_random.seed()


def run(program: Program) -> NoReturn:
    name, path, source = program.name, program.path, program.source
    sys.stdin = sys.__stdin__ = _stream(0, "r", "surrogateescape")  # type: ignore[misc]
    if program.workspace is not None:
        sys.path.append(program.workspace)
    sys.argv = [name, *program.arguments]
    sys.orig_argv = [sys.executable, path, *program.arguments]
    text = source.decode("utf-8", "replace")
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    main = sys.modules["__main__"]
    main.__file__ = path
    _figures.begin(program.figures, program.shown)
    _place.root = program.root
    _hide_our_depth()
    number = os.getpid()
    how = _execute(program, main.__dict__)
    value = main.__dict__.pop(lastvalue.NAME, None)
    if value is not None and how == 0 and os.getpid() == number:
        lastvalue.keep(value, program.scratch)
    del value
    _end(how, main.__dict__)


def _execute(program: Program, namespace: dict[str, Any]) -> Callable[[], NoReturn] | int:
    """The exit code, or how the process has to die instead."""
    try:
        exec(_compiled(program), namespace)  # noqa: S102 - that is the purpose
    except SystemExit as error:
        return _exit_code(error.code)
    except BaseException as error:  # noqa: BLE001 - whatever a program may raise
        raised = error
    else:
        return 0
    return _complain(raised)


def _hide_our_depth() -> None:
    """The program may go as deep as it could if it did not stand on our frames, and is told so."""
    limit = sys.getrecursionlimit()
    _place.depth = _frames() + _place.hidden + 1  # not for this function, but for `_execute` and `exec`
    sys.setrecursionlimit(limit)


def _limits_of_recursion() -> tuple[Callable[[], int], Callable[[int], None]]:
    """What the interpreter has for getting and setting them, above our frames."""
    real_get, real_set = sys.getrecursionlimit, sys.setrecursionlimit

    @functools.wraps(real_get)
    def getrecursionlimit() -> int:
        return real_get() - _place.depth

    @functools.wraps(real_set)
    def setrecursionlimit(limit: int, /) -> None:
        real_set(limit + _place.depth if limit > 0 else limit)

    return getrecursionlimit, setrecursionlimit


def _frames() -> int:
    """Of the caller and below."""
    count = 0
    frame: FrameType | None = sys._getframe()  # noqa: SLF001
    while frame is not None and (frame := frame.f_back) is not None:
        count += 1
    return count


def _levels() -> int:
    """Of the caller and below: the lowest limit that is not refused, without this function and the one it calls."""
    limit = sys.getrecursionlimit()
    for level in range(1, limit):
        with contextlib.suppress(RecursionError):
            sys.setrecursionlimit(level)
            sys.setrecursionlimit(limit)
            return level - 3
    return 0


def _compiled(program: Program) -> CodeType:
    try:
        if program.echo:
            return lastvalue.compiled(program.source, program.name)
        return compile(program.source, program.name, "exec", dont_inherit=True)
    except SyntaxError as error:
        _quote(error, program)
        raise


def _quote(error: SyntaxError, program: Program) -> None:
    """What the compiler has against a program that parses, it quotes from a file of that name, if it finds one."""
    import ast  # noqa: PLC0415 - as in `lastvalue`

    with contextlib.suppress(SyntaxError, ValueError):
        ast.parse(program.source, program.name)
        error.text = linecache.getline(program.name, error.lineno or 0) or None


def _complain(error: BaseException) -> Callable[[], NoReturn] | int:
    """By the program's hook, if it has one. Outside of the handler, or it would be the context of the hook's errors."""
    sys.last_type, sys.last_value = type(error), error
    sys.last_traceback = error.__traceback__ = _of_program(error.__traceback__)
    try:
        sys.excepthook(type(error), error, error.__traceback__)
    except SystemExit as exit_:
        return _exit_code(exit_.code)
    except BaseException as second:  # noqa: BLE001
        _say("Error in sys.excepthook:")
        _show(second)
        _say("\nOriginal exception was:")
        _show(error)
    return _interrupted if isinstance(error, KeyboardInterrupt) else 1


def _exit_code(code: object) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    _say(str(code))
    return 1


def _interrupted() -> NoReturn:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGINT)
    os._exit(1)


def _end(how: Callable[[], NoReturn] | int, namespace: dict[str, Any]) -> NoReturn:
    """What the interpreter does at its end, in its order, except to take apart modules that nobody will use again."""
    flushed = True
    joined: Callable[[], None] = vars(threading)["_shutdown"]
    exits: Callable[[], None] = vars(atexit)["_run_exitfuncs"]
    for step in (joined, _figures.end, exits, _flush, lambda: _forget(namespace), _flush):
        try:
            step()
        except OSError:
            flushed = step is not _flush and flushed
        except BaseException as error:  # noqa: BLE001 - an exit handler may raise anything; the others still run
            _show(error)
    if callable(how):
        how()
    os._exit(how if flushed or how else _FLUSH_FAILED)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(ValueError, AttributeError):  # closed, or replaced by something else
            stream.flush()


def _forget(namespace: dict[str, Any]) -> None:
    """Let the program's objects go: open files are written out, `__del__` runs."""
    sys.last_type = sys.last_value = sys.last_traceback = None
    for hidden in (True, False):  # as the interpreter does: names with one underscore first
        for key in list(namespace):
            if key.startswith("_") == hidden and key != "__builtins__":
                namespace[key] = None
    gc.collect()


def _say(line: str) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def _show(error: BaseException) -> None:
    error.__traceback__ = _of_program(error.__traceback__)
    _excepthook(type(error), error, error.__traceback__)


def _of_program(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without our frames."""
    while trace is not None and trace.tb_frame.f_code.co_filename in _OUR_FILES:
        trace = trace.tb_next
    return trace


_OUR_FILES: Final = {function.__code__.co_filename for function in (_execute, lastvalue.compiled)}


def _where_the_file_is(hook: Callable[..., object]) -> Callable[..., None]:
    """The hook, called in the directory that the program's name is relative to."""

    @functools.wraps(hook)
    def called_there(*arguments: Any) -> None:
        here = -1
        with contextlib.suppress(OSError):
            here = os.open(".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            os.chdir(_place.root)
        try:
            hook(*arguments)
        finally:
            if here >= 0:
                os.fchdir(here)
                os.close(here)

    return called_there


_excepthook: Final = _where_the_file_is(sys.__excepthook__)


def _stream(descriptor: int, mode: str, errors: str) -> io.TextIOWrapper:
    """As the interpreter opens it in UTF-8 mode; output by lines, so that it is not lost if the program is killed."""
    raw = io.FileIO(descriptor, mode, closefd=False)
    raw.name = ("<stdin>", "<stdout>", "<stderr>")[descriptor]
    binary = io.BufferedReader(raw) if mode == "r" else io.BufferedWriter(raw)
    stream = io.TextIOWrapper(binary, encoding="utf-8", errors=errors, newline="\n", line_buffering=mode == "w")
    vars(stream)["mode"] = mode
    return stream
