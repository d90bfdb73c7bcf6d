"""A forked child on its way from a process of ours to a requester's program.

`prepare` is done once, before forking, and `detach` before anything is known of the request; `become` takes the
requester's identity and lays everything out with no more than the requester's rights; `hand_over` reports and runs the
program.
Whatever fails before the program begins is reported through the report pipe as a reason to refuse, never through the
program's own streams.

The order in `become` matters: what root alone may do (the score by which the kernel chooses whom to kill when memory
runs out, limits, groups) comes before the uid; the files before Landlock, since it is the bot that lays them and not
the program; the system call filter last.
"""

import contextlib
import fcntl
import json
import math
import os
import resource
import signal
import time
from dataclasses import asdict, dataclass
from typing import Final, NoReturn

from executor.messages import RefusedError, Start
from executor.supervisor import collect, environment, landlock, paths, script
from executor.supervisor.config import Config
from executor.supervisor.seccomp import Filter
from executor.supervisor.system import PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS, prctl, resident_bytes

STDIN, STDOUT, STDERR, REPORT, CONTROL = range(5)

TEMPORARY: Final = "/tmp"  # noqa: S108 - the sandbox's own tmpfs
_NICE: Final = 5  # the supervisor has to come to its turn
_CPU_SLACK_S: Final = 2
_FIRST_TO_DIE: Final = b"1000"
_COARSE: Final = 5  # CLOCK_REALTIME_COARSE, the clock of file times
PYTHON: Final = "python"


@dataclass(frozen=True, slots=True)
class Job:
    """One block, and what the supervisor has decided about it. `filter` is the system call filter."""

    start: Start
    uid: int
    scratch: str
    settled: bool
    filter: Filter


@dataclass(frozen=True, slots=True)
class Report:
    """What a child says before its program begins; with `error` it does not begin.

    `resident_bytes` is what the process has of the supervisor's memory, `cpu_s` what it took to get here. Files whose
    status changed at `stamp` (ns) or later were changed by the program.
    """

    error: RefusedError | None = None
    text: str = ""
    resident_bytes: int = 0
    cpu_s: float = 0.0
    stamp: int = 0

    def encode(self) -> bytes:
        return json.dumps(asdict(self)).encode("ascii")

    @classmethod
    def decode(cls, data: bytes) -> "Report":
        return cls(**json.loads(data))


