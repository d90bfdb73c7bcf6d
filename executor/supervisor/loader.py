"""Imports the supervisor's modules from memory, inside the sandbox, so that nothing of them need be in the image.

The bootstrap (`executor.supervisor.bundle`) executes this file's text by itself and calls `run`.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType
from typing import Any


class MemoryImporter:
    """Finder and loader of modules given as text; a name with others below it is a package."""

    def __init__(self, sources: dict[str, str]) -> None:
        self._sources = sources

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        if name not in self._sources:
            return None
        package = any(other.startswith(name + ".") for other in self._sources)
        return ModuleSpec(name, self, origin=f"<{name}>", is_package=package)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        del spec

    def exec_module(self, module: ModuleType) -> None:
        exec(self.get_code(module.__name__), module.__dict__)  # noqa: S102 - that is what a loader does

    def get_code(self, name: str) -> CodeType:
        return compile(self._sources[name], f"<{name}>", "exec", dont_inherit=True)

    def get_source(self, name: str) -> str:
        """For the source lines of a traceback."""
        return self._sources[name]


def run(modules: dict[str, str], config: dict[str, Any]) -> None:
    sys.meta_path.insert(0, MemoryImporter(modules))
    from executor.supervisor.main import main  # noqa: PLC0415 - importable only now

    main(config)
