"""The supervisor as bytes, for the host to write into a new container's standard input.

A container's command is a Python of its image with `BOOTSTRAP`; it reads eight digits and that many bytes of JSON,
`{"modules": {name: source}, "config": {...}}`, from its standard input. So the supervisor works with a read-only
root, on a remote engine and in any image with Python 3.11, and user code finds no file of it.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path

from executor.supervisor.config import Config

BOOTSTRAP = """\
import json,os
def read(n):
    b=b''
    while len(b)<n:
        c=os.read(0,n-len(b))
        if not c: raise SystemExit('the supervisor did not arrive')
        b+=c
    return b
p=json.loads(read(int(read(8))))
g={'__name__':'executor.supervisor.loader'}
exec(p['modules']['executor.supervisor.loader'],g)
g['run'](p['modules'],p['config'])
"""

COMMAND = ("python3", "-I", "-B", "-X", "utf8", "-c", BOOTSTRAP)
"""Isolated (no environment, no user site), no bytecode files, UTF-8 whatever the locale."""

_ROOT = Path(__file__).resolve().parent.parent
_SHARED = ("frames", "messages", "tree", "types")
_HOST_ONLY = frozenset({"bundle"})
_LENGTH_DIGITS = 8


def build(config: Config) -> bytes:
    """Everything a new container is sent ahead of the first synchronisation."""
    payload = json.dumps({"modules": modules(), "config": asdict(config)}).encode("ascii")
    if len(payload) >= 10**_LENGTH_DIGITS:
        raise ValueError("the supervisor has grown beyond its envelope")
    return b"%0*d" % (_LENGTH_DIGITS, len(payload)) + payload


@cache
def modules() -> dict[str, str]:
    """Sources of the supervisor by module name. The package `executor` itself is empty inside."""
    return {"executor": "", **dict(_sources())}


@cache
def digest() -> str:
    """Names this version of the supervisor: a container that was started with another one is outdated."""
    return hashlib.sha256(json.dumps([BOOTSTRAP, modules()], sort_keys=True).encode()).hexdigest()


def _sources() -> Iterator[tuple[str, str]]:
    for name in _SHARED:
        yield f"executor.{name}", (_ROOT / f"{name}.py").read_text(encoding="utf-8")
    for path in sorted((_ROOT / "supervisor").glob("*.py")):
        if path.stem not in _HOST_ONLY:
            name = "executor.supervisor" if path.stem == "__init__" else f"executor.supervisor.{path.stem}"
            yield name, path.read_text(encoding="utf-8")
