"""The pool on a real engine: what its containers are, and that nothing is left or lost whoever dies."""

import asyncio
import json
import random
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from executor import naming
from executor.containers import Equipment, Sandbox
from executor.docker import DockerEngine
from executor.errors import EngineUnavailable, ImageMissing, SandboxLost
from executor.hardening import SandboxSpec
from executor.places import PoolLimits
from executor.pool import Sandboxes
from executor.types import MIB, Code, Execution, ExecutionResult, LimitHit, Limits, Outcome, OutputChunk, SandboxLimits
from tests.conftest import Engine

pytestmark = pytest.mark.docker

ROOT = Path(__file__).resolve().parent.parent.parent
INSTANCE = "pool-test"
LIMITS = SandboxLimits(execution=Limits(memory_mb=256))


def ignore(chunk: OutputChunk) -> None:
    pass


async def run(
    sandbox: Sandbox, text: str, *, name: str = "e1", language: str = "python", limits: Limits | None = None
) -> ExecutionResult:
    return await sandbox.execute(Execution(name, name, (Code(language, text),), limits or Limits()), ignore)


async def said(sandbox: Sandbox, text: str) -> str:
    result = await run(sandbox, text)
    assert result.outcome is Outcome.COMPLETED, result
    return result.blocks[0].output.text


@asynccontextmanager
async def pool(
    engine: Engine, instance: str = INSTANCE, *, keep: bool = False, limits: PoolLimits | None = None
) -> AsyncIterator[Sandboxes]:
    docker_engine = DockerEngine(engine.address)
    try:
        equipment = Equipment(SandboxSpec(engine.image, LIMITS))
        async with Sandboxes(docker_engine, instance, equipment, limits, keep=keep) as sandboxes:
            yield sandboxes
    finally:
        await docker_engine.close()


def containers(engine: Engine, instance: str = INSTANCE) -> dict[str, str]:
    """Name by id."""
    ours = f"{naming.LABEL_INSTANCE}={instance}"
    rows = engine.client.api.containers(all=True, filters={"label": ours})
    return {row["Id"]: row["Names"][0] for row in rows}


def volumes(engine: Engine, instance: str = INSTANCE) -> list[str]:
    found = engine.client.api.volumes(filters={"label": f"{naming.LABEL_INSTANCE}={instance}"})
    return [row["Name"] for row in found["Volumes"] or ()]


@pytest.fixture(autouse=True)
def swept(engine: Engine) -> Iterator[None]:
    yield
    left = [*containers(engine), *volumes(engine)]
    for container in containers(engine):
        engine.client.api.remove_container(container, force=True)
    for volume in volumes(engine):
        engine.client.api.remove_volume(volume)
    assert left == []


async def test_hardening_as_the_engine_sees_it(engine: Engine) -> None:
    async with pool(engine) as sandboxes, sandboxes.lease("c1") as sandbox:
        facts = engine.client.api.inspect_container(sandbox.container)
        host = facts["HostConfig"]
        assert host["CapDrop"] == ["ALL"]
        assert sorted(host["CapAdd"]) == ["KILL", "SETGID", "SETUID"]
        assert host["SecurityOpt"] == ["no-new-privileges"]
        assert host["Memory"] == host["MemorySwap"] == (4 * 256 + 256 + 128) * MIB
        assert host["PidsLimit"] == 288
        assert host["ReadonlyRootfs"]
        assert not host["Privileged"]
        assert host["NetworkMode"] == "none"
        assert host["LogConfig"]["Type"] == "none"
        assert not host["Binds"]
        assert host["PidMode"] == host["UsernsMode"] == host["UTSMode"] == ""
        assert [(mount["Type"], mount["Destination"]) for mount in facts["Mounts"]] == [("volume", "/workspace")]
        assert "/proc/kcore" in host["MaskedPaths"]
        assert facts["Config"]["Hostname"] == "sandbox"


