"""From a sandbox's result to what is kept of it: excerpts in the state, the whole in blobs.

A blob that cannot be written costs the file, never the report.
"""

import re
from dataclasses import dataclass

import structlog

from bot.core.limits import EXCERPT_CHARS
from bot.core.media import media_type
from bot.core.reports import BlockReport, FileRef, LimitReport
from bot.core.views.excerpt import excerpt
from bot.ports import Blobs, StoreUnavailable
from executor.types import Artifact, BlockResult, Code, ExecutionResult, Output

ERROR_LINE_CHARS = 200

_END_OF_INPUT = "EOFError: EOF when reading a line"
_FRAME = re.compile(r'^  File "(?P<file>[^"]*)", line (?P<line>\d+)', re.MULTILINE)

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Report:
    blocks: tuple[BlockReport, ...]
    files: tuple[FileRef, ...] = ()
    files_left: int = 0


async def report_of(result: ExecutionResult, code: tuple[Code, ...], blobs: Blobs) -> Report:
    """Takes over the spool files of the result; none is left behind."""
    blocks = [await _block(number, block, code[number], blobs) for number, block in enumerate(result.blocks)]
    files = [await _artifact(artifact, blobs) for artifact in result.artifacts]
    kept = tuple(file for file in files if file is not None)
    return Report(tuple(blocks), kept, result.artifacts_left + len(files) - len(kept))


async def _block(number: int, result: BlockResult, code: Code, blobs: Blobs) -> BlockReport:
    text, cut = excerpt(result.output.text, EXCERPT_CHARS)
    cut = cut or result.output.truncated
    full = await _full(f"output-{number + 1}.txt", result.output, blobs) if cut else None
    if result.output.spool is not None:
        result.output.spool.unlink(missing_ok=True)
    return BlockReport(
        outcome=result.outcome,
        exit_code=result.exit_code,
        signal=result.signal,
        text=text,
        error_line=error_line(result.output.stderr) if code.language == "python" and result.exit_code else "",
        cut=cut,
        full=full,
        total_bytes=result.output.total_bytes,
        duration_ms=result.duration_ms,
        cpu_ms=result.cpu_ms,
        peak_memory_bytes=result.peak_memory_bytes,
        limit=None if result.limit is None else LimitReport(name=result.limit.name, value=float(result.limit.value)),
        value=None if result.value is None else excerpt(result.value, EXCERPT_CHARS)[0],
        out_of_input=code.language == "python" and bool(result.exit_code) and _ran_out_of_input(result.output.stderr),
    )


async def _full(name: str, output: Output, blobs: Blobs) -> FileRef | None:
    try:
        if output.spool is not None:
            return await blobs.put_file(output.spool, name, "text/plain")
        return await blobs.put(output.text.encode(errors="replace"), name, "text/plain")
    except StoreUnavailable as error:
        log.warning("output in full could not be kept", error=str(error))
        return None


async def _artifact(artifact: Artifact, blobs: Blobs) -> FileRef | None:
    name = artifact.path.encode(errors="replace").decode()
    try:
        return await blobs.put(artifact.data, name, media_type(artifact.data))
    except StoreUnavailable as error:
        log.warning("artifact could not be kept", error=str(error))
        return None


def error_line(stderr: str) -> str:
    """`ZeroDivisionError on line 3`: what ended a Python program, and the line of its own code; "" if nothing did.

    The sandbox names the program's own files relative to its folder, everything else by a full path.
    """
    frames = list(_FRAME.finditer(stderr))
    if not frames:
        return ""
    after = stderr[frames[-1].end() :].splitlines()
    error = next((line for line in after[1:] if line and not line[0].isspace()), "")
    name = error.partition(":")[0].rpartition(".")[2]
    if not name.isidentifier():
        return ""
    own = [frame["line"] for frame in _last_traceback(frames, stderr) if not frame["file"].startswith(("/", "<"))]
    return f"{name} on line {own[-1]}"[:ERROR_LINE_CHARS] if own else name[:ERROR_LINE_CHARS]


def _ran_out_of_input(stderr: str) -> bool:
    return stderr.rstrip().rpartition("\n")[2] == _END_OF_INPUT


def _last_traceback(frames: list[re.Match[str]], stderr: str) -> list[re.Match[str]]:
    """The frames of the exception that was not caught, as opposed to those it was raised from."""
    start = stderr.rfind("Traceback (most recent call last):")
    return [frame for frame in frames if frame.start() > start]
