"""Sandboxes for a shell command: of an instance of its own, gone when the command is.

A command that is killed leaves its sandbox behind. Each command therefore holds a lock on a file that is named as its
instance; a file that nobody holds is of a dead one, and the next command removes what that one left.

The workspace is new for each command, unless a channel is named: those are kept in an archive of exec's own, apart from
the bot's, and belong to one command at a time.
"""

import asyncio
import contextlib
import fcntl
import os
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from bot.bootstrap.sandboxes import open_engine, sandboxes_on
from bot.settings import Settings, make_private
from executor.archive import WorkspaceArchive
from executor.docker import DockerEngine
from executor.errors import ExecutorError
from executor.journal import FolderArchive
from executor.naming import LABEL_INSTANCE, channel_key
from executor.pool import Sandboxes


def alone(settings: Settings) -> Settings:
    """For sandboxes in which one execution runs at a time."""
    return settings.model_copy(update={"limits": settings.limits.model_copy(update={"slots": 1, "reserve": 0})})


LOOK_EVERY_S = 0.05


@asynccontextmanager
async def open_operator(
    settings: Settings, channel: str | None = None, on_wait: Callable[[], None] = lambda: None
) -> AsyncIterator[Sandboxes]:
    """With `channel`, wait until no other command has it; `on_wait` is called if that takes any time."""
    settings = alone(settings)
    folder = make_private(settings.data) / "exec"
    folder.mkdir(mode=0o700, exist_ok=True)
    async with open_engine(settings) as engine, _workspaces(folder, channel, on_wait) as archive:
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
                async with sandboxes_on(engine, settings, mine.name, archive=archive) as sandboxes:
                    yield sandboxes
            finally:
                await _forget(mine, engine)


@asynccontextmanager
async def _workspaces(
    folder: Path, channel: str | None, on_wait: Callable[[], None]
) -> AsyncIterator[WorkspaceArchive | None]:
    if channel is None:
        yield None
        return
    channels = folder / "channels"
    channels.mkdir(mode=0o700, exist_ok=True)
    lock = channels / f"{channel_key(channel)}.lock"
    lock.touch(mode=0o600)
    waited = False
    while True:
        with _held(lock) as ours:
            if ours:
                yield FolderArchive(channels)
                return
        if not waited:
            waited = True
            on_wait()
        await asyncio.sleep(LOOK_EVERY_S)


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
