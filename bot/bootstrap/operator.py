"""Sandboxes for a shell command: of an instance of its own, gone when the command is.

A command that is killed leaves its sandbox behind. Each command therefore holds a lock on a file that is named as its
instance; a file that nobody holds is of a dead one, and the next command removes what that one left.
"""

import contextlib
import fcntl
import os
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from bot.bootstrap.sandboxes import open_engine, sandboxes_on
from bot.settings import Settings, make_private
from executor.docker import DockerEngine
from executor.errors import ExecutorError
from executor.naming import LABEL_INSTANCE
from executor.pool import Sandboxes


def alone(settings: Settings) -> Settings:
    """For sandboxes in which one execution runs at a time."""
    return settings.model_copy(update={"limits": settings.limits.model_copy(update={"slots": 1, "reserve": 0})})


@asynccontextmanager
async def open_operator(settings: Settings) -> AsyncIterator[Sandboxes]:
    settings = alone(settings)
    folder = make_private(settings.data) / "exec"
    folder.mkdir(mode=0o700, exist_ok=True)
    async with open_engine(settings) as engine:
        for left in sorted(folder.glob("exec-*")):
            with _held(left) as ours:
                if ours:
                    async with sandboxes_on(engine, settings, left.name):
                        pass
                    await _forget(left, engine)
        mine = folder / f"exec-{uuid.uuid4().hex[:16]}"
        mine.touch(mode=0o600)
        with _held(mine):
            try:
                async with sandboxes_on(engine, settings, mine.name) as sandboxes:
                    yield sandboxes
            finally:
                await _forget(mine, engine)


async def _forget(file: Path, engine: DockerEngine) -> None:
    """Only what has really gone: while the engine is away, whatever may be left is left to the next command."""
    with contextlib.suppress(ExecutorError):
        if not await engine.containers(f"{LABEL_INSTANCE}={file.name}"):
            file.unlink(missing_ok=True)  # noqa: ASYNC240 - one call of the kernel


@contextmanager
def _held(path: Path) -> Iterator[bool]:
    """Whether nobody else has this file's lock, and then have it for the length of the block."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        yield False
        return
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(file)
