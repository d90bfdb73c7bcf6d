"""A channel's workspace outlives its sandbox: checked on the shipped twin and on Docker, with each archive."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from executor.archive import MemoryArchive, WorkspaceArchive
from executor.containers import Equipment, Sandbox
from executor.docker import DockerEngine
from executor.engine import Engine as EnginePort
from executor.errors import SandboxBusy
from executor.fake import FakeEngine, Read, Remove, Step, Write, scripted
from executor.hardening import SandboxSpec
from executor.journal import FolderArchive
from executor.places import PoolLimits
from executor.pool import Sandboxes
from executor.types import Code, Execution, ExecutionResult, Limits, Outcome, OutputChunk, SandboxLimits
from tests.conftest import Engine

LIMITS = SandboxLimits(slots=2, execution=Limits(memory_mb=128))
INSTANCE = "workspace-contract"

WRITE = "open('a.txt', 'w').write('one')"
AGAIN = "open('a.txt', 'w').write('two, longer')"
OTHER = "open('b.txt', 'w').write('other')"
READ = "print(open('a.txt').read(), end='')"
READ_OTHER = "print(open('b.txt').read(), end='')"
REMOVE = "import os; os.remove('a.txt')"

PROGRAMS: dict[str, tuple[Step, ...]] = {
    WRITE: (Write("a.txt", b"one"),),
    AGAIN: (Write("a.txt", b"two, longer"),),
    OTHER: (Write("b.txt", b"other"),),
    READ: (Read("a.txt"),),
    READ_OTHER: (Read("b.txt"),),
    REMOVE: (Remove("a.txt"),),
}


class World:
    """An engine, an archive, and pools on them that come and go as bots do."""

    def __init__(self, engine: EnginePort, image: str, archive: WorkspaceArchive) -> None:
        self.engine = engine
        self.image = image
        self.archive = archive

    @asynccontextmanager
    async def pool(
        self, *, keep: bool = False, limits: PoolLimits | None = None, archive: WorkspaceArchive | None = None
    ) -> AsyncIterator[Sandboxes]:
        equipment = Equipment(SandboxSpec(self.image, LIMITS))
        kept = self.archive if archive is None else archive
        async with Sandboxes(self.engine, INSTANCE, equipment, limits, keep=keep, archive=kept) as sandboxes:
            yield sandboxes

    async def containers(self) -> list[str]:
        return [row.id for row in await self.engine.containers(f"fencepost.instance={INSTANCE}")]


@pytest.fixture(params=["memory", "folder"])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> WorkspaceArchive:
    return MemoryArchive() if request.param == "memory" else FolderArchive(tmp_path / "workspaces")


@pytest.fixture(params=["scripted", pytest.param("docker", marks=pytest.mark.docker)])
async def world(request: pytest.FixtureRequest, archive: WorkspaceArchive) -> AsyncIterator[World]:
    if request.param == "scripted":
        yield World(FakeEngine(scripted(PROGRAMS)), "image", archive)
        return
    found: Engine = request.getfixturevalue("engine")
    engine = DockerEngine(found.address)
    made = World(engine, found.image, archive)
    try:
        yield made
    finally:
        for container in await made.containers():
            await engine.remove(container)
        for volume in await engine.volumes(f"fencepost.instance={INSTANCE}"):
            await engine.remove_volume(volume)
        await engine.close()


def ignore(chunk: OutputChunk) -> None:
    pass


async def execute(sandbox: Sandbox, text: str, requester: str = "ana") -> ExecutionResult:
    return await sandbox.execute(Execution(f"{requester}.x", requester, (Code("python", text),)), ignore)


async def run(sandboxes: Sandboxes, text: str, channel: str = "c1", requester: str = "ana") -> str:
    async with sandboxes.lease(channel) as sandbox:
        result = await execute(sandbox, text, requester)
    assert result.outcome is Outcome.COMPLETED, result
    return result.blocks[0].output.stdout


async def fails(sandboxes: Sandboxes, text: str, channel: str = "c1") -> bool:
    async with sandboxes.lease(channel) as sandbox:
        return (await execute(sandbox, text)).outcome is Outcome.FAILED


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(10):
        while not await condition():  # noqa: ASYNC110 - of an engine, which sets no event
            await asyncio.sleep(0.01)


async def asleep(world: World) -> None:
    async def gone() -> bool:
        return not await world.containers()

    await until(gone)


async def saved(sandboxes: Sandboxes, channel: str = "c1") -> None:
    async with sandboxes.lease(channel) as sandbox:
        pass

    async def is_saved() -> bool:
        return not sandbox.unsaved

    await until(is_saved)


async def test_a_workspace_survives_sleep(world: World) -> None:
    async with world.pool(limits=PoolLimits(sleep_after_s=0.1)) as sandboxes:
        await run(sandboxes, WRITE)
        await asleep(world)
        assert await run(sandboxes, READ) == "one"
        await run(sandboxes, AGAIN)
        await asleep(world)
        assert await run(sandboxes, READ) == "two, longer"
        await run(sandboxes, OTHER)
        await run(sandboxes, REMOVE)
        await asleep(world)
        assert await fails(sandboxes, READ)
        assert await run(sandboxes, READ_OTHER) == "other"


async def test_a_workspace_survives_its_bot(world: World) -> None:
    async with world.pool() as sandboxes:
        await run(sandboxes, WRITE)
        await run(sandboxes, OTHER, "c2")
    assert await world.containers() == []
    async with world.pool(limits=PoolLimits(reserve=1)) as sandboxes:
        assert await run(sandboxes, READ) == "one"
        assert await fails(sandboxes, READ, "c2")
        assert await run(sandboxes, READ_OTHER, "c2") == "other"
        assert await fails(sandboxes, READ, "c3")


async def test_a_sandbox_that_dies_after_a_save_loses_nothing(world: World) -> None:
    async with world.pool() as sandboxes:
        await run(sandboxes, WRITE)
        await saved(sandboxes)
        for container in await world.containers():
            await world.engine.remove(container)
        assert await run(sandboxes, READ) == "one"


async def test_a_sandbox_that_outlived_its_bot_is_newer_than_the_archive(world: World) -> None:
    async with world.pool(keep=True) as sandboxes:
        await run(sandboxes, WRITE)
        await saved(sandboxes)
        before = await world.containers()
        async with sandboxes.lease("c1") as sandbox:
            await execute(sandbox, AGAIN)
            sandbox.saved = sandbox.client.changes  # as if it had died before it could save that
    async with world.pool() as sandboxes:
        assert await world.containers() == before
        await saved(sandboxes)
        for container in before:
            await world.engine.remove(container)
        assert await run(sandboxes, READ) == "two, longer"


async def test_a_sandbox_of_another_archive_is_not_believed(world: World) -> None:
    async with world.pool(keep=True, archive=MemoryArchive()) as sandboxes:
        for text in (WRITE, OTHER):
            await run(sandboxes, text)
            await saved(sandboxes)
    async with world.pool() as sandboxes:
        assert await fails(sandboxes, READ)


async def test_a_sandbox_that_was_left_behind_gives_way_to_the_archive(world: World) -> None:
    """The bot was on another engine meanwhile."""
    async with world.pool(keep=True) as sandboxes:
        await run(sandboxes, WRITE)
        await saved(sandboxes)
    left = await world.containers()
    elsewhere = FakeEngine(scripted(PROGRAMS))
    equipment = Equipment(SandboxSpec("image", LIMITS))
    async with Sandboxes(elsewhere, INSTANCE, equipment, archive=world.archive) as sandboxes:
        assert await run(sandboxes, READ) == "one"
        await run(sandboxes, AGAIN)
    async with world.pool() as sandboxes:
        assert await run(sandboxes, READ) == "two, longer"
        assert not set(left) & set(await world.containers())


async def test_executions_at_once_and_saves_between_them(world: World) -> None:
    async with world.pool(limits=PoolLimits(sleep_after_s=0.3)) as sandboxes:

        async def member(name: str, text: str) -> None:
            for _ in range(10):
                await run(sandboxes, text, requester=name)

        await asyncio.gather(member("ana", AGAIN), member("bo", OTHER))
        await asleep(world)
        assert await run(sandboxes, READ) == "two, longer"
        assert await run(sandboxes, READ_OTHER) == "other"


async def test_forgetting_a_channel(world: World) -> None:
    async with world.pool() as sandboxes:
        await run(sandboxes, WRITE)
        await run(sandboxes, WRITE, "c2")
        async with sandboxes.lease("c1"):
            with pytest.raises(SandboxBusy):
                await sandboxes.forget("c1")
        await sandboxes.forget("c1")
        await sandboxes.forget("never seen")
        assert len(await world.containers()) == 1
        assert await fails(sandboxes, READ)
        assert await run(sandboxes, READ, "c2") == "one"
