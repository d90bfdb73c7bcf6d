"""Figures that a program shows with matplotlib, as image files: nobody is there to look at a window.

`plt.show()` saves every open figure and closes it, as closing its window would; a show that does not wait
(`fig.show()`, `block=False`, interactive mode) saves what there is and once more what it has become by the end of the
program. The files lie in the execution's own directory, never in the workspace: a program that saves nothing changes
nothing there, and what it shows can be seen even where the workspace must not be written.

A program that does not use matplotlib pays for one comparison an import. The place of the change is
`FigureManagerBase.show`, which all backends without windows share, so whoever asks for one of them by name
(`matplotlib.use("Agg")`) is served as well.
"""

import contextlib
import functools
import os
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

_MANAGERS: Final = "matplotlib.backend_bases"
_PYPLOT: Final = "matplotlib.pyplot"


class Figures:
    """The shown figures of one program. It watches for matplotlib from `watch` on, and saves from `begin` on."""

    def __init__(self) -> None:
        self._awaited = {_MANAGERS, _PYPLOT}
        self._folder = ""
        self._number = 0
        self._open: dict[Any, str] = {}  # figure managers, and where each was saved
        self._last_look = False

    def watch(self) -> None:
        sys.meta_path.insert(0, self)

    def begin(self, folder: str, after: int) -> None:
        """`after` figures were shown before, by earlier blocks."""
        self._folder = folder
        self._number = after

    def end(self) -> None:
        """The program is over; of an error in its figures there is nobody to tell."""
        for manager, path in list(self._open.items()):
            with contextlib.suppress(Exception):
                if manager in vars(sys.modules["matplotlib._pylab_helpers"])["Gcf"].figs.values():
                    _save(manager, path)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        if name not in self._awaited:
            return None
        from importlib.util import find_spec  # noqa: PLC0415 - not for the supervisor

        self._awaited.remove(name)
        spec = find_spec(name)  # asks all finders, this one too
        if spec is not None and spec.loader is not None:
            _afterwards(spec.loader, self._change)
        return spec

    def _change(self, module: ModuleType) -> None:
        if module.__name__ == _PYPLOT:
            module.show = self._closing(module.show, module)  # type: ignore[attr-defined]
        else:
            managers = module.FigureManagerBase
            managers.show = self._saving(managers.show)

    def _saving(self, show: Callable[[Any], None]) -> Callable[[Any], None]:
        @functools.wraps(show)
        def saving(manager: Any) -> None:
            if self._folder:
                new = manager not in self._open
                if new:
                    self._open[manager] = self._claim()
                if new or self._last_look:  # else `end` sees to it: a program may animate
                    _save(manager, self._open[manager])
            else:
                show(manager)

        return saving

    def _closing(self, show: Callable[..., None], pyplot: Any) -> Callable[..., None]:
        @functools.wraps(show)
        def closing(*args: Any, **kwargs: Any) -> None:
            block = kwargs.get("block", args[0] if args else None)
            self._last_look = not pyplot.isinteractive() if block is None else bool(block)
            show(*args, **kwargs)
            if self._last_look and self._folder:
                pyplot.close("all")
                self._open.clear()

        return closing

    def _claim(self) -> str:
        """A name that no other process of the program has taken."""
        with contextlib.suppress(FileExistsError):
            os.mkdir(self._folder, 0o700)  # noqa: PTH102
        while True:
            self._number += 1
            path = f"{self._folder}/figure-{self._number}.png"
            try:
                os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            except FileExistsError:
                continue
            return path


def _save(manager: Any, path: str) -> None:
    manager.canvas.figure.savefig(path, format="png")


def _afterwards(loader: Any, change: Callable[[ModuleType], None]) -> None:
    """Let the loader call `change` with a module that it has executed.

    A matplotlib that has not what is to be changed stays as it is.
    """
    execute = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        execute(module)
        with contextlib.suppress(AttributeError):
            change(module)

    loader.exec_module = exec_module
