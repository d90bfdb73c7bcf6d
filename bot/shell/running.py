"""Executions: lease a sandbox, ask the core whether it may start now, run, report.

The core's yes to `ExecutionReady` is on disk before the sandbox gets the code, and it names this very execution. So
whatever is repeated, after a crash or because two effects asked for the same, at most one of them hears yes.
"""

import asyncio

import structlog

from bot.core.effects import StartExecution, StopExecution
from bot.core.events import ExecutionEnded, ExecutionHeld, ExecutionLost, ExecutionReady
from bot.core.execution import execution_of
from bot.core.keys import Actor, ChannelKey
from bot.core.policy.approvers import marks
from bot.core.reports import BlockReport
from bot.core.state import Request, Status, Verdict, Vote
from bot.ports import GatewayError, Owed, Sandbox
from bot.shell.backoff import Backoff
from bot.shell.dispatcher import Dispatcher
from bot.shell.live import LiveViews
from bot.shell.mailbox import StepFailed
from bot.shell.outside import Outside
from bot.shell.reference import new_event_id, new_reference
from bot.shell.reporting import Report, report_of
from executor.errors import ExecutorError, InvalidExecution
from executor.types import InputFile, Outcome

STOP_AGAIN_S = 0.05
"""A stop that comes before the sandbox knows the execution is repeated after this."""

WENT_WRONG = "Something went wrong on our side."
UNREPORTED = "Its result could not be saved."

log = structlog.get_logger()


class FileMissing(Exception):
    """A file that goes in with the code is no longer kept; `str` is a sentence for people."""


