"""From settings to sandboxes on a Docker engine."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.settings import Settings
from executor.archive import WorkspaceArchive
from executor.containers import Equipment
from executor.docker import DockerEngine
from executor.hardening import SandboxSpec
from executor.images import content_tag
from executor.pool import PoolLimits, Sandboxes
from executor.types import Limits, SandboxLimits


def image_of(settings: Settings) -> str:
    """The image that sandboxes are made of: the one that is set, else the one made of config/images."""
    return settings.docker.image or content_tag()


def equipment_of(settings: Settings) -> Equipment:
    limits = settings.limits
    spec = SandboxSpec(
        image=image_of(settings),
        limits=SandboxLimits(
            slots=limits.slots,
            cpus=limits.cpus,
            workspace_mb=limits.workspace_mb,
            tmp_mb=limits.tmp_mb,
            shm_mb=limits.shm_mb,
            execution=Limits(timeout_s=limits.timeout_s, memory_mb=limits.memory_mb),
        ),
        runtime=settings.docker.runtime or None,
    )
    return Equipment(spec, preload=settings.docker.preload)


@asynccontextmanager
async def open_engine(settings: Settings, *, timeout_s: float = 30.0) -> AsyncIterator[DockerEngine]:
    engine = DockerEngine(settings.docker.host, timeout_s=timeout_s)
    try:
        yield engine
    finally:
        await engine.close()


def sandboxes_on(
    engine: DockerEngine,
    settings: Settings,
    instance: str,
    *,
    keep: bool = False,
    archive: WorkspaceArchive | None = None,
) -> Sandboxes:
    """The sandboxes of one instance, to be entered; with `keep` they outlive this process, for its successor. Without
    an archive workspaces go with their sandboxes.
    """
    limits = settings.limits
    pool = PoolLimits(most=limits.sandboxes, sleep_after_s=limits.sleep_after_s, reserve=limits.reserve)
    return Sandboxes(engine, instance, equipment_of(settings), pool, keep=keep, archive=archive)
