"""What the frames between bot and supervisor carry: the values, and their JSON. Pure; runs on both sides.

`executor.frames` says which message goes when. JSON is ASCII with every key present, so that a lone surrogate in a
file name survives and a missing key is a fault of ours, not a default.

START carries, beside what is to run, only the lengths of its bulk; the bytes go ahead in DATA frames of the same run:
code (UTF-8, lone surrogates passed through), then standard input, then the files, without gaps.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, TypeVar

from executor.frames import MAX_PAYLOAD, PROTOCOL, Kind, encode, encode_bulk
from executor.types import MIB, InputFile, Limits, WorkspaceAccess

T = TypeVar("T")
MAX_BULK: Final = 64 * MIB
UNKNOWN: Final = "?"
"""The generation of a workspace that no archive has: half laid out, or used without one."""

FIGURE: Final = re.compile(r"figure-([1-9][0-9]{0,3})\.png", re.ASCII)
"""What a figure is called that a program has shown, in a workspace or not."""

Reason = Literal["timeout", "cpu", "memory", "output", "processes", "file_size", "cancelled", "stuck"]
RefusedError = Literal["busy", "too_many_requesters", "bad_request", "no_such_language", "unsupported", "resources"]


class MessageError(ValueError):
    """A message cannot be sent or understood; the text says why."""


@dataclass(frozen=True, slots=True)
class Start:
    """One block to run.

    `id` names the execution (for READY and logs), `requester` whose uid it runs under. `command` is the language's
    argv with `{file}` where the path of the code belongs; `args` follow it. Of Python's command only the program has
    to be there: the supervisor runs the code itself. `filename` stores the code in the workspace under that path and
    runs it from there; without it the code lies outside the workspace and is called `name`. `files` are laid into the
    workspace first. With `collect` the files that the block created or changed come back as ARTIFACT; a file that
    several blocks of an execution change comes back with each of them. So do figures that it shows, whatever its
    workspace, as `figure-N.png` with numbers after `figures`. `echo` asks for the value of the last expression.
    """

    id: str
    requester: str
    language: str
    command: tuple[str, ...]
    code: str
    limits: Limits = field(default_factory=Limits)
    name: str = "main"
    filename: str | None = None
    args: tuple[str, ...] = ()
    stdin: bytes | None = None
    workspace: WorkspaceAccess = "rw"
    files: tuple[InputFile, ...] = ()
    collect: bool = False
    echo: bool = False
    figures: int = 0


@dataclass(frozen=True, slots=True)
class Running:
    """A run from before the synchronisation. Its EXIT is still to come; what it wrote before is lost."""

    run: int
    id: str
    state: Literal["running", "ending"]


@dataclass(frozen=True, slots=True)
class Ready:
    """What this supervisor is and can do. Without `landlock` only the workspace access "rw" is supported.

    `workspace` names the generations of the archive that the workspace may descend from; it is empty as long as
    nothing was laid out and nothing has run.
    """

    python: str
    running: tuple[Running, ...] = ()
    languages: tuple[str, ...] = ()
    preloaded: tuple[str, ...] = ()
    landlock: bool = False
    workspace: tuple[str, ...] = ()
    protocol: int = PROTOCOL


@dataclass(frozen=True, slots=True)
class Started:
    """The program runs, as this process of the container (for logs)."""

    pid: int


@dataclass(frozen=True, slots=True)
class ArtifactHead:
    """`bytes` of content follow in DATA frames of the run."""

    path: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Exit:
    """How a run ended. Exactly one of `exit_code` and `signal` is set, neither where the end was never seen (stuck).

    `reason` is the limit that ended it, None for the program's own end. After "stuck" processes are left that cannot
    be killed: the sandbox has to be replaced. `bytes` counts output of both streams, unsent included. `leftovers` is
    how many processes had to be ended after the main one. `artifacts_left` counts changed files that did not come out.
    `value` is the text of the last value, of a program that ended well and wrote nothing to its standard output.
    """

    exit_code: int | None = None
    signal: int | None = None
    reason: Reason | None = None
    duration_ms: float = 0.0
    cpu_ms: float = 0.0
    peak_memory_bytes: int = 0
    bytes: int = 0
    leftovers: int = 0
    artifacts_left: int = 0
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a run never began.

    busy: no free slot, or the requester has one already. resources: no process, memory or space for it just now. The
    text is for an operator, except after bad_request, where it says what was wrong.
    """

    error: RefusedError
    text: str


@dataclass(frozen=True, slots=True)
class Save:
    """Bring out what has changed since the mark that went ahead; with `thorough` by content, whatever file times say.

    `base` is the archive's generation, `next` the one it will have. At most `limit_bytes` of content come out.
    """

    base: str
    next: str
    limit_bytes: int
    thorough: bool = False


