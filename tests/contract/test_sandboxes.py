"""What every implementation of sandboxes does, checked on the shipped twin and on Docker."""

import asyncio
import math
import time
from collections.abc import AsyncIterator

import pytest

from executor.containers import Equipment, Sandbox
from executor.docker import DockerEngine
from executor.errors import InvalidExecution, SandboxBusy, SandboxUnavailable
from executor.fake import End, Say, ScriptedSandboxes, Sleep, Step, Write
from executor.hardening import SandboxSpec
from executor.pool import Sandboxes
from executor.types import Code, Execution, ExecutionResult, LimitHit, Limits, Outcome, OutputChunk, SandboxLimits
from tests.conftest import Engine

SLOTS = 2
LIMITS = SandboxLimits(slots=SLOTS, execution=Limits(memory_mb=128))

HELLO = "print('hi')"
BOTH = "import sys; print('out', flush=True); print('err', file=sys.stderr, flush=True); print('end')"
FAIL = "raise SystemExit(3)"
CRASH = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
LOOP = "while True: pass"
SLOW = "import time; print('first', flush=True); time.sleep(30)"
FILE = "open('a.txt', 'w').write('content')"
FLOOD = "print('x' * 99 + '\\n', end='', flush=True) or print(('x' * 99 + '\\n') * 999, end='')"
FOREVER = "while True: print('x' * 1000)"

PROGRAMS: dict[str, tuple[Step, ...]] = {
    HELLO: (Say("hi\n"),),
    BOTH: (Say("out\n"), Say("err\n", "stderr"), Say("end\n")),
    FAIL: (End(3),),
    CRASH: (End(None, 11),),
    LOOP: (Sleep(math.inf),),
    SLOW: (Say("first\n"), Sleep(30)),
    FILE: (Write("a.txt", b"content"),),
    FLOOD: (Say(("x" * 99 + "\n") * 1000),),
    FOREVER: (Say(("x" * 1000 + "\n") * 1000),),
}


@pytest.fixture(params=["scripted", pytest.param("docker", marks=pytest.mark.docker)])
async def sandboxes(request: pytest.FixtureRequest) -> AsyncIterator[Sandboxes]:
    if request.param == "scripted":
        async with ScriptedSandboxes(PROGRAMS, limits=LIMITS) as scripted:
            yield scripted
    else:
        found: Engine = request.getfixturevalue("engine")
        engine = DockerEngine(found.address)
        async with Sandboxes(engine, "contract", Equipment(SandboxSpec(found.image, LIMITS))) as real:
            yield real
        await engine.close()


@pytest.fixture
async def sandbox(sandboxes: Sandboxes) -> AsyncIterator[Sandbox]:
    async with sandboxes.lease("c1") as leased:
        yield leased


def ignore(chunk: OutputChunk) -> None:
    pass


def asked(*texts: str, limits: Limits | None = None, requester: str = "ana", name: str = "e1") -> Execution:
    return Execution(name, requester, tuple(Code("python", text) for text in texts), limits or Limits())


async def run(sandbox: Sandbox, *texts: str, limits: Limits | None = None) -> ExecutionResult:
    return await sandbox.execute(asked(*texts, limits=limits), ignore)


async def started(sandboxes: Sandboxes, *names: str) -> None:
    async with asyncio.timeout(5):
        while set(names) - {name for status in sandboxes.list() for name in status.executions}:  # noqa: ASYNC110
            await asyncio.sleep(0)


async def test_a_program_that_ends_well(sandbox: Sandbox) -> None:
    result = await run(sandbox, HELLO)
    (block,) = result.blocks
    assert result.outcome is block.outcome is Outcome.COMPLETED
    assert (block.exit_code, block.signal, block.limit) == (0, None, None)
    assert (block.output.text, block.output.stdout, block.output.stderr) == ("hi\n", "hi\n", "")
    assert (block.output.total_bytes, block.output.truncated, block.output.spool) == (3, False, None)
    assert block.peak_memory_bytes > 0
    assert result.artifacts == ()


async def test_output_is_streamed_and_kept_apart(sandbox: Sandbox) -> None:
    chunks: list[OutputChunk] = []
    result = await sandbox.execute(asked(HELLO, BOTH), chunks.append)
    assert "".join(chunk.text for chunk in chunks if chunk.block == 0) == "hi\n"
    assert "".join(chunk.text for chunk in chunks if chunk.block == 1 and chunk.stream == "stdout") == "out\nend\n"
    assert "".join(chunk.text for chunk in chunks if chunk.stream == "stderr") == "err\n"
    assert result.blocks[1].output.stdout == "out\nend\n"
    assert result.blocks[1].output.stderr == "err\n"


async def test_output_arrives_while_the_program_runs(sandboxes: Sandboxes, sandbox: Sandbox) -> None:
    arrived = asyncio.Event()
    task = asyncio.create_task(sandbox.execute(asked(SLOW), lambda chunk: arrived.set()))
    async with asyncio.timeout(5):
        await arrived.wait()
    assert not task.done()
    assert await sandboxes.cancel("e1")
    result = await task
    assert result.outcome is Outcome.CANCELLED
    assert result.blocks[0].output.text == "first\n"


async def test_a_failure_is_a_result_and_stops_the_blocks(sandbox: Sandbox) -> None:
    result = await run(sandbox, HELLO, FAIL, HELLO)
    assert [(block.outcome, block.exit_code) for block in result.blocks] == [
        (Outcome.COMPLETED, 0),
        (Outcome.FAILED, 3),
    ]


