"""Executions of one and of several blocks, from the pool down to the real sandbox: each block has its own result."""

from collections.abc import AsyncIterator

import pytest

from executor.containers import Equipment, Sandbox
from executor.docker import DockerEngine
from executor.hardening import SandboxSpec
from executor.pool import Sandboxes
from executor.types import Code, Execution, ExecutionResult, InputFile, Limits, Outcome, OutputChunk, SandboxLimits
from tests.conftest import Engine

pytestmark = pytest.mark.docker

LIMITS = Limits(timeout_s=20.0, memory_mb=128)
SHOW = "import matplotlib.pyplot as plt\nplt.plot([1, {}])\nplt.show()"


@pytest.fixture
async def sandbox(engine: Engine) -> AsyncIterator[Sandbox]:
    docker_engine = DockerEngine(engine.address)
    try:
        equipment = Equipment(SandboxSpec(engine.image, SandboxLimits(execution=LIMITS)))
        async with Sandboxes(docker_engine, "blocks-test", equipment) as sandboxes, sandboxes.lease("c1") as leased:
            yield leased
    finally:
        await docker_engine.close()


class Ran:
    """What came of an execution, and what was shown while it ran."""

    def __init__(self) -> None:
        self.chunks: list[OutputChunk] = []
        self.result = ExecutionResult(())

    @property
    def ends(self) -> list[tuple[str, int | None, int | None]]:
        return [(block.outcome.value, block.exit_code, block.signal) for block in self.result.blocks]


async def run(sandbox: Sandbox, *blocks: Code | str, files: tuple[InputFile, ...] = (), limits: Limits = LIMITS) -> Ran:
    codes = tuple(Code("python", block) if isinstance(block, str) else block for block in blocks)
    ran = Ran()
    execution = Execution("e1", "ana", codes, limits, files, echo=True)
    ran.result = await sandbox.execute(execution, ran.chunks.append)
    return ran


async def test_each_block_has_its_own_result(sandbox: Sandbox) -> None:
    ran = await run(
        sandbox, "print('one')", Code("bash", "echo two; echo three >&2"), "4", Code("sh", "exit 5"), "print('never')"
    )
    assert ran.ends == [("completed", 0, None), ("completed", 0, None), ("completed", 0, None), ("failed", 5, None)]
    assert [block.output.stdout for block in ran.result.blocks] == ["one\n", "two\n", "", ""]
    assert [block.output.stderr for block in ran.result.blocks] == ["", "three\n", "", ""]
    assert [block.value for block in ran.result.blocks] == [None, None, "4", None]
    assert {(chunk.block, chunk.text) for chunk in ran.chunks} == {(0, "one\n"), (1, "two\n"), (1, "three\n")}
    assert ran.result.outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("code", "end"),
    [
        (Code("python", "import os; os.kill(os.getpid(), 9)"), ("failed", 137, 9)),
        (Code("python", "import os; os.kill(os.getpid(), 15)"), ("failed", 143, 15)),
        (Code("python", "import ctypes; ctypes.string_at(0)"), ("failed", 139, 11)),
        (Code("bash", "kill -6 $$"), ("failed", 134, 6)),
        (Code("bash", "sleep 9 & kill -9 $!; wait $!"), ("failed", 137, None)),
        (Code("python", "x = bytearray(1 << 30)"), ("out_of_memory", 137, 9)),
        (Code("python", "import os\nwhile True: os.fork()"), ("too_many_processes", 1, None)),
    ],
)
async def test_an_end_at_once_is_told_as_it_was(sandbox: Sandbox, code: Code, end: tuple[str, int, int | None]) -> None:
    ran = await run(sandbox, "1", code, "never")
    assert ran.ends == [("completed", 0, None), end]


async def test_time_is_counted_for_each_block(sandbox: Sandbox) -> None:
    limits = Limits(timeout_s=1.0, memory_mb=128)
    ran = await run(
        sandbox,
        "import time; time.sleep(.6)",
        "import time; time.sleep(.6)",
        "import time; time.sleep(9)",
        limits=limits,
    )
    assert [outcome for outcome, _, _ in ran.ends] == ["completed", "completed", "timed_out"]
    assert ran.ends[-1][1] == 124


async def test_blocks_are_stored_in_folders_and_use_each_other(sandbox: Sandbox) -> None:
    ran = await run(
        sandbox,
        Code("python", "ANSWER = 42\n", filename="package/deep/numbers_.py"),
        Code("bash", "echo from $0\n", filename="scripts/run.sh"),
        Code("python", "from package.deep.numbers_ import ANSWER\nprint(ANSWER, open('given/in.csv').read())"),
        Code("bash", "ls -R . | grep -c numbers_.py; bash scripts/run.sh"),
        Code("python", "raise ValueError('x')", filename="package/broken.py"),
        files=(InputFile("given/in.csv", b"a,b"),),
    )
    outputs = [block.output.text for block in ran.result.blocks]
    assert outputs[:4] == ["", "from /workspace/scripts/run.sh\n", "42 a,b\n", "1\nfrom scripts/run.sh\n"]
    assert 'File "package/broken.py", line 1, in <module>' in outputs[4]
    assert ran.result.artifacts == ()


async def test_files_and_figures_of_all_blocks_come_out(sandbox: Sandbox) -> None:
    ran = await run(
        sandbox,
        SHOW.format(2),
        "open('a', 'w').write('1')",
        SHOW.format(3) + "\nplt.plot([1])\nplt.show()",
        "open('a', 'a').write('2')",
    )
    files = {artifact.path: artifact.data for artifact in ran.result.artifacts}
    assert sorted(files) == ["a", "figure-1.png", "figure-2.png", "figure-3.png"]
    assert files["a"] == b"12"
    assert len({files[name] for name in files}) == 4
    assert ran.result.artifacts_left == 0