INSIDE = """
import json, os, pathlib, socket
status = dict(line.split(":\\t", 1) for line in pathlib.Path("/proc/self/status").read_text().splitlines())
mounts = [line.split() for line in pathlib.Path("/proc/self/mounts").read_text().splitlines()]
def attempt(work):
    try:
        work()
    except OSError as error:
        return type(error).__name__
    return "allowed"
print(json.dumps({
    "uid": os.getuid(), "gid": os.getgid(), "groups": os.getgroups(),
    "status": {name: status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "NoNewPrivs", "Seccomp")},
    "links": os.listdir("/sys/class/net"),
    "root": next(mount[3].split(",")[0] for mount in mounts if mount[1] == "/"),
    "tmpfs": {mount[1]: mount[3] for mount in mounts if mount[1] in ("/tmp", "/workspace", "/dev/shm")},
    "etc": attempt(lambda: open("/etc/evil", "w")),
    "passwd": attempt(lambda: open("/etc/passwd", "a")),
    "usr": attempt(lambda: open("/usr/bin/evil", "w")),
    "connect": attempt(lambda: socket.create_connection(("1.1.1.1", 53), 2)),
    "setuid": attempt(lambda: os.setuid(0)),
    "signal": attempt(lambda: os.kill(1, 0)),
    "hostname": socket.gethostname(),
    "cwd": os.getcwd(),
}))
"""


async def test_hardening_as_a_program_meets_it(engine: Engine) -> None:
    async with pool(engine) as sandboxes, sandboxes.lease("c1") as sandbox:
        seen = json.loads(await said(sandbox, INSIDE))
    base = sandbox.identity.uid_base
    assert base <= seen["uid"] < base + 255
    assert seen["gid"] == seen["uid"] + 1
    assert set(seen["groups"]) <= {base, seen["gid"]}
    assert {name: int(value, 16) for name, value in seen["status"].items() if name.startswith("Cap")} == {
        "CapInh": 0,
        "CapPrm": 0,
        "CapEff": 0,
        "CapBnd": 0xE0,
    }
    assert seen["status"]["NoNewPrivs"] == "1"
    assert seen["status"]["Seccomp"] == "2"
    assert seen["links"] == ["lo"]
    assert seen["root"] == "ro"
    assert set(seen["tmpfs"]) == {"/tmp", "/workspace", "/dev/shm"}
    for options in seen["tmpfs"].values():
        assert {"nosuid", "nodev"} <= set(options.split(","))
        assert "size=" in options
    assert "noexec" not in seen["tmpfs"]["/workspace"]
    denied = {name: seen[name] for name in ("etc", "passwd", "usr", "connect", "setuid", "signal")}
    assert "allowed" not in denied.values(), denied
    assert seen["hostname"] == "sandbox"
    assert seen["cwd"] == "/workspace"


async def test_containers_have_uids_of_their_own(engine: Engine) -> None:
    async with pool(engine) as sandboxes, pool(engine, "pool-test-2") as others:
        async with sandboxes.lease("c1") as one, sandboxes.lease("c2") as two, others.lease("c1") as three:
            uids = {(await said(sandbox, "import os; print(os.getuid())")).strip() for sandbox in (one, two, three)}
        assert len(uids) == 3


async def owner(engine: Engine, *channels: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.integration.owner",
        engine.address,
        engine.image,
        INSTANCE,
        *channels,
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )


async def killed(process: asyncio.subprocess.Process) -> None:
    process.kill()
    await process.communicate()


async def facts(process: asyncio.subprocess.Process, count: int) -> list[dict[str, str]]:
    assert process.stdout is not None
    async with asyncio.timeout(30):
        return [json.loads(await process.stdout.readline()) for _ in range(count)]


async def test_a_successor_takes_over_what_a_killed_owner_left(engine: Engine) -> None:
    process = await owner(engine, "c1", "c2")
    said_by_owner = await facts(process, 3)
    await killed(process)
    before = containers(engine)
    # owner.py uses default limits, so this pool has to, too
    docker_engine = DockerEngine(engine.address)
    began = time.perf_counter()
    async with Sandboxes(docker_engine, INSTANCE, Equipment(SandboxSpec(engine.image))) as sandboxes:
        assert time.perf_counter() - began < 1
        for fact in said_by_owner[:2]:
            async with sandboxes.lease(fact["channel"]) as sandbox:
                assert sandbox.container == fact["container"]
                assert await said(sandbox, "print(open('kept.txt').read())") == "kept\n"
        assert containers(engine) == before
        async with sandboxes.lease("c1") as sandbox:
            (top,) = [engine.client.api.top(sandbox.container)]
            assert not any("sleep" in " ".join(row) for row in top["Processes"])
            assert (await run(sandbox, "print(1)", name="ana")).outcome is Outcome.COMPLETED
    await docker_engine.close()
    assert volumes(engine) == []


