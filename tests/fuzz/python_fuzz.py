"""Soundness of the reading of Python, against Python: what runs is what the facts said.

    python -m tests.fuzz.python_fuzz [--seconds S | --accepted N] [--seed N]

Random programs that the analysed preset would run by itself are run in a container of the sandbox image, without
network, under an audit hook (`python_inside`). What a program caused itself has to be predicted by a fact; what a
library did on its behalf has to be what such libraries do. The canary, a text that programs pass around as data, must
never become code. Needs an engine that has the image.
"""

import argparse
import io
import json
import random
import socket
import sys
import tarfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import docker

from bot.core.policy.decision import Effect, Fact
from bot.core.policy.load import parse_policy
from executor.images import content_tag
from tests.fuzz.python_programs import Maker
from tests.unit.core.policy.making import block, decided

HERE = Path(__file__).parent
BATCH = 200
BLOCK = "<block>"

_IGNORED = frozenset({"array.__new__", "builtins.id", "sys.excepthook", "sys.unraisablehook"})
_INDIRECT = frozenset(
    "import compile exec marshal.loads object.__getattr__ object.__setattr__ object.__delattr__ sys._getframe"
    " code.__new__ function.__new__ os.listdir os.scandir".split()
)
"""What libraries do for themselves all the time."""

_SYSTEM = ("/usr/", "/etc/localtime", "/dev/null", "/opt/fencepost/", "/tmp/matplotlib")


@dataclass(frozen=True, slots=True)
class Unsound:
    """A program that did what no fact said."""

    code: str
    did: tuple[str, ...]


@dataclass(slots=True)
class Tally:
    """What came of a run."""

    made: int = 0
    accepted: int = 0
    events: int = 0
    late: int = 0
    unsound: list[Unsound] = field(default_factory=list)


class Inside:
    """Runs batches of programs, each batch in a container of its own that reaches nothing."""

    def __init__(self, client: Any, image: str) -> None:
        self._client = client
        self._image = image

    def run(self, programs: Sequence[str]) -> list[dict[str, Any]]:
        container = self._client.containers.create(
            self._image,
            ["python3", "-B", "/workspace/inside.py", "/workspace/programs.json", "/results.jsonl"],
            network_mode="none",
            mem_limit="2g",
            pids_limit=200,
            environment={"MPLCONFIGDIR": "/tmp/matplotlib", "PYTHONWARNINGS": "ignore"},
        )
        try:
            container.put_archive("/workspace", _archive(programs))
            container.start()
            status = container.wait(timeout=600)["StatusCode"]
            if status:
                raise RuntimeError(container.logs().decode("utf-8", "replace")[-2000:])
            chunks, _ = container.get_archive("/results.jsonl")
            with tarfile.open(fileobj=io.BytesIO(b"".join(chunks))) as archive:
                member = archive.extractfile("results.jsonl")
                lines = member.read().decode().splitlines() if member else []
        finally:
            container.remove(force=True)
        return [json.loads(line) for line in lines]


def _archive(programs: Sequence[str]) -> bytes:
    files = {
        "inside.py": (HERE / "python_inside.py").read_bytes(),
        "programs.json": json.dumps(programs).encode(),
        "data.csv": b"x,y\n1,2\n3,4\n",
        "helper.py": b"LOADED = True\n",
    }
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(data), 0o644
            archive.addfile(info, io.BytesIO(data))
    return made.getvalue()


def surprises(report: dict[str, Any], facts: Sequence[Fact]) -> Iterator[str]:
    """Everything that the program did, or holds, and no fact says."""
    yield from (f"holds {each}" for each in report.get("held", ()))
    yield from (f"imported {name} from the workspace" for name in report.get("modules", ()))
    if "trouble" in report:
        yield f"trouble: {report['trouble']}"
    for event, arguments, file in report.get("events", ()):
        if not _is_predicted(event, arguments, file, facts):
            yield f"{event} {arguments} by {file}"


