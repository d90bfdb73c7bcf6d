"""Soundness of the reading of bash, against bash: what runs is what the facts said.

    python -m tests.fuzz.bash_fuzz [--seconds S | --accepted N] [--seed N]

Random programs whose facts have nothing unknown and whose commands are all stubs or tame builtins are run by the real
bash, with a PATH of stubs only, without network, as nobody, in a folder of their own. Every command line that bash
runs, builtins included (from its trace), and every one that a stub was given, has to be predicted by a fact; so has
every file that is there afterwards, and every variable that has changed.
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from bot.core.policy.decision import Argument, Fact
from bot.core.policy.shell.analysis import facts_of
from tests.fuzz.bash_programs import BUILTINS, PROGRAMS, Maker, harmless

BASH = "/bin/bash"
NOBODY = 65534
RUN_SECONDS = 3.0

STUBS = (*PROGRAMS, "timeout", "nice", "missing")
RUNNABLE = frozenset({*STUBS, *BUILTINS, "./run.sh", "["})

_END = "\1end"
_STUB = "#!/bin/sh\nprintf '%s\\0' '{name}' \"$@\" '{end}' >> '{log}'\n"
"""One write each, so that stubs of one pipeline do not mix."""

_MISSING = f"() {{ printf '%s\\0' \"$@\" '{_END}' >> \"$STUB_LOG\"; return 127; }}"
_AT_START = "trap 'set +x; declare -p > \"$STUB_VARIABLES\"' EXIT\n"
_OWN = frozenset({"trap", "set"})
_DECLARED = re.compile(r"^declare -\S+ (\w+)(?:=(.*))?$", re.MULTILINE | re.ASCII)
_RESTLESS = re.compile(
    r"BASH\w*|_|PIPESTATUS|LINENO|RANDOM|SRANDOM|SECONDS|EPOCH\w+|OPTIND|PPID|SHLVL|OLDPWD|PWD|FUNCNAME|COLUMNS|LINES"
)
"""Variables that change by themselves, or by cd."""

_STEP = re.compile(r"^\++@ ", re.MULTILINE)
_NO_COMMAND = re.compile(r"(?:[A-Za-z_]\w*\+?=|(?:for|case|select) |\[\[ |\(\( )", re.ASCII)
_QUOTED = re.compile(r"\$'((?:[^'\\]|\\.)*)'|'([^']*)'|\\(.)|([^\s'\\$]|\$(?!'))", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Unsound:
    """A program that did what no fact said."""

    code: str
    did: tuple[str, ...]
    said: tuple[str, ...]


@dataclass(slots=True)
class Tally:
    """What came of a run."""

    made: int = 0
    accepted: int = 0
    commands: int = 0
    late: int = 0
    unsound: list[Unsound] = field(default_factory=list)


def predicts(argv: Sequence[Argument], words: Sequence[str]) -> bool:
    """Whether a fact's words can have become these: by position, computed ones as many as they may be."""
    reachable = {0}
    for word in argv:
        if isinstance(word, str):
            reachable = {at + 1 for at in reachable if at < len(words) and words[at] == word}
        elif word.words == "one":
            reachable = {at + 1 for at in reachable if at < len(words)}
        elif reachable:
            reachable = set(range(min(reachable), len(words) + 1))
        if not reachable:
            return False
    return len(words) in reachable


def acceptable(code: str, facts: Sequence[Fact]) -> bool:
    """Whether it is understood, and calls nothing that should not run here."""
    named = [fact.argv[0] for fact in facts if fact.kind == "cmd"]
    return (
        bool(named)
        and harmless(code)
        and all(fact.kind != "unknown" for fact in facts)
        and all(isinstance(name, str) and name in RUNNABLE for name in named)
    )


@dataclass(frozen=True, slots=True)
class Done:
    """What a program did: command lines, new files, variables that have changed with their values; late or in time."""

    ran: tuple[tuple[str, ...], ...]
    files: frozenset[str]
    variables: dict[str, str]
    late: bool


