"""`fencepost exec`: code in a sandbox of its own, as the operator. No policy is asked."""

import argparse
import asyncio
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from bot.cli.arguments import with_config, with_json
from bot.cli.lines import stdin_lines
from bot.cli.machinery import explained, quiet_logs, settings_of
from bot.cli.reading import Asked, BadLine, request, text_of
from bot.cli.signals import on_end
from bot.cli.terminal import answer, coloured, complain, paint
from bot.cli.trouble import DONE, MACHINERY, NO, Misused, Trouble
from executor.errors import ExecutorError, InvalidExecution
from executor.types import Code, Execution, ExecutionResult, Limits, Outcome, OutputChunk

if TYPE_CHECKING:
    from bot.settings import Settings
    from executor.pool import Sandboxes

CHANNEL = "exec"
LONGEST_S = 600.0


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lang", default="python", metavar="L", help="the language of the code (default: python)")
    parser.add_argument("--file", metavar="F", help="the code; standard input by default")
    parser.add_argument("--channel", metavar="C", help="keep the workspace under this name, for the next time")
    parser.add_argument("--timeout", type=float, metavar="S", help="seconds it may run (default: limits.timeout_s)")
    parser.add_argument(
        "--jsonl",
        action="store_true",
        help='requests {"id","language","code","timeout"?} on standard input, one a line',
    )
    parser.add_argument(
        "--echo", action="store_true", help="show the value of Python's last expression where nothing was printed"
    )
    with_json(parser)
    with_config(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    quiet_logs()
    settings = settings_of(args).settings
    if args.jsonl:
        return asyncio.run(_Operator(settings, args.channel, echo=args.echo).serve())
    code = _code(args.lang, text_of(args.file))
    limits = _limits(settings, args.timeout)
    if isinstance(code, str) or isinstance(limits, str):
        problem = code if isinstance(code, str) else str(limits)
        raise Misused("That cannot be run.", f"{problem}.", "fencepost exec --help says what it takes.")
    return asyncio.run(_Operator(settings, args.channel, echo=args.echo).once(code, limits, as_json=args.json))


def report(result: ExecutionResult, *, echo: bool = False) -> dict[str, Any]:
    """The answer's JSON: a contract with other programs. `value` is in it only where it was asked for."""
    block = result.blocks[-1]
    return {
        "outcome": result.outcome.value,
        "exit_code": block.exit_code,
        "stdout": block.output.stdout,
        "stderr": block.output.stderr,
        "truncated": block.output.truncated,
        "duration_ms": round(block.duration_ms, 3),
        "cpu_ms": round(block.cpu_ms, 3),
        "peak_memory_bytes": block.peak_memory_bytes,
        "artifacts": [{"path": item.path, "bytes": len(item.data)} for item in result.artifacts],
        "limit": {"name": block.limit.name, "value": block.limit.value} if block.limit else None,
        **({"value": block.value} if echo else {}),
    }


class _Operator:
    """One sandbox and its workspace, for one command."""

    def __init__(self, settings: "Settings", channel: str | None, *, echo: bool) -> None:
        self._settings = settings
        self._channel = channel
        self._echo = echo
        self._sandboxes: Sandboxes | None = None
        self._running: str | None = None
        self._ended = False
        self._task: asyncio.Task[Any] | None = None

    async def once(self, code: Code, limits: Limits, *, as_json: bool) -> int:
        try:
            async with self._open():
                with explained(self._settings):
                    result = await self._execute(code, limits, None if as_json else _stream)
        except asyncio.CancelledError:
            raise Trouble("Ended before it began.", "A signal came; nothing ran.", "Start it again.", NO) from None
        if as_json:
            answer(report(result, echo=self._echo))
        else:
            if (value := result.blocks[-1].value) is not None:
                _stream(OutputChunk(0, "stdout", f"{value}\n"))
            _summary(result, code.language)
        return DONE if result.outcome is Outcome.COMPLETED else NO

    async def serve(self) -> int:
        failed = False
        try:
            async with self._open():
                async for line in stdin_lines():
                    answered = await self._answer(line)
                    failed = failed or answered.pop("machinery", False)
                    answer(answered)
                    if self._ended:
                        return NO
        except asyncio.CancelledError:
            return NO
        return MACHINERY if failed else DONE

    async def _answer(self, line: bytes) -> dict[str, Any]:
        asked = request(line, {"language": str, "code": str}, {"timeout": (int, float)})
        if isinstance(asked, BadLine):
            return asked.answer()
        return {**await self._outcome(asked), "id": asked.id}

    async def _outcome(self, asked: Asked) -> dict[str, Any]:
        code = _code(asked.fields["language"], asked.fields["code"])
        limits = _limits(self._settings, asked.fields.get("timeout"))
        if isinstance(code, str) or isinstance(limits, str):
            return {"error": code if isinstance(code, str) else limits}
        try:
            return report(await self._execute(code, limits, None), echo=self._echo)
        except InvalidExecution as error:
            return {"error": str(error)}
        except ExecutorError as error:
            return {"error": str(error), "machinery": True}

    async def _execute(self, code: Code, limits: Limits, on_output: Any) -> ExecutionResult:
        assert self._sandboxes is not None  # noqa: S101 - inside `_open`
        execution = Execution(f"exec-{uuid.uuid4().hex}", "operator", (code,), limits, echo=self._echo)
        async with self._sandboxes.lease(self._channel or CHANNEL) as sandbox:
            self._running = execution.id
            try:
                result = await sandbox.execute(execution, on_output or (lambda _: None))
            finally:
                self._running = None
        for block in result.blocks:
            if block.output.spool is not None:
                block.output.spool.unlink(missing_ok=True)
        return result

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[None]:
        from bot.bootstrap.operator import open_operator  # noqa: PLC0415 - docker takes its time

        self._task = asyncio.current_task()
        with on_end(self._end):
            async with open_operator(self._settings, self._channel, _waits) as self._sandboxes:
                yield

    def _end(self) -> None:
        self._ended = True
        if self._running is not None and self._sandboxes is not None:
            self._task_of_end = asyncio.create_task(self._sandboxes.cancel(self._running))
        elif self._task is not None:
            self._task.cancel()


def _waits() -> None:
    complain("Another exec has this channel; waiting for it.")


def _code(language: str, text: str) -> Code | str:
    """The code, or what is wrong with it."""
    from bot.core.languages import DEFAULT_LANGUAGES  # noqa: PLC0415

    found = DEFAULT_LANGUAGES.find(language)
    if found is None:
        return f"there is no language {language!r}; there are {', '.join(DEFAULT_LANGUAGES.names)}"
    return Code(found.name, text)


def _limits(settings: "Settings", timeout_s: float | None) -> Limits | str:
    wanted = settings.limits.timeout_s if timeout_s is None else timeout_s
    if not 0 < wanted <= LONGEST_S:
        return f"the time-out is above 0 and at most {LONGEST_S:g} seconds"
    return Limits(timeout_s=float(wanted), memory_mb=settings.limits.memory_mb)


def _stream(chunk: OutputChunk) -> None:
    stream = sys.stdout if chunk.stream == "stdout" else sys.stderr
    text = chunk.text
    if stream.isatty():
        from adapters.console.outbound import neutral  # noqa: PLC0415

        text = neutral(text)
    stream.write(text)
    stream.flush()


def _summary(result: ExecutionResult, language: str) -> None:
    """How it went, where that is not plain from the exit code and the output."""
    block = result.blocks[-1]
    good = result.outcome is Outcome.COMPLETED
    if good and not sys.stderr.isatty():
        return
    limit = f" · {block.limit.name} {block.limit.value:g}" if block.limit else ""
    text = f"{language} · {result.outcome.value.replace('_', ' ')} · exit {block.exit_code}{limit}"
    colour = "green" if good else "red"
    complain(paint(f"{'✔' if good else '✘'} {text} · {block.duration_ms:.0f} ms", colour, on=coloured(sys.stderr)))
    for item in result.artifacts:
        complain(f"  {item.path} ({len(item.data)} bytes)")