async def test_twenty_kills_leave_no_more_than_the_channels_in_use(engine: Engine) -> None:
    chance = random.Random(7)  # noqa: S311 - moments to kill at, not secrets
    for _ in range(20):
        process = await owner(engine, "c1", "c2", "c3")
        with suppress(TimeoutError):
            async with asyncio.timeout(0.4 + chance.random() * 1.6):
                await process.wait()
        await killed(process)
        assert len(containers(engine)) <= 3
    async with pool(engine) as sandboxes, sandboxes.lease("c1") as sandbox:
        assert await said(sandbox, "print('hi')") == "hi\n"
        assert len(containers(engine)) == 1  # of other limits, so none was taken over
        assert len(volumes(engine)) == 1


async def test_containers_of_others_are_left_alone(engine: Engine) -> None:
    foreign = engine.client.containers.create(engine.image, ["sleep", "60"], labels={"app": "db"}, network_mode="none")
    try:
        foreign.start()
        async with pool(engine, "pool-test-2") as others, others.lease("c1") as theirs:
            async with pool(engine) as sandboxes, sandboxes.lease("c1") as sandbox:
                await said(sandbox, "print('hi')")
            assert await said(theirs, "print('still here')") == "still here\n"
        foreign.reload()
        assert foreign.status == "running"
    finally:
        foreign.remove(force=True)
    assert not containers(engine, "pool-test-2")


async def test_a_container_that_is_killed_under_a_run(engine: Engine) -> None:
    async with pool(engine) as sandboxes:
        async with sandboxes.lease("c1") as sandbox:
            task = asyncio.create_task(run(sandbox, "import time; time.sleep(60)", limits=Limits(timeout_s=90)))
            await until(lambda: sandboxes.list()[0].executions)
            engine.client.api.kill(sandbox.container)
            with pytest.raises(SandboxLost):
                await task
        async with sandboxes.lease("c1") as successor:
            assert successor.container != sandbox.container
            assert await said(successor, "print('hi')") == "hi\n"
        assert len(containers(engine)) == 1


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(5):
        while not condition():  # noqa: ASYNC110 - of another process, which sets no event
            await asyncio.sleep(0.005)