def _is_predicted(event: str, arguments: list[Any], file: str, facts: Sequence[Fact]) -> bool:
    said = {(fact.kind, fact.value) for fact in facts}
    direct = file == BLOCK
    first = arguments[0] if arguments else None
    if event in _IGNORED:
        return True
    if event == "open":
        return _is_open_predicted(arguments, said, direct=direct)
    if event == "import":
        return not direct or any(kind == "import" and f"{value}.".startswith(f"{first}.") for kind, value in said)
    if event in {"builtins.input", "builtins.input/result"}:
        return ("builtin", "input") in said
    if direct:
        return False
    if event in {"compile", "exec"}:
        known = file.startswith(("<frozen", "/usr/lib/python3"))
        return known and not any("canary" in str(each) for each in arguments)
    if event == "socket.__new__":  # a pair that a loop wakes itself by, which nobody else can reach
        return len(arguments) > 1 and arguments[1] == socket.AF_UNIX
    return event in _INDIRECT


def _is_open_predicted(arguments: list[Any], said: set[tuple[str, str]], *, direct: bool) -> bool:
    path, mode, flags = (*arguments, None, None, None)[:3]
    writes = any(letter in str(mode or "") for letter in "wax+") or (isinstance(flags, int) and bool(flags & 3))
    if not isinstance(path, str):
        return not direct
    absolute = path if path.startswith("/") else f"/workspace/{path}"
    if writes:
        return ("write", absolute) in said
    return ("read", absolute) in said or ("write", absolute) in said or (not direct and absolute.startswith(_SYSTEM))


def fuzz(client: Any, image: str, seed: int, seconds: float | None, accepted: int | None) -> Tally:
    """Until the time is over or so many programs were accepted and run."""
    tally = Tally()
    maker = Maker(random.Random(seed))  # noqa: S311 (chance, no secret)
    team = parse_policy((HERE.parents[1] / "config/policies/team-analysed.toml").read_text(), "team-analysed.toml")
    inside = Inside(client, image)
    end = time.monotonic() + (seconds if seconds is not None else 1e9)
    while time.monotonic() < end and (accepted is None or tally.accepted < accepted):
        waiting: list[tuple[str, tuple[Fact, ...]]] = []
        most = BATCH if accepted is None else min(BATCH, accepted - tally.accepted)
        half = time.monotonic() + (end - time.monotonic()) / 2
        while len(waiting) < most and time.monotonic() < half:
            code = maker.program()
            tally.made += 1
            decision = decided(team, block(code))
            if decision.effect is Effect.ALLOW:
                waiting.append((code, decision.facts))
        for (code, facts), report in zip(waiting, inside.run([code for code, _ in waiting]), strict=True):
            tally.accepted += 1
            tally.late += bool(report.get("late"))
            tally.events += len(report.get("events", ()))
            if did := tuple(surprises(report, facts)):
                tally.unsound.append(Unsound(code, did))
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description="Run what the policy understands of Python, and compare")
    parser.add_argument("--seconds", type=float, default=None)
    parser.add_argument("--accepted", type=int, default=None)
    parser.add_argument("--seed", type=int, default=None)
    args = parser.parse_args()
    seed = args.seed if args.seed is not None else random.SystemRandom().randrange(1 << 32)
    client = docker.from_env(timeout=600)
    try:
        tally = fuzz(client, content_tag(), seed, args.seconds, args.accepted)
    finally:
        client.close()
    report = {
        "seed": seed,
        "made": tally.made,
        "accepted": tally.accepted,
        "events": tally.events,
        "late": tally.late,
        "unsound": [{"code": each.code, "did": each.did} for each in tally.unsound],
    }
    sys.stdout.write(json.dumps(report, indent=1) + "\n")
    return 1 if tally.unsound else 0


if __name__ == "__main__":
    sys.exit(main())
