"""The real supervisor in a real container, against ordinary and hostile programs.

After every one of them the next program is right and no process of anybody but root is left.
"""

import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from executor import frames
from executor.frames import Kind
from executor.messages import Reason
from executor.types import InputFile, SandboxLimits
from tests.conftest import Engine
from tests.integration.inside import QUICK, Inside, Result, block, sandbox

pytestmark = pytest.mark.docker

SOON = replace(QUICK, timeout_s=0.5)
ROOMY = replace(QUICK, timeout_s=20.0)


@pytest.fixture(scope="module")
def inside(engine: Engine) -> Iterator[Inside]:
    limits = SandboxLimits(slots=6, execution=QUICK)
    with sandbox(engine.client, engine.image, limits=limits) as made:
        yield made


@pytest.fixture(autouse=True)
def unharmed(inside: Inside) -> Iterator[None]:
    inside.logs.clear()
    yield
    assert inside.logs == []
    after = inside.run("print('hi')")
    assert (after.out, after.err, after.end.exit_code, after.end.reason) == (b"hi\n", b"", 0, None)
    assert inside.processes() == []


@dataclass(frozen=True)
class Case:
    """A program and what has to be said about it; None is not looked at, `err` is contained (empty: there is none)."""

    code: str
    exit_code: int | None = 0
    signal: int | None = None
    reason: Reason | None = None
    out: bytes | None = None
    err: bytes | None = None
    leftovers: bool | None = None
    language: str = "python"
    changes: dict[str, Any] = field(default_factory=dict)


DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(60)
    os._exit(0)
os.wait()
print('done')
"""
CHAIN = """
import os
while True:
    if os.fork():
        os._exit(0)
"""
UNTOUCHABLE = """
import ctypes, os, signal
libc = ctypes.CDLL(None, use_errno=True)
reached = []
for pid in [int(n) for n in os.listdir('/proc') if n.isdigit() and int(n) != os.getpid()]:
    for what, attempt in {
        'kill': lambda: os.kill(pid, 0),
        'stop': lambda: os.kill(pid, signal.SIGSTOP),
        'priority': lambda: os.setpriority(os.PRIO_PROCESS, pid, 19),
        'environ': lambda: open(f'/proc/{pid}/environ', 'rb').read(),
        'maps': lambda: open(f'/proc/{pid}/maps').read(),
        'memory': lambda: open(f'/proc/{pid}/mem', 'rb'),
        'files': lambda: os.listdir(f'/proc/{pid}/fd'),
        'root': lambda: os.listdir(f'/proc/{pid}/root'),
    }.items():
        try:
            attempt()
        except OSError:
            continue
        reached.append((pid, what))
    if libc.ptrace(16, pid, 0, 0) == 0:
        reached.append((pid, 'ptrace'))
print(reached)
"""
FORBIDDEN = """
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
closed = {'io_uring_setup': 425, 'userfaultfd': 323, 'bpf': 321, 'keyctl': 250, 'perf_event_open': 298, 'unshare': 272,
          'mount': 165, 'setns': 308, 'shmget': 29, 'mq_open': 240, 'process_vm_readv': 310, 'x32 getpid': 0x40000027}
