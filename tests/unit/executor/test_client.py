"""The supervisor's client against a supervisor that follows a script."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from executor.client import SupervisorClient
from executor.clock import MonotonicClock
from executor.errors import InvalidExecution, SandboxBusy, SandboxLost, SandboxUnavailable
from executor.fake_engine import FakeWire
from executor.fake_supervisor import FakeSupervisor
from executor.languages import DEFAULT_LANGUAGES
from executor.link import open_link
from executor.types import Code, Execution, ExecutionResult, InputFile, LimitHit, Limits, Outcome, OutputChunk
from tests.unit.executor.doubles import Lines, until

TOKEN = "ab" * 32
GUARD_S = 0.05


@asynccontextmanager
async def connected(supervisor: FakeSupervisor, bundle: bytes = b"") -> AsyncIterator[SupervisorClient]:
    link = await open_link(FakeWire(supervisor), bytes.fromhex(TOKEN), 1.0, bundle)
    client = SupervisorClient(link, DEFAULT_LANGUAGES, 2, GUARD_S)
    yield client
    await client.close()


@pytest.fixture
def lines() -> Lines:
    return Lines()


@pytest.fixture
def supervisor(lines: Lines) -> FakeSupervisor:
    return FakeSupervisor(bytes.fromhex(TOKEN), lines, MonotonicClock(), lambda: None)


def lose(supervisor: FakeSupervisor) -> None:
    assert isinstance(supervisor.mouth, FakeWire)
    supervisor.mouth.end()


def execution(*texts: str, requester: str = "ana", name: str = "e1", limits: Limits | None = None) -> Execution:
    limits = limits or Limits(timeout_s=5)
    return Execution(name, requester, tuple(Code("python", text) for text in texts), limits)


def ignore(chunk: OutputChunk) -> None:
    pass


async def run(client: SupervisorClient, *texts: str, limits: Limits | None = None) -> ExecutionResult:
    return await client.execute(execution(*texts, limits=limits), ignore)


async def test_output_is_shown_as_it_comes_and_again_in_the_result(supervisor: FakeSupervisor, lines: Lines) -> None:
    chunks: list[OutputChunk] = []
    async with connected(supervisor, b"the bundle") as client:
        task = asyncio.create_task(client.execute(execution("out a\nwait\nerr b"), chunks.append))
        await until(lambda: chunks)
        assert not task.done()
        lines.go_on.set()
        result = await task
    assert chunks == [OutputChunk(0, "stdout", "a\n"), OutputChunk(0, "stderr", "b\n")]
    assert result.outcome is Outcome.COMPLETED
    assert result.blocks[0].output.text == "a\nb\n"
    assert result.blocks[0].exit_code == 0


async def test_blocks_run_in_order_and_stop_at_the_first_failure(supervisor: FakeSupervisor) -> None:
    async with connected(supervisor) as client:
        result = await run(client, "out a", "exit 3", "out never")
    assert [block.outcome for block in result.blocks] == [Outcome.COMPLETED, Outcome.FAILED]
    assert result.outcome is Outcome.FAILED
    assert [start.code for start in supervisor.started] == ["out a", "exit 3"]


async def test_files_go_in_once_and_the_last_form_of_a_file_comes_out(supervisor: FakeSupervisor) -> None:
    asked = Execution(
        "e1", "ana", (Code("python", "file a.txt one"), Code("bash", "file a.txt two")), files=(InputFile("in", b"x"),)
    )
    async with connected(supervisor) as client:
        result = await client.execute(asked, ignore)
    assert [(artifact.path, artifact.data) for artifact in result.artifacts] == [("a.txt", b"two")]
    assert [len(start.files) for start in supervisor.started] == [1, 0]
    assert supervisor.started[1].command == DEFAULT_LANGUAGES["bash"].command


async def test_the_limit_that_fired_is_named(supervisor: FakeSupervisor) -> None:
    async with connected(supervisor) as client:
        result = await run(client, "end timeout", limits=Limits(timeout_s=7))
    assert result.blocks[0].limit == LimitHit("timeout_s", 7)
    assert result.blocks[0].exit_code == 124


async def test_cancel_ends_the_run_and_the_blocks_after_it(supervisor: FakeSupervisor) -> None:
    async with connected(supervisor) as client:
        task = asyncio.create_task(run(client, "wait", "out never"))
        await until(lambda: supervisor.runs)
        assert await client.cancel("e1")
        result = await task
        assert not await client.cancel("e1")
    assert [block.outcome for block in result.blocks] == [Outcome.CANCELLED]
    assert result.blocks[0].exit_code == 130


async def test_cancelling_the_task_ends_the_run_inside(supervisor: FakeSupervisor) -> None:
    async with connected(supervisor) as client:
        task = asyncio.create_task(run(client, "wait"))
        await until(lambda: supervisor.runs)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not supervisor.runs
        assert client.suspect is None
        assert (await run(client, "out on")).outcome is Outcome.COMPLETED


async def test_a_run_that_cannot_be_cancelled_makes_the_sandbox_suspect(supervisor: FakeSupervisor) -> None:
    async with connected(supervisor) as client:
        task = asyncio.create_task(run(client, "silence"))
        await until(lambda: supervisor.runs)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert client.suspect


async def test_what_on_output_raises_ends_the_run_and_comes_out(supervisor: FakeSupervisor) -> None:
    def fail(chunk: OutputChunk) -> None:
        raise LookupError(chunk.text)

    async with connected(supervisor) as client:
        with pytest.raises(LookupError):
            await client.execute(execution("out a\nwait"), fail)
        assert not supervisor.runs
        assert client.executions == ()


async def test_a_run_that_does_not_end_in_time_is_lost(supervisor: FakeSupervisor) -> None:
    async with connected(supervisor) as client:
        with pytest.raises(SandboxLost):
            await run(client, "silence", limits=Limits(timeout_s=0.01))
        assert client.suspect
        with pytest.raises(SandboxUnavailable):
            await run(client, "out a")


async def test_every_run_in_a_lost_sandbox_is_lost(supervisor: FakeSupervisor) -> None:
    async with connected(supervisor) as client:
        tasks = [
            asyncio.create_task(client.execute(execution("wait", requester=name, name=name), ignore)) for name in "ab"
        ]
        await until(lambda: len(supervisor.runs) == 2)
        lose(supervisor)
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            assert isinstance(result, SandboxLost)
        assert client.lost
        assert not await client.ping(1.0)


async def test_a_supervisor_that_breaks_the_protocol_is_suspect(supervisor: FakeSupervisor) -> None:
    async with connected(supervisor) as client:
        with pytest.raises(SandboxLost):
            await run(client, "garbage\nwait")
        assert client.suspect


async def test_more_files_than_asked_for_break_the_protocol(supervisor: FakeSupervisor) -> None:
    async with connected(supervisor) as client:
        with pytest.raises(SandboxLost):
            await run(client, "file a x\nfile b x", limits=Limits(artifact_count=1))
        assert client.suspect


async def test_a_stuck_process_is_lost_and_makes_the_sandbox_suspect(supervisor: FakeSupervisor) -> None:
    async with connected(supervisor) as client:
        assert (await run(client, "end stuck")).outcome is Outcome.LOST
        assert client.suspect


async def test_slots_and_one_execution_a_requester(supervisor: FakeSupervisor, lines: Lines) -> None:
    async with connected(supervisor) as client:
        tasks = [
            asyncio.create_task(client.execute(execution("wait", requester=name, name=name), ignore)) for name in "ab"
        ]
        await until(lambda: len(supervisor.runs) == 2)
        with pytest.raises(SandboxBusy):
            await client.execute(execution("out", requester="c", name="c"), ignore)
        await client.cancel("a")
        await tasks[0]
        with pytest.raises(SandboxBusy):
            await client.execute(execution("out", requester="b", name="d"), ignore)
        assert (await client.execute(execution("out", requester="c", name="c"), ignore)).outcome is Outcome.COMPLETED
        lines.go_on.set()
        await tasks[1]


@pytest.mark.parametrize(
    ("word", "error"),
    [
        ("busy", SandboxBusy),
        ("resources", SandboxUnavailable),
        ("too_many_requesters", SandboxUnavailable),
        ("bad_request", InvalidExecution),
        ("no_such_language", InvalidExecution),
        ("unsupported", InvalidExecution),
    ],
)
async def test_a_refusal_is_named_for_the_reaction(
    supervisor: FakeSupervisor, word: str, error: type[Exception]
) -> None:
    async with connected(supervisor) as client:
        with pytest.raises(error):
            await run(client, f"refuse {word}")


async def test_what_cannot_be_asked_for_is_not_sent(supervisor: FakeSupervisor) -> None:
    async with connected(supervisor) as client:
        with pytest.raises(InvalidExecution, match="no code"):
            await run(client)
        with pytest.raises(InvalidExecution, match="cobol"):
            await client.execute(Execution("e", "ana", (Code("cobol", "x"),)), ignore)
        with pytest.raises(InvalidExecution, match="mark"):
            await client.execute(Execution("e", "ana", (Code("python", "x", stdin=bytes.fromhex(TOKEN)),)), ignore)
        assert supervisor.started == []
        assert client.executions == ()


async def test_a_new_link_ends_what_still_runs(supervisor: FakeSupervisor) -> None:
    async with connected(supervisor) as client:
        task = asyncio.create_task(run(client, "wait"))
        await until(lambda: supervisor.runs)
        async with connected(supervisor) as successor:
            assert not supervisor.runs
            assert (await run(successor, "out a")).outcome is Outcome.COMPLETED
        task.cancel()
        await asyncio.wait([task])


async def test_a_run_of_a_predecessor_that_does_not_end_spoils_the_sandbox(supervisor: FakeSupervisor) -> None:
    async with connected(supervisor) as client:
        task = asyncio.create_task(run(client, "silence"))
        await until(lambda: supervisor.runs)
    with pytest.raises(SandboxLost):
        await task
    with pytest.raises(SandboxUnavailable):
        await open_link(FakeWire(supervisor), bytes.fromhex(TOKEN), 0.05)


async def test_a_supervisor_that_does_not_answer_is_said_to_have_not_started(supervisor: FakeSupervisor) -> None:
    supervisor.deaf = True
    wire = FakeWire(supervisor)
    wire.complaints = "python3: not found"
    with pytest.raises(SandboxUnavailable) as caught:
        await open_link(wire, bytes.fromhex(TOKEN), 0.05)
    assert "python3: not found" in str(caught.value.__cause__)


async def test_spools_of_an_execution_that_is_lost_are_removed(
    supervisor: FakeSupervisor, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("spool")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    async with connected(supervisor) as client:
        task = asyncio.create_task(run(client, f"out {'x' * 99}", "wait", limits=Limits(output_bytes=10)))
        await until(lambda: len(supervisor.started) == 2)
        assert len(list(folder.iterdir())) == 1
        lose(supervisor)
        with pytest.raises(SandboxLost):
            await task
    assert list(folder.iterdir()) == []


class SlowWire(FakeWire):
    """Writes only while `open` is set."""

    def __init__(self, supervisor: FakeSupervisor) -> None:
        super().__init__(supervisor)
        self.open = asyncio.Event()
        self.open.set()

    async def write(self, data: bytes) -> None:
        await self.open.wait()
        await super().write(data)


async def test_a_cancel_that_comes_before_the_request_is_out_is_not_lost(supervisor: FakeSupervisor) -> None:
    wire = SlowWire(supervisor)
    client = SupervisorClient(await open_link(wire, bytes.fromhex(TOKEN), 1.0), DEFAULT_LANGUAGES, 2, GUARD_S)
    wire.open.clear()
    task = asyncio.create_task(run(client, "wait"))
    await until(lambda: client.executions)
    assert await client.cancel("e1")
    assert not supervisor.runs
    wire.open.set()
    assert (await task).outcome is Outcome.CANCELLED
    assert len(supervisor.started) == 1
    await client.close()


async def test_a_task_that_is_cancelled_before_the_request_is_out_leaves_a_usable_sandbox(
    supervisor: FakeSupervisor,
) -> None:
    wire = SlowWire(supervisor)
    client = SupervisorClient(await open_link(wire, bytes.fromhex(TOKEN), 1.0), DEFAULT_LANGUAGES, 2, GUARD_S)
    wire.open.clear()
    task = asyncio.create_task(run(client, "wait"))
    await until(lambda: client.executions)
    task.cancel()
    wire.open.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert client.suspect is None
    assert (await run(client, "out on")).outcome is Outcome.COMPLETED
    await client.close()


async def test_a_value_is_told_to_whoever_asked_for_it(supervisor: FakeSupervisor) -> None:
    async with connected(supervisor) as client:
        asked = await client.execute(replace(execution("value 42", "value 43"), echo=True), ignore)
        not_asked = await run(client, "value 42")
    assert [block.value for block in asked.blocks] == ["42", "43"]
    assert not_asked.blocks[0].value is None


async def test_only_python_is_asked_for_a_value(supervisor: FakeSupervisor) -> None:
    blocks = (Code("python", "out a"), Code("bash", "out b"))
    async with connected(supervisor) as client:
        await client.execute(replace(execution(), blocks=blocks, echo=True), ignore)
    assert [start.echo for start in supervisor.started] == [True, False]


async def test_figures_of_several_blocks_do_not_take_each_others_names(supervisor: FakeSupervisor) -> None:
    async with connected(supervisor) as client:
        await run(
            client, "file figure-1.png a\nfile figure-3.png b\nfile d/figure-9.png c", "file figure-4.png d", "out e"
        )
        await run(client, "out a")
    assert [start.figures for start in supervisor.started] == [0, 3, 4, 0]


async def test_figures_are_collected_whatever_the_workspace_is(supervisor: FakeSupervisor) -> None:
    async with connected(supervisor) as client:
        await client.execute(replace(execution("file figure-1.png a"), workspace="none"), ignore)
    assert [start.collect for start in supervisor.started] == [True]
