"""What every bot stands on, whatever it is connected to: its data directory, store, files, sandboxes and clock."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from adapters.storage.blobs import FolderBlobs
from adapters.storage.lock import own_data_dir
from adapters.storage.sqlite import SqliteStore, open_store
from bot.bootstrap.sandboxes import image_of, open_engine, sandboxes_on
from bot.core.keys import ChannelKey
from bot.ports import StoreUnavailable
from bot.settings import Settings, instance_of, make_private
from bot.shell.clock import SystemClock
from executor.docker import DockerEngine
from executor.errors import ExecutorError
from executor.journal import FolderArchive
from executor.pool import Sandboxes

DATABASE = "state.sqlite3"
WORKSPACES = "workspaces"


@dataclass(frozen=True, slots=True)
class House:
    settings: Settings
    folder: Path
    store: SqliteStore
    blobs: FolderBlobs
    engine: DockerEngine
    sandboxes: Sandboxes
    clock: SystemClock

    async def problems(self) -> Sequence[str]:
        """What keeps code from being run just now, a sentence each: /readyz and the greeting ask."""
        found: list[str] = []
        try:
            await self.store.halted_by()
        except StoreUnavailable as error:
            found.append(str(error))
        try:
            await self.engine.image_id(image_of(self.settings))
        except ExecutorError as error:
            found.append(str(error))
        return found

    async def image(self) -> str:
        """What approvals are bound to: the name made of the recipe's content, or the id of an image of one's own."""
        if not self.settings.docker.image:
            return image_of(self.settings)
        try:
            return await self.engine.image_id(self.settings.docker.image)
        except ExecutorError:
            return self.settings.docker.image


@asynccontextmanager
async def open_house(settings: Settings, folder: Path, *, keep_sandboxes: bool) -> AsyncIterator[House]:
    """Everything in `folder` is this process's alone. Raises DataDirInUse, OSError or StoreUnavailable."""
    make_private(settings.data)
    async with AsyncExitStack() as stack:
        stack.enter_context(own_data_dir(folder))
        store = await stack.enter_async_context(open_store(folder / DATABASE))
        engine = await stack.enter_async_context(open_engine(settings))
        archive = FolderArchive(folder / WORKSPACES)
        sandboxes = sandboxes_on(engine, settings, instance_of(folder), keep=keep_sandboxes, archive=archive)
        await stack.enter_async_context(sandboxes)
        yield House(settings, folder, store, FolderBlobs(folder / "blobs"), engine, sandboxes, SystemClock())


def local(platform: str, channel: str) -> ChannelKey:
    """The key of a channel of the web chat or the console."""
    return ChannelKey(platform, "local", channel)
