"""The supervisor's client: executions in one sandbox, block by block.

Who may run is decided here, before anything is sent: a free slot, one execution a requester, languages that exist. The
supervisor decides again for each block, since a run of a predecessor may still hold a slot.
"""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

from executor import haul
from executor.artifacts import merged
from executor.block import Block, Finished
from executor.errors import InvalidExecution, SandboxBusy, SandboxLost, SandboxUnavailable
from executor.languages import Languages, language
from executor.link import Link
from executor.messages import FIGURE, UNKNOWN, Kept, Lay, Save, Start
from executor.types import BlockResult, Execution, ExecutionResult, OnOutput, Outcome, OutputChunk, Stream

GUARD_S = 2.0
CANCELLED_EXIT_CODE = 130


@dataclass
class _Job:
    requester: str
    cancelled: bool = False
    block: Block | None = None
    finished: list[Finished] = field(default_factory=list)


class SupervisorClient:
    """Executions over a synchronised link, which it owns.

    `generations` are those of the archive that the workspace may descend from, none if it is as it was made. `changes`
    grows with each execution that may have changed it.
    """

    def __init__(self, link: Link, languages: Languages, slots: int, guard_s: float = GUARD_S) -> None:
        self._link = link
        self._languages = languages
        self._slots = slots
        self._guard_s = guard_s
        self._jobs: dict[str, _Job] = {}
        self.generations = link.ready.result().workspace
        self.changes = 0

    @property
    def lost(self) -> bool:
        return self._link.lost

    @property
    def suspect(self) -> str | None:
        """Why the sandbox must not be used any further, if so."""
        return self._link.suspect

    @property
    def worn(self) -> bool:
        """Whether it has no uid left for somebody new: to be replaced once nobody is in it."""
        return self._link.worn

    @property
    def executions(self) -> tuple[str, ...]:
        return tuple(self._jobs)

    async def ping(self, timeout_s: float) -> bool:
        return await self._link.ping(timeout_s)

    async def execute(self, execution: Execution, on_output: OnOutput) -> ExecutionResult:
        """Run the blocks in order up to the first that is not completed.

        SandboxBusy, InvalidExecution and SandboxUnavailable before anything ran, SandboxLost where that is not known.
        Cancelling the awaiting task ends the program inside before CancelledError goes on.
        """
        self._admit(execution)
        job = self._jobs[execution.id] = _Job(execution.requester)
        try:
            for index in range(len(execution.blocks)):
                if not await self._run(job, execution, index, on_output):
                    break
            return _result(job, execution)
        except BaseException:
            for finished in job.finished:
                if finished.result.output.spool is not None:
                    finished.result.output.spool.unlink(missing_ok=True)
            raise
        finally:
            del self._jobs[execution.id]
            self.changes += execution.workspace == "rw"

    async def cancel(self, execution_id: str) -> bool:
        """End it; its `execute` returns with the outcome cancelled. False where it is not running here."""
        job = self._jobs.get(execution_id)
        if job is None:
            return False
        job.cancelled = True
        if job.block is not None:
            with contextlib.suppress(SandboxLost):  # whoever awaits the execution hears of it
                await job.block.cancel()
        return True

    async def bring_out(self, order: Save, mark: bytes, take: Callable[[bytes], Awaitable[None]]) -> Kept:
        """What has changed in the workspace since `mark`. SandboxLost, and what `take` raises."""
        kept = await haul.bring_out(self._link, order, mark, take)
        self.generations = (order.base, order.next)
        return kept

    async def lay_out(self, order: Lay, pieces: AsyncIterator[bytes]) -> Kept:
        """The whole workspace, before anything has run. SandboxLost, and what `pieces` raises."""
        kept = await haul.lay_out(self._link, order, pieces)
        self.generations = (UNKNOWN if kept.error else order.generation,)
        return kept

    async def close(self) -> None:
        """Let go of the stream; what runs is lost to whoever awaits it, the container stays."""
        await self._link.close()

    def _admit(self, execution: Execution) -> None:
        if not execution.blocks:
            raise InvalidExecution("There is no code to run.")
        for code in execution.blocks:
            language(self._languages, code.language)
        if self.lost or self.suspect:
            raise SandboxUnavailable("The sandbox is gone; nothing ran.")
        if execution.id in self._jobs:
            raise InvalidExecution("This execution is running already.")
        if len(self._jobs) >= self._slots:
            raise SandboxBusy("All slots of the sandbox are in use.")
        if any(job.requester == execution.requester for job in self._jobs.values()):
            raise SandboxBusy("This requester has an execution in the sandbox already.")

    async def _run(self, job: _Job, execution: Execution, index: int, on_output: OnOutput) -> bool:
        """Whether the next block may run."""

        def on_text(stream: Stream, text: str) -> None:
            on_output(OutputChunk(index, stream, text))

        if job.cancelled:
            cancelled = BlockResult(Outcome.CANCELLED, exit_code=CANCELLED_EXIT_CODE)
            job.finished.append(Finished(cancelled, (), 0))
            return False
        job.block = Block(self._link, _start(execution, index, self._languages, _shown(job)), on_text, self._guard_s)
        try:
            finished = await job.block.run()
        finally:
            job.block = None
        job.finished.append(finished)
        return finished.result.outcome is Outcome.COMPLETED


def _start(execution: Execution, index: int, languages: Languages, figures: int) -> Start:
    code = execution.blocks[index]
    row = language(languages, code.language)
    return Start(
        id=execution.id,
        requester=execution.requester,
        language=code.language,
        command=row.command,
        code=code.text,
        limits=execution.limits,
        name=row.filename,
        filename=code.filename,
        args=code.args,
        stdin=code.stdin,
        workspace=execution.workspace,
        files=execution.files if index == 0 else (),
        collect=True,
        echo=execution.echo and code.language == "python",
        figures=figures,
    )


def _shown(job: _Job) -> int:
    """The highest number that a figure has among what has come out so far: names of an execution are its own."""
    names = (artifact.path for finished in job.finished for artifact in finished.artifacts)
    return max((int(found[1]) for found in map(FIGURE.fullmatch, names) if found), default=0)


def _result(job: _Job, execution: Execution) -> ExecutionResult:
    artifacts, dropped = merged([finished.artifacts for finished in job.finished], execution.limits)
    return ExecutionResult(
        blocks=tuple(finished.result for finished in job.finished),
        artifacts=artifacts,
        artifacts_left=dropped + sum(finished.left for finished in job.finished),
    )
