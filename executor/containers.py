"""The containers of one instance: made, taken over, swept and removed.

Everything that is needed to do so stands on the engine, in names and labels, and nothing in a file of ours. A process
that is killed at any point therefore leaves behind only what `settle` of the next one recognises: running containers of
the same spec are taken over with their workspace, all others of the instance and their volumes are removed. Containers
of other instances and of other owners are never touched.
"""

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass, field

from executor import naming
from executor.client import GUARD_S, SupervisorClient
from executor.engine import Container, Engine, NameTaken, Wire
from executor.errors import ExecutorError, SandboxUnavailable
from executor.frames import TOKEN_BYTES
from executor.hardening import CreateOptions, Identity, SandboxSpec, create_options, spec_digest
from executor.languages import DEFAULT_LANGUAGES, Languages
from executor.link import open_link
from executor.room import Room
from executor.supervisor import bundle
from executor.supervisor.config import Config
from executor.types import Execution, ExecutionResult, OnOutput
from executor.uids import free_base

logger = logging.getLogger(__name__)

_AT_ONCE = 4
"""Containers started at the same moment: more only slow one another down."""

START_S = 30.0
ADOPT_S = (0.5, 5.0)
PING_S = 5.0


@dataclass(frozen=True, slots=True)
class Equipment:
    """What the sandboxes of a pool are made of, beside their hardening."""

    spec: SandboxSpec
    languages: Languages = field(default_factory=lambda: DEFAULT_LANGUAGES)
    preload: tuple[str, ...] = ()
    spares: int = 1

    def config(self, token: str, uid_base: int) -> Config:
        limits = self.spec.limits
        return Config(
            token=token,
            uid_base=uid_base,
            slots=limits.slots,
            open_files=limits.open_files,
            languages=tuple((name, row.command[0]) for name, row in sorted(self.languages.items())),
            preload=self.preload,
            spares=self.spares,
        )

    def digest(self, image_id: str) -> str:
        neutral = repr(self.config("", 1))
        return spec_digest(self.spec, bundle.COMMAND, image_id, bundle.digest(), neutral)


@dataclass
class Sandbox:
    """A channel's container and the client of its supervisor.

    `saved` counts those of the client's changes that the archive has; of one that was taken over nobody knows (-1).
    """

    container: str
    identity: Identity
    created_at: float
    client: SupervisorClient
    room: Room
    saved: int = 0
    saving: asyncio.Lock = field(default_factory=asyncio.Lock)
    hurry: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def used(self) -> bool:
        """Whether anything has been in it that could have changed its workspace."""
        return self.saved < 0 or self.client.changes > 0

    @property
    def unsaved(self) -> bool:
        return self.client.changes != self.saved

    async def execute(self, execution: Execution, on_output: OnOutput) -> ExecutionResult:
        """See `SupervisorClient.execute`; InvalidExecution, too, where the engine does not give it the memory."""
        async with self.room.of(execution):
            return await self.client.execute(execution, on_output)

    async def answers(self) -> bool:
        return not self.client.suspect and await self.client.ping(PING_S)


