"""What goes into a sandbox and what comes out of it.

Plain frozen values of the standard library, without I/O, so that the core of the bot, the host side of the executor
and the supervisor inside the sandbox can all speak of the same things. Sizes are bytes, times are seconds unless a
name says otherwise.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Literal

Stream = Literal["stdout", "stderr"]
WorkspaceAccess = Literal["rw", "ro", "none"]
LimitName = Literal["timeout_s", "cpu_s", "memory_mb", "processes", "output_bytes", "file_bytes"]

KIB = 1024
MIB = 1024 * KIB


class Outcome(StrEnum):
    """How an execution, or one block of it, ended.

    The first six and `cancelled` are verdicts of the sandbox; `interrupted` (the bot restarted) and `lost` (the
    sandbox went away) are said about an execution whose end nobody saw; `refused` and `denied` about one that never
    began.
    """

    COMPLETED = "completed"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    OUTPUT_EXCEEDED = "output_exceeded"
    TOO_MANY_PROCESSES = "too_many_processes"
    CANCELLED = "cancelled"
    REFUSED = "refused"
    DENIED = "denied"
    INTERRUPTED = "interrupted"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one execution; each block of it gets the whole of them.

    `output_bytes` is kept in memory and shown (head and tail); up to `file_output_bytes` the full text is spooled to
    a file; a program that writes more is ended with `output_exceeded`. `file_bytes` is the largest file that may be
    written.
    """

    timeout_s: float = 10.0
    memory_mb: int = 512
    processes: int = 64
    output_bytes: int = MIB
    file_output_bytes: int = 10 * MIB
    file_bytes: int = 128 * MIB
    artifact_count: int = 10
    artifact_bytes: int = 8 * MIB
    artifact_total_bytes: int = 25 * MIB

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            if getattr(self, name) <= 0:
                raise ValueError(f"limit {name} must be above zero, not {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class Code:
    """One block as it is handed to the sandbox.

    `language` is a canonical name of the language table. `filename` stores the block under that workspace-relative
    path and runs it from there; without it the code lives outside the workspace. `stdin` of None is an input at its
    end.
    """

    language: str
    text: str
    filename: str | None = None
    args: tuple[str, ...] = ()
    stdin: bytes | None = None


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file laid into the workspace before the first block; `path` is relative and never leaves the workspace."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Execution:
    """One run of blocks, in order, in a channel's sandbox; it stops after the first block that is not completed.

    `requester` is an opaque key: files and processes of one requester belong to one uid of the channel's sandbox. A
    requester has at most one execution at a time in a sandbox. `echo` asks for the value of a Python program's last
    expression where it printed nothing.
    """

    id: str
    requester: str
    blocks: tuple[Code, ...]
    limits: Limits = Limits()
    files: tuple[InputFile, ...] = ()
    workspace: WorkspaceAccess = "rw"
    echo: bool = False


@dataclass(frozen=True, slots=True)
class OutputChunk:
    """A piece of output while the program runs: decoded, never split inside a character. `block` counts from 0."""

    block: int
    stream: Stream
    text: str


@dataclass(frozen=True, slots=True)
class Output:
    """What a block wrote, bounded.

    `text` is both streams in the order of arrival, `stdout` and `stderr` each alone; all three hold head and tail
    with a marker line in between once more than `Limits.output_bytes` came. `spool` then names a temporary file with
    the full text (up to `Limits.file_output_bytes`); whoever receives the result owns and removes it.
    """

    text: str = ""
    stdout: str = ""
    stderr: str = ""
    total_bytes: int = 0
    truncated: bool = False
    spool: Path | None = None


@dataclass(frozen=True, slots=True)
class LimitHit:
    """The limit that ended a program, with the value it had."""

    name: LimitName
    value: float


@dataclass(frozen=True, slots=True)
class BlockResult:
    """How one block ended.

    `exit_code` is the program's own, or 124 timed out, 137 out of memory, 130 cancelled, 128+n killed by signal n;
    None where the block never ran. `peak_memory_bytes` is the program's own, not the preloaded interpreter's; of a
    program other than Python that ended within milliseconds it is no more than an upper bound. `value` is the text of
    the last expression's value, see `Execution.echo`.
    """

    outcome: Outcome
    exit_code: int | None = None
    signal: int | None = None
    output: Output = Output()
    duration_ms: float = 0.0
    cpu_ms: float = 0.0
    peak_memory_bytes: int = 0
    limit: LimitHit | None = None
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file that an execution created or changed: `path` relative to the workspace, `data` its content at the end.

    A figure that it showed is called `figure-N.png` and lies in no workspace.
    """

    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class ExecutionResult:
    """Results of the blocks that ran (those after the first failure are missing) and the files that came out.

    `artifacts_left` counts changed files that stayed behind because a limit or their kind forbade to bring them out.
    """

    blocks: tuple[BlockResult, ...]
    artifacts: tuple[Artifact, ...] = ()
    artifacts_left: int = 0

    @property
    def outcome(self) -> Outcome:
        """Of several blocks the first that is not completed."""
        return next((b.outcome for b in self.blocks if b.outcome is not Outcome.COMPLETED), Outcome.COMPLETED)


OnOutput = Callable[[OutputChunk], None]


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """Limits of a channel's container; its memory follows from them and from the executions' limits."""

    slots: int = 4
    cpus: float = 1.0
    workspace_mb: int = 128
    tmp_mb: int = 64
    shm_mb: int = 64
    open_files: int = 512
    execution: Limits = field(default_factory=Limits)