async def test_a_supervisor_that_is_ended_or_frozen_is_replaced(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("executor.containers.PING_S", 0.5)
    async with pool(engine) as sandboxes:
        async with sandboxes.lease("c1") as first:
            await said(first, "print('hi')")
        engine.client.api.pause(first.container)
        async with sandboxes.lease("c1") as second:
            assert second.container != first.container
            await said(second, "print('hi')")
        engine.client.api.remove_container(second.container, force=True)
        async with sandboxes.lease("c1") as third:
            assert await said(third, "print('hi')") == "hi\n"
        assert len(containers(engine)) == 1


async def test_sleep_frees_the_container_and_waking_makes_another(engine: Engine) -> None:
    async with pool(engine, limits=PoolLimits(sleep_after_s=0.2)) as sandboxes:
        async with sandboxes.lease("c1") as first:
            await said(first, "print('hi')")
        await until(lambda: not containers(engine))
        async with sandboxes.lease("c1") as second:
            assert second.container != first.container


async def test_the_reserve_answers_at_once(engine: Engine) -> None:
    async with pool(engine, limits=PoolLimits(reserve=1)) as sandboxes:
        await until(lambda: [status.state for status in sandboxes.list()] == ["reserve"])
        (waiting,) = containers(engine)
        began = time.perf_counter()
        async with sandboxes.lease("c1") as sandbox:
            assert await said(sandbox, "print('hi')") == "hi\n"
        assert time.perf_counter() - began < 0.25  # 30 ms on a machine with nothing else to do
        assert sandbox.container == waiting
        assert containers(engine)[waiting] == f"/{naming.container_name(INSTANCE, 'c1')}"


async def test_a_missing_image_is_said_to_be_missing(engine: Engine) -> None:
    docker_engine = DockerEngine(engine.address)
    async with Sandboxes(docker_engine, INSTANCE, Equipment(SandboxSpec("fencepost-sandbox:none"))) as sandboxes:
        with pytest.raises(ImageMissing, match="fencepost-sandbox:none"):
            async with sandboxes.lease("c1"):
                pass
    await docker_engine.close()


async def test_four_requesters_at_once(engine: Engine) -> None:
    async with pool(engine) as sandboxes, sandboxes.lease("c1") as sandbox:
        began = time.perf_counter()
        results = await asyncio.gather(
            *(run(sandbox, "import time; time.sleep(0.5); print('hi')", name=f"e{n}") for n in range(4))
        )
        assert time.perf_counter() - began < 1.5
    assert [result.outcome for result in results] == [Outcome.COMPLETED] * 4


async def test_memory_beyond_the_channels_limit_is_there_once_it_was_allowed(engine: Engine) -> None:
    """1.5 GB in a container that is made for 4 × 256 MB, by an execution that may have them; then less again."""
    take = "data = bytearray({mb} * 2**20); print(len(data) >> 20)"
    async with pool(engine) as sandboxes, sandboxes.lease("c1") as sandbox:
        allowed = Limits(memory_mb=1600, timeout_s=30)
        (block,) = (await run(sandbox, take.format(mb=1500), limits=allowed)).blocks
        assert (block.outcome, block.output.text) == (Outcome.COMPLETED, "1500\n")
        assert engine.client.api.inspect_container(sandbox.container)["HostConfig"]["Memory"] == (1408 + 1344) * MIB
        (block,) = (await run(sandbox, take.format(mb=1500), limits=Limits(memory_mb=256, timeout_s=30))).blocks
        assert (block.outcome, block.limit) == (Outcome.OUT_OF_MEMORY, LimitHit("memory_mb", 256))
        (block,) = (await run(sandbox, take.format(mb=1800), limits=allowed)).blocks
        assert (block.outcome, block.limit) == (Outcome.OUT_OF_MEMORY, LimitHit("memory_mb", 1600))
        assert await said(sandbox, "print('hi')") == "hi\n"


def resident(name: str) -> int:
    """VmRSS or VmHWM of this process, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


@pytest.mark.parametrize("kept", [10 * MIB, 2000 * MIB], ids=["ended at the cap", "all of it spooled"])
async def test_a_flood_does_not_move_the_host(engine: Engine, kept: int) -> None:
    flood = "import os\nfor _ in range(1000):\n    os.write(1, b'x' * 999_999 + b'\\n')"
    async with pool(engine) as sandboxes, sandboxes.lease("c1") as sandbox:
        await said(sandbox, "print('warm')")
        Path("/proc/self/clear_refs").write_text("5")
        before = resident("VmRSS")
        limits = Limits(timeout_s=60, file_output_bytes=kept)
        began = time.perf_counter()
        result = await run(sandbox, flood, limits=limits)
        seconds = time.perf_counter() - began
        growth = resident("VmHWM") - before
    (block,) = result.blocks
    assert block.output.spool is not None
    size = block.output.spool.stat().st_size
    block.output.spool.unlink()
    assert growth < 10 * MIB, f"{size / MIB:.0f} MiB in {seconds:.2f} s, the host grew by {growth / MIB:.1f} MiB"
    if kept > 1000 * MIB:
        assert block.outcome is Outcome.COMPLETED
        assert size == block.output.total_bytes == 1_000_000_000
    else:
        assert block.outcome is Outcome.OUTPUT_EXCEEDED
        assert size == kept


async def test_an_engine_that_does_not_answer(engine: Engine, tmp_path: Path) -> None:
    nowhere = DockerEngine(f"unix://{tmp_path / 'no.sock'}")
    async with Sandboxes(nowhere, INSTANCE, Equipment(SandboxSpec(engine.image))) as sandboxes:
        with pytest.raises(EngineUnavailable, match="Docker does not answer"):
            async with sandboxes.lease("c1"):
                pass
    await nowhere.close()