@dataclass(frozen=True, slots=True)
class Lay:
    """Lay the workspace out as the archive has it in `generation`, for `owners`; without `entries` it is empty."""

    generation: str
    owners: tuple[str, ...] = ()
    entries: int = 0


@dataclass(frozen=True, slots=True)
class Kept:
    """What a SAVE or LAY has come to: entries that came out or were laid, those that are gone, those that stayed
    behind by reason, and whether it got through the whole workspace. `error` is why it could not be done at all.
    """

    entries: int = 0
    gone: int = 0
    left: dict[str, int] = field(default_factory=dict)
    complete: bool = True
    error: str = ""


Message = Save | Lay | Kept | Ready | Started | ArtifactHead | Exit | Refused


def encode_message(message: Message) -> bytes:
    """The payload of any message but START."""
    return json.dumps(asdict(message), separators=(",", ":")).encode("ascii")


def encode_start(run: int, start: Start, token: bytes) -> list[bytes]:
    """The frames that start a block, in order.

    Raises:
        MessageError: too large, or it contains the token, which would end the stream's synchronisation.
    """
    bulk = [start.code.encode("utf-8", "surrogatepass"), start.stdin or b"", *(file.data for file in start.files)]
    if sum(map(len, bulk)) > MAX_BULK:
        raise MessageError(f"code, input and files together are above {MAX_BULK // MIB} MiB")
    value = asdict(start) | {
        "code": len(bulk[0]),
        "stdin": None if start.stdin is None else len(start.stdin),
        "files": [{"path": file.path, "bytes": len(file.data)} for file in start.files],
    }
    payload = json.dumps(value, separators=(",", ":")).encode("ascii")
    if len(payload) > MAX_PAYLOAD:
        raise MessageError(f"arguments and file names together are above {MAX_PAYLOAD // MIB} MiB")
    joined = b"".join(bulk)
    if token in joined or token in payload:
        raise MessageError("the request contains the mark that separates requests")
    return [*encode_bulk(Kind.DATA, run, joined), encode(Kind.START, run, payload)]


def decode_start(payload: bytes, bulk: bytes) -> Start:
    """A block out of its START frame and the joined DATA before it.

    Raises:
        MessageError: it is not what `encode_start` makes.
    """
    try:
        value = json.loads(payload)
        sizes = [value["code"], value["stdin"] or 0, *(file["bytes"] for file in value["files"])]
        code, stdin, *files = _cut(bulk, sizes)
        return Start(
            **value
            | {
                "command": tuple(value["command"]),
                "code": code.decode("utf-8", "surrogatepass"),
                "limits": Limits(**value["limits"]),
                "args": tuple(value["args"]),
                "stdin": None if value["stdin"] is None else stdin,
                "files": tuple(InputFile(file["path"], data) for file, data in zip(value["files"], files, strict=True)),
            }
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise MessageError(f"START cannot be understood: {error!r}") from error


def decode_ready(payload: bytes) -> Ready:
    value = _decode(payload)
    return _build(
        Ready,
        value,
        running=tuple(_build(Running, run) for run in value.get("running", ())),
        languages=tuple(value.get("languages", ())),
        preloaded=tuple(value.get("preloaded", ())),
        workspace=tuple(value.get("workspace", ())),
    )


def decode_save(payload: bytes) -> Save:
    return _build(Save, _decode(payload))


def decode_lay(payload: bytes) -> Lay:
    value = _decode(payload)
    return _build(Lay, value, owners=tuple(value.get("owners", ())))


def decode_kept(payload: bytes) -> Kept:
    return _build(Kept, _decode(payload))


def decode_started(payload: bytes) -> Started:
    return _build(Started, _decode(payload))


def decode_artifact(payload: bytes) -> ArtifactHead:
    return _build(ArtifactHead, _decode(payload))


def decode_exit(payload: bytes) -> Exit:
    return _build(Exit, _decode(payload))


def decode_refused(payload: bytes) -> Refused:
    return _build(Refused, _decode(payload))


def _decode(payload: bytes) -> dict[str, Any]:
    try:
        value = json.loads(payload)
    except ValueError as error:
        raise MessageError(f"a payload is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise MessageError("a payload is no JSON object")
    return value


def _build(kind: type[T], value: dict[str, Any], **changed: Any) -> T:
    try:
        return kind(**value | changed)
    except (TypeError, ValueError) as error:
        raise MessageError(f"no {kind.__name__}: {error}") from error


def _cut(bulk: bytes, sizes: Iterable[int]) -> list[bytes]:
    parts, at = [], 0
    for size in sizes:
        if size < 0:
            raise ValueError("a negative length")
        parts.append(bulk[at : at + size])
        at += size
    if at != len(bulk):
        raise ValueError(f"{len(bulk)} bytes came, {at} were announced")
    return parts
