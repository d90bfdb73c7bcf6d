"""What a sandbox costs besides its warm runs: its first answer, its first byte, its memory while idle, a cancel.

Of ours only, except for what a peer's start and its idle container can be compared with.
"""

import asyncio
import tempfile
import time
import uuid
from collections.abc import Sequence
from pathlib import Path

import docker

from bench.contenders import CHANNEL, AutoGen, Contender, DockerExec, Ours, timed_ms
from bench.figures import Row
from executor.containers import Equipment
from executor.docker import DockerEngine
from executor.hardening import SandboxSpec
from executor.journal import FolderArchive
from executor.places import PoolLimits
from executor.pool import Sandboxes
from executor.types import Code, Execution, Outcome

HELLO = "print('hi')"
READ = "print(len(open('kept').read()))"
WRITE = "open('kept', 'w').write('x' * 10_000)"
SLEEP_AFTER_S = 0.2


async def first_answers(address: str, image: str, rounds: int, peers: Sequence[Sequence[float] | None]) -> list[Row]:
    """`peers` are the other columns' start and first run."""
    nothing = tuple(None for _ in peers)
    return [
        Row("first answer, new sandbox", "ms", (await _first(address, image, rounds, sleeps=False), *peers)),
        Row("first answer after sleep", "ms", (await _first(address, image, rounds, sleeps=True), *nothing)),
        Row("the same, with a reserve", "ms", (await _first(address, image, rounds, sleeps=True, reserve=1), *nothing)),
    ]


async def _first(address: str, image: str, rounds: int, *, sleeps: bool, reserve: int = 0) -> list[float]:
    engine = DockerEngine(address)
    limits = PoolLimits(sleep_after_s=SLEEP_AFTER_S, reserve=reserve)
    samples = []
    with tempfile.TemporaryDirectory() as folder:
        archive = FolderArchive(Path(folder))
        instance = f"bench-{uuid.uuid4().hex[:8]}"
        equipment = Equipment(SandboxSpec(image=image))
        async with Sandboxes(engine, instance, equipment, limits, archive=archive) as sandboxes:
            await _run(sandboxes, "asleep", WRITE)
            for number in range(rounds):
                await _settled(sandboxes, reserve)
                channel = "asleep" if sleeps else f"new {number}"
                samples.append(await timed_ms(_run(sandboxes, channel, READ if sleeps else HELLO)))
    await engine.close()
    return samples


async def _run(sandboxes: Sandboxes, channel: str, code: str) -> None:
    async with sandboxes.lease(channel) as sandbox:
        execution = Execution(uuid.uuid4().hex, "one", (Code("python", code),))
        result = await sandbox.execute(execution, lambda _: None)
    if result.outcome is not Outcome.COMPLETED:
        raise RuntimeError(f"{code}: {result}")


async def _settled(sandboxes: Sandboxes, reserve: int) -> None:
    while [status.state for status in sandboxes.list()] != ["reserve"] * reserve:  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    await asyncio.sleep(0.5)  # the engine is still at it


async def streams(contenders: list[Contender], rounds: int) -> list[Row]:
    """A peer shows its first byte with its last, and has no way to end a program."""
    first: list[list[float]] = [[] for _ in contenders]
    for _ in range(rounds):
        for contender, found in zip(contenders, first, strict=True):
            found.append(await _first_byte_ms(contender))
    cancels = [await _cancels(contender, max(5, rounds // 5)) for contender in contenders]
    return [Row("first output byte", "ms", tuple(first)), Row("cancel → ended", "ms", tuple(cancels))]


async def _first_byte_ms(contender: Contender) -> float:
    if not isinstance(contender, Ours):
        return await timed_ms(contender.run(HELLO))
    began = time.perf_counter()
    at: list[float] = []
    await contender.execute(HELLO, on_output=lambda _: at.append(time.perf_counter()))
    return (at[0] - began) * 1000


async def _cancels(contender: Contender, rounds: int) -> list[float] | None:
    if not isinstance(contender, Ours):
        return None
    samples = []
    for _ in range(rounds):
        running = asyncio.Event()
        task = asyncio.create_task(
            contender.execute("print('on', flush=True)\nwhile True: pass", on_output=lambda _, on=running: on.set())
        )
        await running.wait()
        began = time.perf_counter()
        await contender.cancel()
        await task
        samples.append((time.perf_counter() - began) * 1000)
    return samples


async def idle_memory(contenders: list[Contender], address: str) -> Row:
    """What the container's group is charged, without pages of files that nobody needs."""
    engine = DockerEngine(address)
    client = docker.DockerClient(base_url=address)
    samples: list[list[float] | None] = []
    for contender in contenders:
        match contender:
            case Ours():
                ((container,),) = ([status.container for status in contender.sandboxes.list()],)
            case DockerExec():
                container = contender.container.id
            case AutoGen():
                container = client.containers.get("fencepost-bench-autogen").id
            case _:
                container = None
        used = None if container is None else await engine.memory(container)
        samples.append(None if used is None else [used / 2**20])
    client.close()
    await engine.close()
    return Row(f"idle container ({CHANNEL})", "MB", tuple(samples))