async def test_a_signal_is_named(sandbox: Sandbox) -> None:
    (block,) = (await run(sandbox, CRASH)).blocks
    assert (block.outcome, block.signal, block.exit_code) == (Outcome.FAILED, 11, 139)


async def test_a_program_that_takes_too_long(sandbox: Sandbox) -> None:
    began = time.monotonic()
    (block,) = (await run(sandbox, LOOP, limits=Limits(timeout_s=0.3))).blocks
    assert (block.outcome, block.exit_code, block.limit) == (Outcome.TIMED_OUT, 124, LimitHit("timeout_s", 0.3))
    assert 0.3 <= time.monotonic() - began < 1.5


async def test_a_program_that_writes_a_lot_is_cut_and_kept_as_a_file(sandbox: Sandbox) -> None:
    (block,) = (await run(sandbox, FLOOD, limits=Limits(output_bytes=1000))).blocks
    assert block.outcome is Outcome.COMPLETED
    assert block.output.truncated
    assert block.output.total_bytes == 100_000
    assert block.output.text.count("\n") == 11
    assert "… 990 lines left out …" in block.output.text
    assert block.output.spool is not None
    assert block.output.spool.read_bytes() == (b"x" * 99 + b"\n") * 1000
    block.output.spool.unlink()


async def test_a_program_that_writes_too_much_is_ended(sandbox: Sandbox) -> None:
    limits = Limits(output_bytes=1000, file_output_bytes=100_000)
    (block,) = (await run(sandbox, FOREVER, limits=limits)).blocks
    assert block.outcome is Outcome.OUTPUT_EXCEEDED
    assert block.limit == LimitHit("output_bytes", 100_000)
    assert block.output.spool is not None
    assert block.output.spool.stat().st_size == 100_000
    block.output.spool.unlink()


async def test_files_come_out(sandbox: Sandbox) -> None:
    result = await run(sandbox, FILE)
    assert [(artifact.path, artifact.data) for artifact in result.artifacts] == [("a.txt", b"content")]
    assert result.artifacts_left == 0


async def test_cancelling_is_quick_and_leaves_the_sandbox_usable(sandboxes: Sandboxes, sandbox: Sandbox) -> None:
    task = asyncio.create_task(run(sandbox, LOOP, HELLO))
    await started(sandboxes, "e1")
    began = time.monotonic()
    assert await sandboxes.cancel("e1")
    result = await task
    assert time.monotonic() - began < 1
    assert [(block.outcome, block.exit_code) for block in result.blocks] == [(Outcome.CANCELLED, 130)]
    assert (await run(sandbox, HELLO)).outcome is Outcome.COMPLETED
    assert not await sandboxes.cancel("e1")


async def test_cancelling_the_task_ends_the_program(sandboxes: Sandboxes, sandbox: Sandbox) -> None:
    task = asyncio.create_task(run(sandbox, LOOP))
    await started(sandboxes, "e1")
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - began < 1
    assert (await run(sandbox, HELLO)).outcome is Outcome.COMPLETED


async def test_what_on_output_raises_comes_out_and_ends_the_program(sandbox: Sandbox) -> None:
    def fail(chunk: OutputChunk) -> None:
        raise LookupError(chunk.text)

    with pytest.raises(LookupError, match="first"):
        await sandbox.execute(asked(SLOW), fail)
    assert (await run(sandbox, HELLO)).outcome is Outcome.COMPLETED


async def test_slots_and_requesters_are_counted(sandboxes: Sandboxes, sandbox: Sandbox) -> None:
    running = [
        asyncio.create_task(sandbox.execute(asked(LOOP, requester=name, name=name), ignore)) for name in ("a", "b")
    ]
    await started(sandboxes, "a", "b")
    with pytest.raises(SandboxBusy):
        await sandbox.execute(asked(HELLO, requester="c", name="c"), ignore)
    await sandboxes.cancel("a")
    await running[0]
    with pytest.raises(SandboxBusy):
        await sandbox.execute(asked(HELLO, requester="b", name="c"), ignore)
    assert (await sandbox.execute(asked(HELLO, requester="a", name="c"), ignore)).outcome is Outcome.COMPLETED
    await sandboxes.cancel("b")
    await running[1]


async def test_what_cannot_be_run_is_refused_before_anything_runs(sandbox: Sandbox) -> None:
    with pytest.raises(InvalidExecution):
        await run(sandbox)
    with pytest.raises(InvalidExecution):
        await sandbox.execute(Execution("e1", "ana", (Code("python", HELLO), Code("cobol", "x"))), ignore)


async def test_leases_of_a_channel_share_a_sandbox_and_channels_do_not(sandboxes: Sandboxes, sandbox: Sandbox) -> None:
    async with sandboxes.lease("c1") as same, sandboxes.lease("c2") as other:
        assert same is sandbox
        assert other.container != sandbox.container
        assert (await run(other, HELLO)).outcome is Outcome.COMPLETED
    states = {status.channel: status.state for status in sandboxes.list()}
    assert states == {"c1": "leased", "c2": "idle"}


async def test_a_closed_pool_leases_nothing(sandboxes: Sandboxes) -> None:
    async with sandboxes.lease("c1") as leased:
        await run(leased, HELLO)
    await sandboxes.close(keep=False)
    assert sandboxes.list() == ()
    with pytest.raises(SandboxUnavailable):
        async with sandboxes.lease("c1"):
            pass