class Containers:
    """See the head of this module. Methods raise what the engine raises."""

    def __init__(self, engine: Engine, instance: str, equipment: Equipment) -> None:
        self._engine = engine
        self._instance = naming.checked_instance(instance)
        self._equipment = equipment
        self._bases: set[int] = set()
        self._starting = asyncio.Semaphore(_AT_ONCE)

    async def make(self, name: str) -> Sandbox:
        """A new one of that name; one that has the name already is removed first."""
        digest = self._equipment.digest(await self._engine.image_id(self._equipment.spec.image))
        async with self._starting, self._base() as base:
            identity = Identity(self._instance, secrets.token_hex(TOKEN_BYTES), base)
            options = create_options(self._equipment.spec, identity, digest, bundle.COMMAND)
            container = await self._create(name, options)
            try:
                return await self._start(container, identity)
            except BaseException:
                with contextlib.suppress(ExecutorError):
                    await self._remove(container, identity.volume)
                raise

    async def settle(self, skip: Collection[str]) -> dict[str, Sandbox]:
        """Take over or remove each container of the instance whose name is not in `skip`; those taken over, by name.

        Volumes that no container uses any more are removed.
        """
        digest = self._equipment.digest(await self._engine.image_id(self._equipment.spec.image))
        ours = f"{naming.LABEL_INSTANCE}={self._instance}"
        found = [container for container in await self._engine.containers(ours) if container.name not in skip]
        results = await asyncio.gather(*(self._settle(row, digest) for row in found), return_exceptions=True)
        adopted = {row.name: got for row, got in zip(found, results, strict=True) if isinstance(got, Sandbox)}
        failed = next((got for got in results if isinstance(got, BaseException)), None)
        if failed is not None:
            for sandbox in adopted.values():
                await sandbox.client.close()
            raise failed
        for volume in await self._engine.volumes(ours):
            await self._engine.remove_volume(volume)
        return adopted

    async def rename(self, sandbox: Sandbox, name: str) -> None:
        """Give it another name; one of ours that has the name already is removed first."""
        try:
            await self._engine.rename(sandbox.container, name)
        except NameTaken:
            await self._remove_named(name)
            await self._engine.rename(sandbox.container, name)

    async def memory(self, container: str) -> int | None:
        return await self._engine.memory(container)

    async def remove(self, sandbox: Sandbox) -> None:
        """End it with everything in it, its workspace too."""
        await sandbox.client.close()
        await self._remove(sandbox.container, sandbox.identity.volume)

    async def _settle(self, row: Container, digest: str) -> Sandbox | None:
        identity = _identity(row)
        if identity is not None and row.labels.get(naming.LABEL_SPEC) == digest:
            client = await self._take_over(row, identity)
            if client is not None:
                logger.info("sandbox taken over", extra={"container": row.id, "container_name": row.name})
                return Sandbox(row.id, identity, row.created_at, client, self._room(row.id), saved=-1)
        logger.info("sandbox swept", extra={"container": row.id, "container_name": row.name, "state": row.state})
        await self._remove(row.id, row.labels.get(naming.LABEL_VOLUME, ""))
        return None

    async def _take_over(self, row: Container, identity: Identity) -> SupervisorClient | None:
        """An engine may take a moment to notice that a container has died, so a short try comes first."""
        current: Container | None = row
        for timeout_s in ADOPT_S:
            if current is None or not current.running:
                return None
            with contextlib.suppress(SandboxUnavailable):
                return await self._client(row.id, identity, timeout_s)
            current = await self._engine.inspect(row.id)
        return None

    async def _create(self, name: str, options: CreateOptions) -> str:
        try:
            return await self._engine.create(name, options)
        except NameTaken:
            await self._remove_named(name)
            return await self._engine.create(name, options)

    async def _remove_named(self, name: str) -> None:
        """If it is ours: a container of others that happens to have the name stays."""
        for row in await self._engine.containers(f"{naming.LABEL_INSTANCE}={self._instance}"):
            if row.name == name:
                await self._remove(row.id, row.labels.get(naming.LABEL_VOLUME, ""))

    async def _start(self, container: str, identity: Identity) -> Sandbox:
        config = self._equipment.config(identity.token, identity.uid_base)
        wire = await self._engine.attach(container)
        try:
            await self._engine.start(container)
        except BaseException:
            await wire.close()
            raise
        client = await self._client(container, identity, START_S, wire, bundle.build(config))
        logger.info("sandbox started", extra={"container": container})
        return Sandbox(container, identity, time.time(), client, self._room(container))

    async def _client(
        self, container: str, identity: Identity, timeout_s: float, wire: Wire | None = None, hello: bytes = b""
    ) -> SupervisorClient:
        wire = wire or await self._engine.attach(container)
        link = await open_link(wire, bytes.fromhex(identity.token), timeout_s, hello)
        return SupervisorClient(link, self._equipment.languages, self._equipment.spec.limits.slots, GUARD_S)

    def _room(self, container: str) -> Room:
        return Room(self._engine, container, self._equipment.spec.limits)

    async def _remove(self, container: str, volume: str) -> None:
        await self._engine.remove(container)
        if volume:
            await self._engine.remove_volume(volume)

    @contextlib.asynccontextmanager
    async def _base(self) -> AsyncIterator[int]:
        """A uid base that is ours alone, from the choice until the engine knows of it."""
        rows = await self._engine.containers(naming.LABEL_UID_BASE)
        taken = {int(text) for row in rows if (text := row.labels[naming.LABEL_UID_BASE]).isdecimal()}
        base = free_base(taken | self._bases)
        self._bases.add(base)
        try:
            yield base
        finally:
            self._bases.discard(base)


def _identity(row: Container) -> Identity | None:
    """Of a container that one of us has made; None where its labels are not such as we write."""
    labels = row.labels
    try:
        token = bytes.fromhex(labels[naming.LABEL_TOKEN])
        identity = Identity(labels[naming.LABEL_INSTANCE], token.hex(), int(labels[naming.LABEL_UID_BASE]))
    except (KeyError, ValueError):
        return None
    return identity if len(token) == TOKEN_BYTES else None
