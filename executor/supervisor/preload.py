"""Imports once, in the supervisor, what forked programs then need not import again."""

import contextlib
import importlib
import os
import sys
from pathlib import Path
from typing import Final

from executor.supervisor import environment

# What most programs begin with. Not here for the 5 MiB that they take in every sandbox: asyncio, urllib.request (ssl).
_STANDARD_LIBRARY: Final = """
    argparse array ast base64 bisect calendar collections contextlib copy csv dataclasses datetime decimal enum
    fractions functools glob hashlib heapq html inspect io itertools json linecache logging math operator os pathlib
    pickle pprint queue random re shutil signal socket statistics string struct subprocess tempfile textwrap threading
    time traceback types typing unicodedata urllib.parse uuid warnings
"""
_MATPLOTLIB: Final = "/tmp/.matplotlib"  # noqa: S108 - the supervisor's own, made before any user code runs


def preload(modules: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Names of `modules` that were imported, and for each that could not be, a sentence."""
    for name in _STANDARD_LIBRARY.split():
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    if not modules:
        return [], []
    os.environ.update(environment.NUMERICS)
    if any(name.partition(".")[0] == "matplotlib" for name in modules):
        Path(_MATPLOTLIB).mkdir(0o755, exist_ok=True)
        os.environ["MPLCONFIGDIR"] = _MATPLOTLIB
    failures = []
    for name in modules:
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 - whatever a module may raise when it is imported
            failures.append(f"{name} could not be preloaded: {error!r}"[:500])
    return [name for name in modules if name in sys.modules], failures