def detach(streams: dict[int, int], open_files: int) -> None:
    """Leave the parent: own session, own signals, and of its files only `streams` (target: descriptor) and no input."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    moved = {target: _above(descriptor) for target, descriptor in streams.items()}
    moved[STDIN] = _above(os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC))
    for target, descriptor in moved.items():
        os.dup2(descriptor, target, inheritable=target <= STDERR)
    os.closerange(max(moved) + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    os.nice(_NICE)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, open_files)


def become(job: Job, config: Config) -> str:
    """The path of the code, with everything in place to run it."""
    limits = job.start.limits
    _write("/proc/self/oom_score_adj", _FIRST_TO_DIE)
    _limit(resource.RLIMIT_NPROC, limits.processes)
    _limit(resource.RLIMIT_FSIZE, limits.file_bytes)
    cpu = math.ceil(limits.timeout_s * len(os.sched_getaffinity(0))) + _CPU_SLACK_S
    _limit(resource.RLIMIT_CPU, cpu)
    os.setgroups([config.gid])
    own_gid = config.own_gid(job.uid)
    os.setresgid(own_gid, own_gid, own_gid)
    os.setresuid(job.uid, job.uid, job.uid)
    os.umask(0o007)  # the workspace gives what is made in it its own group, so this keeps files elsewhere from members
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    prctl(PR_SET_DUMPABLE, 1)  # else /proc/self is root's, and /dev/stdin with it
    path = _lay_out(job, config.workspace)
    if job.start.workspace != "rw":
        landlock.restrict(config.workspace, job.start.workspace)
    os.chdir(job.scratch if job.start.workspace == "none" else config.workspace)
    job.filter.install()
    return path


def prepare() -> None:
    """What all Python programs need. Nothing of ours can be imported afterwards."""
    os.environ.clear()
    os.environ.update(environment.FIXED)
    script.prepare()


def hand_over(job: Job, config: Config, path: str) -> NoReturn:
    start = job.start
    hidden = start.workspace == "none"
    own = environment.own(job.scratch if hidden else config.workspace, job.scratch)
    stamp = _moment(settled=job.settled and not start.files) if start.collect else 0
    report = Report(resident_bytes=resident_bytes(), cpu_s=time.process_time(), stamp=stamp)
    if start.language == PYTHON:
        os.environ.update(own)
        _report(report)
        os.close(REPORT)
        code = start.code.encode("utf-8", "surrogatepass")
        program = script.Program(
            source=code,
            name=start.filename or start.name,
            path=path,
            root=job.scratch if start.filename is None else config.workspace,
            arguments=start.args,
            workspace=None if hidden else config.workspace,
            scratch=job.scratch,
            figures=f"{job.scratch}/{collect.FIGURES}",
            echo=start.echo,
            shown=start.figures,
        )
        script.run(program)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores
        signal.signal(number, signal.SIG_DFL)
    command = [*(part.replace("{file}", path) for part in start.command), *start.args]
    _report(report)
    try:
        os.execvpe(command[0], command, environment.FIXED | own)  # noqa: S606 - a fixed command of the language table
    except OSError as error:
        os.write(STDERR, f"{command[0]}: {error.strerror}\n".encode())
        os._exit(126)


def refuse(error: BaseException) -> NoReturn:
    """The end of a child that could not become a program."""
    try:
        _report(_refusal(error))
    finally:
        os._exit(125)


def _refusal(error: BaseException) -> Report:
    match error:
        case paths.PathRefused():
            return Report("bad_request", str(error))
        case _:
            return Report("resources", f"the program could not be set up: {error!r}"[:1000])


def _lay_out(job: Job, workspace: str) -> str:
    start = job.start
    os.mkdir(job.scratch, 0o700)  # noqa: PTH102 - on the way of every execution
    _lend_font_cache(f"{job.scratch}/matplotlib")
    if start.workspace == "none" and (start.filename is not None or start.files):
        raise paths.PathRefused("there is no workspace to put files into")
    for file in start.files:
        paths.lay(workspace, file.path, file.data)
    code = start.code.encode("utf-8", "surrogatepass")
    if start.filename is None:
        paths.create(job.scratch, start.name, code)
        return f"{job.scratch}/{start.name}"
    paths.lay(workspace, start.filename, code)
    return "/".join([workspace, *paths.split(start.filename)])


def _lend_font_cache(folder: str) -> None:
    """Matplotlib wants a folder that it can write to, and takes seconds to look at all fonts if it is empty."""
    os.mkdir(folder, 0o700)  # noqa: PTH102 - on the way of every execution
    with contextlib.suppress(OSError):
        for name in os.listdir(environment.FONT_CACHE):  # noqa: PTH208
            os.symlink(f"{environment.FONT_CACHE}/{name}", f"{folder}/{name}")  # noqa: PTH211


def _moment(*, settled: bool) -> int:
    """A moment, by the clock of file times, that divides earlier changes of files from later ones.

    File times come from a clock that ticks every few milliseconds, or from the exact one, whichever the kernel
    prefers. Where a change was made only just now (not `settled`), wait until the former has passed the latter.
    """
    now = time.clock_gettime_ns(time.CLOCK_REALTIME)
    while (stamp := time.clock_gettime_ns(_COARSE)) <= now and not settled:
        time.sleep(0.0005)
    return stamp


def _report(report: Report) -> None:
    os.write(REPORT, report.encode())


def _write(path: str, data: bytes) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(file, data)
    finally:
        os.close(file)


def _limit(kind: int, value: int) -> None:
    """Soft and hard alike; what the container allows is the most."""
    hard = resource.getrlimit(kind)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (value, value))


def _above(descriptor: int) -> int:
    """A copy that is in nobody's way."""
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, CONTROL + 1)
