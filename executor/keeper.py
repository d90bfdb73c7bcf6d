"""Sees to it that what is in a sandbox's workspace is in the archive, and the other way round.

After an execution that may have changed something, the workspace is saved in the background, once it has been quiet for
a moment; before a sandbox is removed, it is saved to the last change. A sandbox that is as it was made gets what the
archive has before anybody may use it. So a sandbox is never the only one to know something, but for that moment.

A sandbox that outlived its bot is newer than the archive, unless the archive has gone on without it (on another engine,
or because the channel was forgotten): its *generations* tell.
"""

import asyncio
import logging
import secrets

from executor import naming
from executor.archive import ArchiveUnavailable, WorkspaceArchive
from executor.clock import Clock
from executor.containers import Sandbox
from executor.errors import ExecutorError, SandboxLost, SandboxUnavailable
from executor.messages import UNKNOWN, Kept, Lay, Save
from executor.types import MIB, SandboxLimits

logger = logging.getLogger(__name__)

QUIET_S = 0.05
LATEST_S = 1.0
"""A workspace is saved once nothing has ended in it for the one, after the other at the latest."""

_ROUNDS = 4
"""A save that met a bound of time or size is continued so many times."""

_NOT_RESTORED = "The channel's files could not be restored."


class Keeper:
    """Without an archive, nothing is kept and nothing restored."""

    def __init__(self, archive: WorkspaceArchive | None, instance: str, limits: SandboxLimits, clock: Clock) -> None:
        self._archive = archive
        self._instance = instance
        self._limit_bytes = limits.workspace_mb * MIB * 17 // 16  # each piece has a head
        self._clock = clock
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def is_bare(self, sandbox: Sandbox) -> bool:
        """Whether its workspace is still to be restored."""
        return self._archive is not None and not sandbox.client.generations

    async def follows(self, name: str, sandbox: Sandbox) -> bool:
        """Whether its workspace is what the archive has, or came after it."""
        if self._archive is None or not sandbox.client.generations:
            return True
        if UNKNOWN in sandbox.client.generations:
            return False
        try:
            return await self._archive.generation(self._key(name)) in sandbox.client.generations
        except ArchiveUnavailable:
            return True  # nothing can be restored either

    async def restore(self, name: str, sandbox: Sandbox) -> None:
        """SandboxUnavailable, SandboxLost, ArchiveUnavailable: the sandbox must not be used."""
        if self._archive is None:
            return
        async with self._archive.loading(self._key(name)) as stored:
            order = Lay(stored.generation, stored.owners, stored.entries)
            kept = await sandbox.client.lay_out(order, stored.pieces)
        if kept.error:
            raise SandboxUnavailable(_NOT_RESTORED) from RuntimeError(kept.error)
        if stored.entries:
            logger.info("workspace restored", extra={"container_name": name, "entries": kept.entries})
        _tell_of_left("workspace not restored whole", name, kept)

    def soon(self, name: str, sandbox: Sandbox) -> None:
        """Save it in the background, if there is anything to save."""
        if self._archive is not None and sandbox.unsaved and not sandbox.client.lost and name not in self._tasks:
            task = asyncio.create_task(self._in_background(name, sandbox), name=f"save-{name}")
            self._tasks[name] = task
            task.add_done_callback(lambda _: self._tasks.pop(name, None))

    async def save(self, name: str, sandbox: Sandbox, *, last: bool = False) -> None:
        """To the last change if it is the `last` save. SandboxLost, ArchiveUnavailable."""
        archive = self._archive
        if archive is None or not sandbox.client.generations:
            return
        if last:
            sandbox.hurry.set()
        try:
            async with sandbox.saving:
                if sandbox.used if last else sandbox.unsaved:
                    await self._save(archive, name, sandbox, thorough=last)
        except ExecutorError:
            sandbox.hurry.clear()  # it stays
            raise

    async def _save(self, archive: WorkspaceArchive, name: str, sandbox: Sandbox, *, thorough: bool) -> None:
        for _ in range(_ROUNDS):
            changes = sandbox.client.changes
            kept = await self._bring_out(archive, self._key(name), sandbox, thorough=thorough)
            _tell_of_left("workspace not saved whole", name, kept)
            if kept.complete:
                sandbox.saved = changes
                return
        logger.error("workspace not saved to the end", extra={"container_name": name})

    async def forget(self, channel: str) -> None:
        if self._archive is not None:
            await self._archive.forget(naming.channel_key(channel))

    async def close(self) -> None:
        """Begin nothing any more. What was to be saved has been, with `last`."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _in_background(self, name: str, sandbox: Sandbox) -> None:
        try:
            while sandbox.unsaved and not sandbox.client.lost:
                await self._quiet(sandbox)
                if sandbox.unsaved:
                    await self.save(name, sandbox)
        except ExecutorError as error:
            logger.warning(
                "workspace not saved", extra={"container_name": name, "reason": repr(error.__cause__ or error)}
            )

    async def _quiet(self, sandbox: Sandbox) -> None:
        latest = self._clock.now() + LATEST_S
        while not sandbox.hurry.is_set() and not sandbox.client.lost:
            changes = sandbox.client.changes
            await self._clock.wait(sandbox.hurry, QUIET_S)
            if (sandbox.client.changes == changes and not sandbox.client.executions) or self._clock.now() >= latest:
                return

    async def _bring_out(self, archive: WorkspaceArchive, key: str, sandbox: Sandbox, *, thorough: bool) -> Kept:
        base, mark = await archive.generation(key), await archive.mark(key)
        order = Save(base, secrets.token_hex(8), self._limit_bytes, thorough)
        async with archive.saving(key, order.next) as saving:
            kept = await sandbox.client.bring_out(order, mark, saving.add)
            if kept.error:
                raise SandboxLost("The channel's files could not be saved.") from RuntimeError(kept.error)
        return kept

    def _key(self, name: str) -> str:
        return naming.key_of(self._instance, name)


def _tell_of_left(what: str, name: str, kept: Kept) -> None:
    if kept.left:
        logger.warning(what, extra={"container_name": name, "left": kept.left, "entries": kept.entries})