if os.uname().machine == 'x86_64':
    for name, number in closed.items():
        if libc.syscall(number, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() != 1:
            print(name, ctypes.get_errno())
    if libc.syscall(435, 0, 0) != -1 or ctypes.get_errno() != 38:
        print('clone3')
    if libc.syscall(56, 0x10000011, 0, 0, 0, 0) != -1 or ctypes.get_errno() != 1:
        print('clone with a new namespace')
for family in (16, 17, 38, 40):
    try:
        socket.socket(family, socket.SOCK_RAW if family != 40 else socket.SOCK_STREAM)
        print('family', family)
    except OSError as error:
        if error.errno != 1:
            print(family, error)
socket.socketpair()
socket.socket()
print('done')
"""
IDENTITY = """
import os, resource
status = dict(line.split(':', 1) for line in open('/proc/self/status'))
print(os.getgroups(), oct(os.umask(0)), os.getcwd(), os.getsid(0) == os.getpid())
print([status[k].strip('\\t\\n0') for k in ('CapInh', 'CapPrm', 'CapEff', 'CapAmb')], status['NoNewPrivs'].strip())
print(resource.getrlimit(resource.RLIMIT_NPROC), resource.getrlimit(resource.RLIMIT_CORE))
print(open('/proc/self/oom_score_adj').read().strip(), len(set(os.getresuid())))
print(sorted(os.listdir('/proc/self/fd'))[:4])
"""
CASES = {
    "hello": Case("print('hi')", out=b"hi\n", err=b""),
    "stderr apart": Case("import sys; print('o'); sys.stderr.write('e')", out=b"o\n", err=b"e"),
    "exit code": Case("raise SystemExit(7)", 7),
    "exit text": Case("raise SystemExit('x')", 1, out=b"", err=b"x\n"),
    "traceback": Case("def f():\n    1 / 0\nf()", 1, err=b'  File "main.py", line 2, in f\n    1 / 0\n'),
    "input at its end": Case("input()", 1, err=b"EOFError"),
    "input": Case("print(input() + input())", out=b"ab\n", changes={"stdin": b"a\nb\n"}),
    "arguments": Case("import sys; print(sys.argv)", out=b"['main.py', 'a b', '$']\n", changes={"args": ("a b", "$")}),
    "identity": Case(
        IDENTITY,
        out=b"[] 0o2 /workspace True\n['', '', '', ''] 1\n(64, 64) (0, 0)\n1000 1\n['0', '1', '2', '3']\n",
        err=b"",
    ),
    "workspace last": Case("import sys; print(sys.path[-1], '' in sys.path)", out=b"/workspace False\n"),
    "over its time": Case(
        "import time; print('a', flush=True); time.sleep(30)", None, 9, "timeout", b"a\n", changes={"limits": SOON},
    ),
    "ignores signals": Case(
        "import signal, time\nfor s in (1, 2, 15): signal.signal(s, signal.SIG_IGN)\ntime.sleep(30)",
        None, 9, "timeout", changes={"limits": SOON},
    ),
    "stops itself": Case("import os; os.kill(os.getpid(), 19)", None, 9, "timeout", changes={"limits": SOON}),
    "busy threads": Case(
        "import threading\nfor _ in range(30): threading.Thread(target=lambda: sum(0 for _ in iter(int, 1))).start()",
        None, 9, "timeout", changes={"limits": SOON},
    ),
    "fork bomb": Case("import os\nwhile True: os.fork()", 1, None, "processes", leftovers=None),
    "patient fork bomb": Case(
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
        None, 9, "processes", leftovers=True, changes={"limits": SOON},
    ),
    "fork chain": Case(CHAIN, 0, leftovers=None),
    "daemon": Case(DAEMON, out=b"done\n", leftovers=True),
    "child that holds the output": Case(
        "import subprocess; subprocess.Popen(['sleep', '60']); print('x')", out=b"x\n", leftovers=True,
    ),
    "memory": Case("x = bytearray(1 << 30)", None, 9, "memory"),
    "memory, slowly": Case("x = []\nwhile True: x.append(bytearray(1 << 20))", None, 9, "memory"),
    "memory, shared out": Case(
        "import os, time\nfor _ in range(8):\n    if os.fork() == 0: x = bytearray(30 << 20); break\ntime.sleep(9)",
        None, 9, "memory", leftovers=True,
    ),
    "memory, shared in earnest": Case(
        "import os, time\nx = bytearray(60 << 20)\n"
        "for _ in range(8):\n    if os.fork() == 0: time.sleep(.2); os._exit(0)\n"
        "for _ in range(8): os.wait()\nprint('fine')",
        out=b"fine\n",
    ),
    "flood": Case("while True: print('x' * 999)", None, 9, "output"),
    "flood of errors": Case("import sys\nwhile True: sys.stderr.write('x' * 999)", None, 9, "output"),
    "invalid UTF-8": Case("import os; os.write(1, b'\\xff\\xfe')", out=b"\xff\xfe"),
    "a long line": Case("print('x' * 1_900_000)", out=b"x" * 1_900_000 + b"\n"),
    "writes elsewhere": Case("open('/run/new', 'w')", 1, err=b"Read-only file system"),
    "writes to the system": Case("open('/usr/bin/python3', 'r+')", 1, err=b"Permission denied"),
    "network": Case("import socket; socket.create_connection(('192.0.2.1', 80), 5)", 1, err=b"Network is unreachable"),
    "kills all it can": Case("import os; os.kill(-1, 9); print('alone')", out=b"alone\n"),
    "others are out of reach": Case(UNTOUCHABLE, out=b"[]\n"),
    "system calls": Case(FORBIDDEN, out=b"done\n", err=b""),
    "becomes root": Case("import os; os.setuid(0)", 1, err=b"Operation not permitted"),
    "file too large": Case(
        "open('f', 'wb').write(bytes(9999))", 1, err=b"File too large",
        changes={"limits": replace(QUICK, file_bytes=999)},
    ),
    "left open": Case("f = open('kept', 'w'); f.write('x')"),
    "aborts": Case("import os; os.abort()", None, 6),
    "interrupted": Case("raise KeyboardInterrupt", None, 2, err=b"KeyboardInterrupt\n"),
    "processes of its own": Case(
        "from multiprocessing import Pool\ndef f(x): return x * x\nwith Pool(3) as p: print(p.map(f, range(4)))",
        out=b"[0, 1, 4, 9]\n",
    ),
    "stored": Case("print(__file__)", out=b"/workspace/a/b/c.py\n", changes={"filename": "a/b/c.py"}),
    "stored module": Case("import a.b.c", out=b"/workspace/a/b/c.py\n"),
    "standard library wins": Case("print('mine')", out=b"mine\n", changes={"filename": "statistics.py"}),
    "standard library won": Case("import statistics; print(statistics.mean([1, 3]))", out=b"2\n"),
    "bash": Case("echo hi; echo e >&2; exit 3", 3, out=b"hi\n", err=b"e\n", language="bash"),
    "bash, its input is not the script": Case("cat; echo done", out=b"done\n", language="bash"),
    "bash, substitution of processes": Case("cat <(echo x) /dev/stdin <<< y", out=b"x\ny\n", language="bash"),
    "sh is read as bash reads it": Case(r"echo $'x\'; echo INJECTED #'", out=b"x'; echo INJECTED #\n", language="sh"),
    "matplotlib finds its fonts made ready": Case(
        "import matplotlib, os\nprint([n[:8] for n in os.listdir(matplotlib.get_cachedir())])", out=b"['fontlist']\n",
    ),
    "bash, arguments": Case(
        'echo "$1-$2-${0##*/}"', out=b"a-b c-main.sh\n", language="bash", changes={"args": ("a", "b c")},
    ),
    "bash, environment": Case("env | grep -c -e BASH_ENV -e LD_ -e HOSTNAME", 1, out=b"0\n", language="bash"),
    "bash, background": Case("sleep 60 & echo ok", out=b"ok\n", leftovers=True, language="bash"),
    "bash, nohup": Case("nohup setsid sleep 60 >/dev/null 2>&1 & disown; exit 5", 5, leftovers=True, language="bash"),
    "bash, fork bomb": Case(
        "f() { f | f & }; f; sleep 30", None, 9, "processes", language="bash", changes={"limits": SOON},
    ),
    "bash, memory of a child": Case("python3 -c 'x = bytearray(1 << 30)'", None, 9, "memory", language="bash"),
    "bash, file too large": Case(
        "exec head -c 9999 /dev/zero > big", None, 25, "file_size", language="bash",
        changes={"limits": replace(QUICK, file_bytes=999)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_program_ends_as_it_should(inside: Inside, name: str) -> None:
    case = CASES[name]
    result = inside.run(case.code, case.language, **case.changes)
    end = result.end
    assert (end.exit_code, end.signal, end.reason) == (case.exit_code, case.signal, case.reason), result.err[-2000:]
    if case.out is not None:
        assert case.out == result.out
    if case.err is not None:
        assert case.err in result.err
        assert case.err or not result.err
    if case.leftovers is not None:
        assert (end.leftovers > 0) == case.leftovers
    assert result.started


# --- time and cancelling


def test_time_is_up_when_it_is_up(inside: Inside) -> None:
    end = inside.run("import time; time.sleep(30)", limits=SOON).end
    assert 500 <= end.duration_ms < 900


def test_a_cancelled_run_ends_at_once(inside: Inside) -> None:
    run = inside.start(block("import time; print('a', flush=True); time.sleep(30)"))
    inside.wait(lambda: inside.results[run].out, 10)
    began = time.monotonic()
    inside.cancel(run)
    end = inside.finish(run).end
    assert (end.reason, end.exit_code, end.signal) == ("cancelled", None, 9)
    assert time.monotonic() - began < 1


def test_a_run_can_be_cancelled_before_it_has_begun(inside: Inside) -> None:
    run = inside.start(block("import time; time.sleep(30)"))
    inside.cancel(run)
    inside.cancel(run + 99)
    assert inside.finish(run).end.reason == "cancelled"


def test_an_answer_waits_for_no_background_child(inside: Inside) -> None:
    assert inside.run("sleep 60 & sleep 60 & echo x", "bash").took_ms < 2000


# --- output


def test_output_may_be_as_long_as_its_limit_and_no_longer(inside: Inside) -> None:
    limits = replace(QUICK, file_output_bytes=100_000)
    at = inside.run("import sys; sys.stdout.write('x' * 100_000)", limits=limits)
    assert (at.end.reason, len(at.out), at.end.bytes) == (None, 100_000, 100_000)
    above = inside.run("import sys; sys.stdout.write('x' * 100_001)", limits=limits)
    assert (above.end.reason, len(above.out), above.end.bytes) == ("output", 100_000, 100_001)


def test_a_host_that_reads_slowly_holds_only_the_flood_up(inside: Inside) -> None:
    limits = replace(ROOMY, file_output_bytes=40_000_000)
    flood = inside.start(block("for _ in range(60): print('x' * 99_999)", requester="flo", limits=limits))
    time.sleep(0.5)  # nothing is read: everything on the way is full by now
    small = inside.run("print('hi')", requester="ana", limits=ROOMY)
    assert small.out == b"hi\n"
    assert small.end.duration_ms < 5000
    assert len(inside.finish(flood).out) == 60 * 100_000


# --- identities, slots, refusals


def test_one_requester_has_one_uid_and_sees_nothing_of_another_in_tmp(inside: Inside) -> None:
    who = "import os; print(os.getuid(), os.getgid())"
    first = [inside.run(who, requester=name).out.split() for name in ("ana", "bo", "ana")]
    assert first[0] == first[2] != first[1]
    assert {gid for _, gid in first} == {str(inside.base).encode()}
    ana = inside.start(block("import time; print('a', flush=True); time.sleep(1)", requester="ana"))
    inside.wait(lambda: inside.results[ana].out, 10)
    spy = "import os\nfor n in os.listdir('/tmp'):\n    if n != os.environ['TMPDIR'][5:]: os.listdir('/tmp/' + n)"
    result = inside.run(spy, requester="bo")
    assert b"PermissionError" in result.err
    inside.finish(ana)


def test_members_share_the_files_of_the_workspace(inside: Inside) -> None:
    inside.run("import os; os.makedirs('shared'); open('shared/f', 'w').write('by ana')", requester="ana")
    result = inside.run("open('shared/f', 'a').write(' and bo'); print(open('shared/f').read())", requester="bo")
    assert result.out == b"by ana and bo\n", result.err
    assert inside.run("import shutil; shutil.rmtree('shared')", requester="bo").end.exit_code == 0


def test_a_requester_has_one_execution_at_a_time(inside: Inside) -> None:
    run = inside.start(block("import time; time.sleep(30)", requester="ana"))
    second = inside.run("print(1)", requester="ana")
    assert second.refused is not None
    assert second.refused.error == "busy"
    inside.cancel(run)
    inside.finish(run)


def test_slots_are_given_out_and_come_back(inside: Inside) -> None:
    runs = [inside.start(block("import time; time.sleep(30)", requester=str(n))) for n in range(6)]
    refused = inside.run("print(1)", requester="one more").refused
    assert refused is not None
    assert refused.error == "busy"
    for run in runs:
        inside.cancel(run)
    assert {inside.finish(run).end.reason for run in runs} == {"cancelled"}


def test_many_at_once(inside: Inside) -> None:
    runs = [inside.start(block(f"print({n})", requester=str(n), limits=ROOMY)) for n in range(6)]
    assert [inside.finish(run).out for run in runs] == [b"%d\n" % n for n in range(6)]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"filename": "../x.py"}, "bad_request"),
        ({"filename": "/etc/x.py"}, "bad_request"),
        ({"filename": "link/x.py"}, "bad_request"),
        ({"files": (InputFile("a/../../x", b""),)}, "bad_request"),
        ({"args": ("a\0b",)}, "bad_request"),
        ({"workspace": "none", "filename": "x.py"}, "bad_request"),
        ({"language": "javascript", "command": ("no-such-program", "{file}")}, "no_such_language"),
        ({"files": (InputFile("too-large", bytes(60 << 20)), )}, "resources"),
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_refused_and_never_begins(inside: Inside, changes: dict[str, Any], error: str) -> None:
    inside.run("import os; os.path.islink('link') or os.symlink('/tmp', 'link')")
    if error == "resources":
        inside.run("fill = open('fill', 'wb')\nfor _ in range(100): fill.write(bytes(1 << 20))", limits=ROOMY)
    result = inside.finish(inside.start(replace(block("print(1)"), **changes)))
    inside.run("import os; os.path.exists('fill') and os.unlink('fill')")
    assert result.refused is not None
    assert result.refused.error == error, result.refused
    assert not result.started


def test_a_large_request_arrives(inside: Inside) -> None:
    data = bytes(range(256)) * (4 * 40_000)
    code = "import hashlib, sys\nprint(hashlib.md5(open('in/large', 'rb').read()).hexdigest(), len(sys.stdin.read()))"
    result = inside.run(code, files=(InputFile("in/large", data),), stdin=b"x" * 3_000_000, limits=ROOMY)
    assert result.out.split()[1] == b"3000000", (result.err, result.refused)
    inside.run("import shutil; shutil.rmtree('in')")


def test_uids_are_not_given_to_somebody_else(engine: Engine) -> None:
    with sandbox(engine.client, engine.image, uids=2, spares=0) as small:
        assert small.run("print(1)", requester="a").out == b"1\n"
        assert small.run("print(1)", requester="b").out == b"1\n"
        refused = small.run("print(1)", requester="c").refused
        assert refused is not None
        assert refused.error == "too_many_requesters"
        assert small.run("print(1)", requester="a").out == b"1\n"


# --- what is left behind


def test_shared_places_are_cleared_of_a_requesters_files_alone(inside: Inside) -> None:
    keep = inside.start(
        block("open('/tmp/hers', 'w'); print(1, flush=True); import time; time.sleep(30)", requester="bo")
    )
    inside.wait(lambda: inside.results[keep].out, 10)
    inside.run(
        "import os\nos.makedirs('/tmp/a/b/c'); open('/tmp/a/b/c/f', 'w'); os.symlink('/workspace', '/tmp/a/link')\n"
        "open('/workspace/stays', 'w'); os.mkfifo('/dev/shm/fifo'); os.chmod('/tmp/a/b/c', 0); os.chmod('/tmp/a/b', 0)",
        requester="ana",
    )
    look = "import os; print([n for n in os.listdir('/tmp') if len(n) < 8], os.listdir('/dev/shm'))"
    assert inside.run(look, requester="ana").out == b"['hers'] []\n"
    assert inside.run("open('/workspace/stays')", requester="ana").end.exit_code == 0
    inside.cancel(keep)
    inside.finish(keep)
    assert inside.run(look, requester="ana").out == b"[] []\n"


def test_many_files_in_tmp_are_cleared_without_holding_others_up(inside: Inside) -> None:
    run = inside.start(block("for i in range(9000): open(f'/tmp/{i}', 'w')", requester="flo", limits=ROOMY))
    inside.finish(run)
    assert inside.run("import os; print(len(os.listdir('/tmp')))").out == b"1\n"


def test_the_limit_of_the_container_does_not_stop_the_end(inside: Inside) -> None:
    limits = replace(QUICK, processes=10_000, timeout_s=3.0, memory_mb=1000)
    result = inside.run("while true; do sleep 60 & done 2>/dev/null", "bash", limits=limits)
    assert result.end.signal == 9
    assert result.end.leftovers > 200


# --- artifacts


def test_files_that_were_made_or_changed_come_out(inside: Inside) -> None:
    inside.run("open('old', 'w').write('1'); open('older', 'w').write('1')")
    code = """
import os, shutil
open('old', 'w').write('22')
os.utime('old', (0, 0))
os.makedirs('out/deep')
open('out/deep/new.bin', 'wb').write(bytes(range(256)) * 1000)
shutil.copy2('/etc/hostname', 'copied')
open('empty', 'w')
"""
    result = inside.run(code, collect=True)
    assert result.files == {
        "old": b"22",
        "out/deep/new.bin": bytes(range(256)) * 1000,
        "copied": b"sandbox\n",
        "empty": b"",
    }
    assert result.end.artifacts_left == 0
    assert inside.run("print(open('old').read())", collect=True).files == {}


def test_nothing_hostile_comes_out(inside: Inside) -> None:
    inside.run("rm -rf -- * .[!.]*", "bash")
    code = """
import os, socket
os.symlink('/etc/passwd', 'link')
os.symlink('/etc', 'directory')
os.mkfifo('fifo')
socket.socket(socket.AF_UNIX).bind('socket')
open('.hidden', 'w').write('x')
os.makedirs('__pycache__'); open('__pycache__/m.pyc', 'w').write('x')
open('new\\nline', 'w').write('x')
open(b'\\xff', 'w').write('x')
open('\\u202etxt', 'w').write('x')
os.truncate(os.open('sparse', os.O_CREAT | os.O_WRONLY), 100 << 20)
open('secret', 'w').write('x'); os.chmod('secret', 0)
open('good', 'w').write('y')
"""
    limits = replace(QUICK, artifact_bytes=1000)
    result = inside.run(code, collect=True, limits=limits)
    assert result.end.exit_code == 0, result.err
    assert result.files == {"good": b"y"}
    assert result.end.artifacts_left == 5


def test_artifacts_are_limited_in_number_and_size(inside: Inside) -> None:
    limits = replace(QUICK, artifact_count=3, artifact_bytes=100, artifact_total_bytes=250)
    code = "for n in 'abcde': open('size-' + n, 'w').write('x' * {})"
    small = inside.run(code.format(50), collect=True, limits=limits)
    assert (len(small.files), small.end.artifacts_left) == (3, 2)
    large = inside.run(code.format(100), collect=True, limits=limits)
    assert (len(large.files), large.end.artifacts_left) == (2, 3)
    too_large = inside.run(code.format(101), collect=True, limits=limits)
    assert (len(too_large.files), too_large.end.artifacts_left) == (0, 5)


def test_what_the_bot_laid_does_not_come_out_unless_it_was_changed(inside: Inside) -> None:
    files = (InputFile("in/same", b"1"), InputFile("in/changed", b"1"))
    result = inside.run("open('in/changed', 'a').write('2')", files=files, filename="stored.py", collect=True)
    assert result.files == {"in/changed": b"12"}


def test_files_come_out_after_time_is_up_but_not_after_cancelling(inside: Inside) -> None:
    code = "open('late', 'w').write('x'); print(1, flush=True)\nimport time; time.sleep(30)"
    assert inside.run(code, collect=True, limits=SOON).files == {"late": b"x"}
    run = inside.start(block(code, collect=True))
    inside.wait(lambda: inside.results[run].out, 10)
    inside.cancel(run)
    assert inside.finish(run).files == {}


# --- the workspace kept from a program


def test_a_workspace_that_may_only_be_read(inside: Inside) -> None:
    if not inside.ready.landlock:
        pytest.skip("this kernel has no Landlock")
    inside.run("import os; os.makedirs('ro', exist_ok=True); open('ro/f', 'w').write('data')")
    code = """
import os, tempfile
def refused(attempt):
    try: attempt()
    except OSError: return True
print(all(map(refused, [
    lambda: open('ro/f', 'w'), lambda: open('new', 'w'), lambda: os.unlink('ro/f'), lambda: os.mkdir('d'),
    lambda: os.truncate('ro/f', 0), lambda: os.rename('ro/f', '/tmp/f'), lambda: os.symlink('a', 'b'),
    lambda: os.link('ro/f', 'l'), lambda: os.open('ro/f', os.O_RDONLY | os.O_TRUNC),
])))
print(open('ro/f').read(), os.listdir('ro'))
with tempfile.TemporaryDirectory() as d:
    open(d + '/a', 'w').write('x'); os.rename(d + '/a', os.environ['TMPDIR'] + '/b')
open('/dev/null', 'w').write('x'); open('/dev/shm/x', 'w')
"""
    result = inside.run(code, workspace="ro")
    assert (result.out, result.err) == (b"True\ndata ['f']\n", b"")
    assert inside.run("cat ro/f; echo x > ro/f", "bash", workspace="ro").out == b"data"


def test_a_workspace_that_is_hidden(inside: Inside) -> None:
    if not inside.ready.landlock:
        pytest.skip("this kernel has no Landlock")
    code = "import os\nprint(os.getcwd() == os.environ['HOME'] == os.environ['TMPDIR'])\nos.listdir('/workspace')"
    result = inside.run(code, workspace="none")
    assert result.out == b"True\n"
    assert b"PermissionError" in result.err
    assert inside.run("cat /workspace/ro/f; ls /workspace; ls /tmp", "bash", workspace="none").out.count(b"\n") == 1


# --- the stream


def test_a_new_host_is_told_what_runs_and_can_end_it(inside: Inside) -> None:
    old = inside.start(block("import time\nwhile True: print('x' * 9999, flush=True); time.sleep(.01)", id="old"))
    inside.wait(lambda: inside.results[old].out, 10)
    half = frames.encode(Kind.START, old + 1, json.dumps({"id": "half"}).encode())
    inside.send(half[:-3])
    inside.detach()
    inside.attach()
    ready = inside.synchronise()
    assert [(run.run, run.id, run.state) for run in ready.running] == [(old, "old", "running")]
    inside.cancel(old)
    assert inside.finish(old).end.reason == "cancelled"


def test_output_that_nobody_takes_does_not_keep_a_run_alive(inside: Inside) -> None:
    inside.start(block("while True: print('x' * 9999)", limits=replace(SOON, file_output_bytes=1 << 30)))
    inside.detach()
    time.sleep(1.5)
    inside.attach()
    assert inside.synchronise().running == ()


def test_nonsense_from_a_host_is_survived(inside: Inside) -> None:
    inside.send(b"GET / HTTP/1.1\r\n\r\n")
    inside.wait(lambda: inside.logs, 10)
    assert "not understood" in inside.logs.pop()
    inside.send(frames.encode(Kind.PING, 0))
    inside.synchronise()
    assert inside.ping() > 0


@pytest.mark.parametrize("payload", [b"", b"[]", b"\xff{}", b'{"id": 1}'])
def test_a_request_that_is_none_is_refused(inside: Inside, payload: bytes) -> None:
    inside.results[1] = Result()
    inside._begun[1] = 0.0
    inside.send(frames.encode(Kind.DATA, 1, b"left over") + frames.encode(Kind.START, 1, payload))
    refused = inside.finish(1).refused
    assert refused is not None
    assert refused.error == "bad_request"


def test_a_spare_that_died_is_replaced(inside: Inside) -> None:
    time.sleep(0.2)
    rows = inside.container.top(ps_args="-eo pid,ppid,uid,args")["Processes"]
    parents = {int(row[0]): int(row[1]) for row in rows}
    init = next(pid for pid in parents if parents[pid] not in parents)
    child = {parent: pid for pid, parent in parents.items()}
    spare = child[child[child[init]]]  # of the nursery, of the supervisor
    assert len(parents) == 4
    os.kill(spare, 9)
    assert inside.run("print('hi')").out == b"hi\n"


def test_a_program_finds_nothing_of_others_in_its_memory(inside: Inside) -> None:
    secret = "MARK:0123456789abcdef"
    inside.run(f"import sys; print('{secret}' + sys.stdin.read())", requester="ana", stdin=secret.encode())
    search = """
import re
found = 0
with open('/proc/self/mem', 'rb', 0) as memory:
    for line in open('/proc/self/maps'):
        where, rights, *_ = line.split()
        if rights.startswith('rw'):
            start, end = (int(x, 16) for x in where.split('-'))
            memory.seek(start)
            found += len(re.findall(rb'MAR[K]:[0-9a-f]{16}', memory.read(end - start)))
print(found)
"""
    assert inside.run(search, requester="bo").out == b"0\n"
    assert inside.run(f"mine = b'{secret}'\n{search}", requester="bo").out != b"0\n"


def test_what_could_not_be_preloaded_is_said(engine: Engine) -> None:
    with sandbox(engine.client, engine.image, preload=("no_such_module", "numpy")) as made:
        made.ping()
        assert made.ready.preloaded == ("numpy",)
        assert any("no_such_module could not be preloaded" in line for line in made.logs)
        draw = "import sys; print('numpy' in sys.modules); import numpy; print(numpy.random.random())"
        first, second = made.run(draw).out, made.run(draw).out
        assert first.startswith(b"True\n")
        assert first != second