class Running:
    def __init__(self, dispatcher: Dispatcher, outside: Outside, live: LiveViews) -> None:
        self._dispatcher = dispatcher
        self._store = outside.store
        self._blobs = outside.blobs
        self._sandboxes = outside.sandboxes
        self._gateways = outside.gateways
        self._clock = outside.clock
        self._live = live
        self._active: set[str] = set()

    async def start(self, owed: Owed, effect: StartExecution) -> None:
        """From approved to ended; returns when the end is saved. Settled as soon as the core has said yes or no."""
        _, request = await self._dispatcher.look(owed.channel, effect.request)
        if request is None or request.status is not Status.APPROVED or not request.starting:
            await self._store.settle(owed.seq)
            return
        ended: ExecutionEnded | ExecutionLost | None = None
        try:
            files = await self._inputs(request)
            async with self._sandboxes.lease(str(owed.channel)) as sandbox:
                started = await self._ask(owed, request)
                if started is not None:
                    ended = await self._run(owed.channel, started, files, sandbox)
        except (ExecutorError, FileMissing) as error:
            if ended is None:
                await self._hold(owed, request, error)
                return
            log.warning("sandbox not given back cleanly", channel=str(owed.channel), error=str(error))
        if ended is not None:
            await self._insist(ended)

    async def stop(self, owed: Owed, effect: StopExecution) -> None:
        while not await self._sandboxes.cancel(effect.execution) and effect.execution in self._active:
            await self._clock.sleep_until(self._clock.now() + STOP_AGAIN_S)
        await self._store.settle(owed.seq)

    async def give_up(self, owed: Owed, effect: StartExecution, reference: str) -> None:
        """After a failure that nobody thought of: hold what has not begun, report as lost what has."""
        _, request = await self._dispatcher.look(owed.channel, effect.request)
        if request is None:
            return
        if request.status is Status.APPROVED:
            await self._dispatcher.deliver(self._held(owed, request, WENT_WRONG, reference), settles=(owed.seq,))
        elif request.status is Status.RUNNING and request.execution is not None and request.execution in self._active:
            await self._insist(self._lost(owed.channel, request.id, request.execution, WENT_WRONG, reference))

    async def _ask(self, owed: Owed, request: Request) -> Request | None:
        """The request as it runs now, or None where it may not."""
        voters: tuple[Actor, ...] = ()
        if request.by_click:
            approving = [vote for vote in request.votes if vote.verdict is Verdict.APPROVE]
            voters = tuple(await asyncio.gather(*(self._voter(owed.channel, vote) for vote in approving)))
        execution = f"{request.id}.{request.attempts + 1}"
        event = ExecutionReady(
            id=new_event_id("ready"),
            channel=owed.channel,
            at=self._clock.now(),
            request=request.id,
            execution=execution,
            voters=voters,
        )
        await self._dispatcher.deliver(event, settles=(owed.seq,))
        _, request_now = await self._dispatcher.look(owed.channel, request.id)
        if request_now is None or request_now.status is not Status.RUNNING or request_now.execution != execution:
            return None
        return request_now

    async def _voter(self, channel: ChannelKey, vote: Vote) -> Actor:
        gateway = self._gateways[channel.platform]
        try:
            return await gateway.look_up(channel, vote.voter, marks(self._dispatcher.site(channel).policy))
        except GatewayError as error:
            log.warning("voter could not be looked up", channel=str(channel), voter=vote.voter, error=str(error))
            return Actor(id=vote.voter, name=vote.name, standing=None)

    async def _run(
        self, channel: ChannelKey, request: Request, files: tuple[InputFile, ...], sandbox: Sandbox
    ) -> ExecutionEnded | ExecutionLost:
        execution = execution_of(request, files, echo=self._dispatcher.site(channel).config.echo)
        self._active.add(execution.id)
        try:
            with self._live.watch(channel, request.id) as on_output:
                result = await sandbox.execute(execution, on_output)
        except InvalidExecution as error:
            refused = BlockReport(outcome=Outcome.REFUSED, text=str(error))
            return self._ended(channel, request, execution.id, Report(blocks=(refused,)))
        except ExecutorError as error:
            reference = self._log(channel, request, error)
            return self._lost(channel, request.id, execution.id, str(error), reference)
        return self._ended(channel, request, execution.id, await report_of(result, execution.blocks, self._blobs))

    async def _inputs(self, request: Request) -> tuple[InputFile, ...]:
        files: list[InputFile] = []
        for ref in request.snapshot.files:
            try:
                files.append(InputFile(ref.name, await self._blobs.get(ref.sha256)))
            except KeyError as error:
                raise FileMissing(f"The file {ref.name} that goes with it is no longer kept here.") from error
        return tuple(files)

    async def _hold(self, owed: Owed, request: Request, error: Exception) -> None:
        reference = self._log(owed.channel, request, error)
        await self._dispatcher.deliver(self._held(owed, request, str(error), reference), settles=(owed.seq,))

    async def _insist(self, event: ExecutionEnded | ExecutionLost) -> None:
        """Nobody else knows how it ended, so a store that fails for a while is waited for. A report that cannot be
        saved as it is must not leave the request running for ever: then only its end is reported.
        """
        backoff = Backoff(self._clock)
        while True:
            try:
                await self._dispatcher.deliver(event)
                break
            except StepFailed as failure:
                if failure.again:
                    await backoff.wait()
                elif isinstance(event, ExecutionEnded):
                    event = self._lost(event.channel, event.request, event.execution, UNREPORTED, failure.reference)
                else:
                    raise
        self._active.discard(event.execution)

    def _log(self, channel: ChannelKey, request: Request, error: Exception) -> str:
        reference = new_reference()
        log.warning(
            "sandbox failed",
            channel=str(channel),
            request=request.id,
            execution=request.execution,
            reference=reference,
            exc_info=error,
        )
        return reference

    def _held(self, owed: Owed, request: Request, text: str, reference: str) -> ExecutionHeld:
        return ExecutionHeld(
            id=new_event_id("held"),
            channel=owed.channel,
            at=self._clock.now(),
            request=request.id,
            text=text,
            reference=reference,
        )

    def _ended(self, channel: ChannelKey, request: Request, execution: str, report: Report) -> ExecutionEnded:
        return ExecutionEnded(
            id=new_event_id("ended"),
            channel=channel,
            at=self._clock.now(),
            request=request.id,
            execution=execution,
            blocks=report.blocks,
            files=report.files,
            files_left=report.files_left,
        )

    def _lost(self, channel: ChannelKey, request: str, execution: str, text: str, reference: str) -> ExecutionLost:
        return ExecutionLost(
            id=new_event_id("lost"),
            channel=channel,
            at=self._clock.now(),
            request=request,
            execution=execution,
            text=text,
            reference=reference,
        )
