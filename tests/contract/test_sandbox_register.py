"""What whoever looks at sandboxes is told, on the shipped twin and on Docker."""

from collections.abc import AsyncIterator

import pytest

from bot.ports import SandboxRegister
from executor.containers import Equipment
from executor.docker import DockerEngine
from executor.fake import ScriptedSandboxes
from executor.hardening import SandboxSpec
from executor.pool import Sandboxes
from executor.types import MIB, Limits, SandboxLimits
from tests.conftest import Engine

LIMITS = SandboxLimits(slots=1, execution=Limits(memory_mb=64))


@pytest.fixture(params=["scripted", pytest.param("docker", marks=pytest.mark.docker)])
async def sandboxes(request: pytest.FixtureRequest) -> AsyncIterator[Sandboxes]:
    if request.param == "scripted":
        async with ScriptedSandboxes(limits=LIMITS) as scripted:
            yield scripted
    else:
        found: Engine = request.getfixturevalue("engine")
        engine = DockerEngine(found.address)
        async with Sandboxes(engine, "register", Equipment(SandboxSpec(found.image, LIMITS))) as real:
            yield real
        await engine.close()


async def test_a_sandbox_is_listed_with_the_memory_it_uses(sandboxes: Sandboxes) -> None:
    register: SandboxRegister = sandboxes
    assert list(register.list()) == []
    async with sandboxes.lease("c1"):
        (status,) = register.list()
        assert (status.channel, status.state) == ("c1", "leased")
        assert status.container is not None
        in_use = await register.memory(status.container)
        assert in_use is not None
        assert 5 * MIB < in_use < 200 * MIB


async def test_nothing_is_known_of_a_container_that_is_gone(sandboxes: Sandboxes) -> None:
    async with sandboxes.lease("c1"):
        (status,) = sandboxes.list()
    await sandboxes.close(keep=False)
    assert status.container is not None
    assert await sandboxes.memory(status.container) is None