class Bench:
    """A folder with stubs, in which programs are run one after another."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._log = home / "log"
        self._work = home / "work"
        self._variables = home / "variables"
        (home / "bin").mkdir()
        (home / "start").write_text(_AT_START)
        for name in STUBS:
            self._stub(home / "bin" / name, name)
        self._nobody = os.geteuid() == 0
        home.chmod(0o755)
        self._usual: dict[str, str] = {}
        self._usual = self.run(":").variables

    def _stub(self, path: Path, name: str) -> None:
        path.write_text(_STUB.format(name=name, log=self._log, end=_END))
        path.chmod(0o755)

    def run(self, code: str) -> "Done":
        shutil.rmtree(self._work, ignore_errors=True)
        self._work.mkdir()
        (self._work / "src").mkdir()
        for name in ("file.txt", "a", "src/x"):
            (self._work / name).write_text("one two\nthree\n")
        self._stub(self._work / "run.sh", "./run.sh")
        before = set(self._files())
        self._log.write_bytes(b"")
        self._variables.write_bytes(b"")
        script = self._home / "script"
        script.write_text(code)
        if self._nobody:
            for path, mode in (
                (self._log, 0o666),
                (self._variables, 0o666),
                (self._work, 0o777),
                (self._work / "src", 0o777),
            ):
                path.chmod(mode)
        late, trace = self._bash(script)
        ran = (*self._logged(), *(words for words in traced(trace) if words[0] not in _OWN))
        return Done(ran, frozenset(self._files()) - before, self._changed(), late)

    def _changed(self) -> dict[str, str]:
        """Variables that are new or other than in a script that does nothing."""
        declared = dict(_DECLARED.findall(self._variables.read_text("utf-8", "replace")))
        return {
            name: value
            for name, value in declared.items()
            if self._usual.get(name) != value and not _RESTLESS.fullmatch(name)
        }

    def _bash(self, script: Path) -> tuple[bool, str]:
        reading, writing = os.pipe()
        environment = {
            "PATH": str(self._home / "bin"),
            "LANG": "C.UTF-8",
            "HOME": str(self._work),
            "STUB_LOG": str(self._log),
            "STUB_VARIABLES": str(self._variables),
            "BASH_ENV": str(self._home / "start"),
            "BASH_FUNC_command_not_found_handle%%": _MISSING,
            "BASH_XTRACEFD": str(writing),
            "PS4": "+@ ",
        }
        process = subprocess.Popen(
            [BASH, "--noprofile", "--norc", "-x", str(script)],
            cwd=self._work,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(writing,),
            start_new_session=True,
            user=NOBODY if self._nobody else None,
            extra_groups=[] if self._nobody else None,
            preexec_fn=_limit,  # noqa: PLW1509 (one thread)
        )
        os.close(writing)
        late = False
        os.set_blocking(reading, False)
        parts: list[bytes] = []
        end = time.monotonic() + RUN_SECONDS
        while process.poll() is None and not late:
            late = time.monotonic() > end
            try:
                parts.append(os.read(reading, 65536))
            except BlockingIOError:
                time.sleep(0.0005)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        with suppress(BlockingIOError):
            while part := os.read(reading, 65536):
                parts.append(part)
        os.close(reading)
        return late, b"".join(parts).decode("utf-8", "replace")

    def _logged(self) -> Iterator[tuple[str, ...]]:
        for record in self._log.read_bytes().split(_END.encode() + b"\0")[:-1]:
            yield tuple(word.decode("utf-8", "replace") for word in record.split(b"\0")[:-1])

    def _files(self) -> Iterator[str]:
        for path in self._work.rglob("*"):
            if not path.is_dir():
                yield str(path.relative_to(self._work))


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (2, 2))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))


def traced(trace: str) -> Iterator[tuple[str, ...]]:
    """Command lines of a trace, where they can be taken apart; assignments and keywords are none."""
    for step in _STEP.split(trace)[1:]:
        line = step.rstrip("\n")
        if _NO_COMMAND.match(line):
            continue
        words = unquoted(line)
        if words:
            yield words


def unquoted(line: str) -> tuple[str, ...] | None:
    """Words that bash has quoted for its trace; None where it did not."""
    words: list[str] = []
    at = 0
    while at < len(line):
        if line[at] == " ":
            at += 1
            continue
        text = ""
        while at < len(line) and line[at] != " ":
            part = _QUOTED.match(line, at)
            if part is None:
                return None
            escaped, single, one, plain = part.groups()
            text += _decoded(escaped) if escaped is not None else single if single is not None else one or plain
            at = part.end()
        words.append(text)
    return tuple(words)


def _decoded(text: str) -> str:
    known = {
        "n": "\n",
        "t": "\t",
        "r": "\r",
        "a": "\a",
        "b": "\b",
        "f": "\f",
        "v": "\v",
        "E": "\033",
        "\\": "\\",
        "'": "'",
        '"': '"',
    }
    raw = re.sub(
        rb"\\([0-7]{1,3}|.)",
        lambda match: (
            bytes([int(match[1], 8)])
            if match[1].isdigit()
            else known.get(match[1].decode(), match[1].decode()).encode()
        ),
        text.encode(),
    )
    return raw.decode("utf-8", "replace")


def check(bench: Bench, code: str, facts: Sequence[Fact], tally: Tally) -> None:
    done = bench.run(code)
    commands = [fact.argv for fact in facts if fact.kind == "cmd"]
    written = {fact.value.removeprefix("/workspace/") for fact in facts if fact.kind == "write"}
    assigned = {fact.value for fact in facts if fact.kind == "assign"}
    did = [" ".join(map(repr, words)) for words in done.ran if not any(predicts(argv, words) for argv in commands)]
    did += [f"file {name}" for name in sorted(done.files - written)]
    did += [f"variable {name}" for name in sorted(done.variables.keys() - assigned)]
    tally.accepted += 1
    tally.commands += len(done.ran)
    tally.late += done.late
    if did:
        tally.unsound.append(Unsound(code, tuple(did), tuple(f"{fact.kind} {fact.value}" for fact in facts)))


def fuzz(seed: int, seconds: float | None, accepted: int | None) -> Tally:
    """Until the time is over or so many programs were accepted and run."""
    tally = Tally()
    end = time.monotonic() + (seconds if seconds is not None else 1e9)
    maker = Maker(random.Random(seed))  # noqa: S311 (chance, no secret)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as home:
        bench = Bench(Path(home))
        while time.monotonic() < end and (accepted is None or tally.accepted < accepted):
            code = maker.program()
            tally.made += 1
            facts = facts_of(code)
            if acceptable(code, facts):
                check(bench, code, facts, tally)
    return tally


ALONE = ("unshare", "--net", "--pid", "--fork", "--kill-child")


def isolated() -> tuple[str, ...]:
    """How to start it without network and in a process space of its own, where the machine lets us."""
    if os.geteuid() != 0 or shutil.which(ALONE[0]) is None:
        return ()
    tried = subprocess.run([*ALONE, "true"], check=False, capture_output=True)
    return ALONE if tried.returncode == 0 else ()


def main() -> int:
    parser = argparse.ArgumentParser(description="Run what the policy understands of bash, and compare")
    parser.add_argument("--seconds", type=float, default=None)
    parser.add_argument("--accepted", type=int, default=None)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--here", action="store_true", help="no isolation beyond a user and a folder of its own")
    args = parser.parse_args()
    if not args.here and (around := isolated()):
        os.execvp(around[0], [*around, sys.executable, "-m", "tests.fuzz.bash_fuzz", *sys.argv[1:], "--here"])  # noqa: S606
    seed = args.seed if args.seed is not None else random.SystemRandom().randrange(1 << 32)
    tally = fuzz(seed, args.seconds, args.accepted)
    report = {
        "seed": seed,
        "made": tally.made,
        "accepted": tally.accepted,
        "commands": tally.commands,
        "late": tally.late,
        "unsound": [{"code": each.code, "did": each.did, "said": each.said} for each in tally.unsound],
    }
    sys.stdout.write(json.dumps(report, indent=1) + "\n")
    return 1 if tally.unsound else 0


if __name__ == "__main__":
    sys.exit(main())
