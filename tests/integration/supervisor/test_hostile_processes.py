# ruff: noqa: E501 - a program a row
"""Programs that will not end, multiply, hide, or die in their own way."""

from dataclasses import replace

import pytest

from tests.integration.inside import QUICK, Inside, block
from tests.integration.supervisor.case import IN_TIME, SOON, Case, ends_as_it_should
from tests.integration.supervisor.conftest import told

pytestmark = pytest.mark.docker

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
PAIR = """
import os, time
def guard(peer):
    while True:
        try:
            os.kill(peer, 0)
        except ProcessLookupError:
            me = os.getpid()
            peer = os.fork() or me
        time.sleep(0.001)
if os.fork() == 0:
    guard(os.fork() or os.getppid())
time.sleep(0.05)
print('started')
"""
REAPER = """
import ctypes, os, signal, time
ctypes.CDLL(None).prctl(36, 1)
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0: time.sleep(60)
        os._exit(0)
time.sleep(0.1)
"""
MANY_THREADS = """
import threading, time
while True: threading.Thread(target=time.sleep, args=[60], daemon=True).start()
"""
CASES = {
    # time
    "busy loop in Python": Case("while True: pass", None, 9, "timeout", changes=IN_TIME),
    "busy loop in C": Case("import re; re.match('(a+)+$', 'a' * 50 + 'b')", None, 9, "timeout", changes=IN_TIME),
    "busy arithmetic": Case("10 ** 10 ** 9", None, 9, "timeout", changes=IN_TIME),
    "busy loop in bash": Case("while :; do :; done", None, 9, "timeout", language="bash", changes=IN_TIME),
    "busy loop in node": Case("for (;;);", None, 9, "timeout", language="javascript", changes=IN_TIME),
    "busy threads": Case(
        "import threading\nfor _ in range(30): threading.Thread(target=lambda: sum(0 for _ in iter(int, 1))).start()",
        None, 9, "timeout", changes=IN_TIME,
    ),
    "sleeper": Case("import time; print('a', flush=True); time.sleep(30)", None, 9, "timeout", b"a\n", changes=IN_TIME),
    "sleeper in bash": Case("echo a; sleep 30", None, 9, "timeout", b"a\n", language="bash", changes=IN_TIME),
    "sleeper that has become another program": Case(
        "import os; os.execvp('sleep', ['sleep', '30'])", None, 9, "timeout", changes=IN_TIME,
    ),
    "deadlock": Case("import threading; l = threading.Lock(); l.acquire(); l.acquire()", None, 9, "timeout", changes=IN_TIME),
    "ignores signals": Case(
        "import signal, time\nfor s in (1, 2, 15): signal.signal(s, signal.SIG_IGN)\ntime.sleep(30)",
        None, 9, "timeout", changes=IN_TIME,
    ),
    "stops itself": Case("import os; os.kill(os.getpid(), 19)", None, 9, "timeout", changes=IN_TIME),
    "an exit handler that never ends": Case(
        "import atexit, time; atexit.register(time.sleep, 30); print('over')", None, 9, "timeout", b"over\n", changes=IN_TIME,
    ),
    "a thread that never ends": Case(
        "import threading, time; threading.Thread(target=time.sleep, args=[30]).start(); print('over')",
        None, 9, "timeout", b"over\n", changes=IN_TIME,
    ),
    "a destructor that never ends": Case(
        "class A:\n    def __del__(self):\n        while True: pass\na = A()", None, 9, "timeout", changes=IN_TIME,
    ),
    "a value that never ends": Case(
        "class A:\n    def __repr__(self):\n        while True: pass\nA()", None, 9, "timeout", changes=IN_TIME | {"echo": True},
    ),
    "closes all that is open": Case("import os, time; os.closerange(0, 999); time.sleep(30)", None, 9, "timeout", changes=IN_TIME),
    # many
    "fork bomb": Case("import os\nwhile True: os.fork()", 1, None, "processes"),
    "patient fork bomb": Case(
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
        None, 9, "processes", leftovers=True, changes=IN_TIME,
    ),
    "fork bomb in sessions of their own": Case(
        "import os\nwhile True:\n    if os.fork() == 0: os.setsid()", 1, None, "processes", leftovers=True,
    ),
    "fork bomb, its first is gone": Case(
        "import os, time\nif os.fork() == 0:\n    while True:\n        try: os.fork()\n        except OSError: pass\ntime.sleep(.3)",
        0, None, "processes", leftovers=True,
    ),
    "bomb of threads": Case(MANY_THREADS, 1, None, "processes", err=b"can't start new thread"),
    "bomb of other programs": Case(
        "import subprocess\nwhile True: subprocess.Popen(['sleep', '60'])", 1, None, "processes", leftovers=True,
    ),
    "bash, fork bomb": Case(
        "f() { f | f & }; f; sleep 30", None, 9, "processes", language="bash", changes=IN_TIME,
    ),
    "bash, fork bomb, its first is gone": Case(
        "f() { f | f & }; f & while ((SECONDS < 1)); do :; done", 0, None, "processes", leftovers=True, language="bash",
    ),
    "bash, a limit raised": Case("ulimit -u 9999", 1, err=b"cannot modify limit", language="bash"),
    "fork chain": Case(CHAIN),
    "as many as are allowed": Case(
        "import threading, time\nfor _ in range(60): threading.Thread(target=time.sleep, args=[.1]).start()\nprint('fine')",
        out=b"fine\n",
    ),
    "dead ones that nobody waits for": Case(
        "import os, time\nfor _ in range(40):\n    if os.fork() == 0: os._exit(0)\ntime.sleep(.1); print('fine')", out=b"fine\n",
    ),
    # hidden
    "daemon": Case(DAEMON, out=b"done\n", leftovers=True),
    "two that bring each other back": Case(PAIR, out=b"started\n", leftovers=True),
    "a reaper of its own, deaf to all signals": Case(REAPER, leftovers=True),
    "child that holds the output": Case(
        "import subprocess; subprocess.Popen(['sleep', '60']); print('x')", out=b"x\n", leftovers=True,
    ),
    "child that goes on writing": Case("(while :; do echo x; done) & sleep .1; exit 0", language="bash", leftovers=True),
    "child that has stopped": Case(
        "import os, time\nif os.fork() == 0: os.kill(os.getpid(), 19)\ntime.sleep(.1)", leftovers=True,
    ),
    "bash, background": Case("sleep 60 & echo ok", out=b"ok\n", leftovers=True, language="bash"),
    "bash, nohup": Case("nohup setsid sleep 60 >/dev/null 2>&1 & disown; exit 5", 5, leftovers=True, language="bash"),
    "bash, at once killed": Case("sleep 60 & kill -9 $!; wait $!; exit $?", 137, language="bash"),
    # ends of their own
    "kills itself at once": Case("import os; os.kill(os.getpid(), 9)", None, 9),
    "terminates itself": Case("import os; os.kill(os.getpid(), 15)", None, 15),
    "aborts": Case("import os; os.abort()", None, 6),
    "interrupted": Case("raise KeyboardInterrupt", None, 2, err=b"KeyboardInterrupt\n"),
    "reads where nothing is": Case("import ctypes; ctypes.string_at(0)", None, 11),
    "overflows its stack": Case("import sys; sys.setrecursionlimit(10**9)\ndef f(): [*map(lambda _: f(), [0])]\nf()", None, 11),
    "bash, kills itself": Case("kill -9 $$", None, 9, language="bash"),
    "bash, a program in it crashes": Case("bash -c 'kill -11 $$'", 139, language="bash"),
    "kills all it can": Case("import os; os.kill(-1, 9); print('alone')", out=b"alone\n"),
    "its group is killed": Case("import os; os.killpg(0, 9)", None, 9),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_program_ends_as_it_should(inside: Inside, name: str) -> None:
    ends_as_it_should(inside, CASES[name])


WHILE = {
    "busy threads": CASES["busy threads"].code,
    "patient fork bomb": CASES["patient fork bomb"].code,
    "memory": "x = []\nwhile True: x.append(bytearray(1 << 20))",
    "flood": "while True: print('x' * 9999)",
    "files": "n = 0\nwhile True: n = (n + 1) % 20000; open(f'/tmp/{n}', 'w')",
}


@pytest.mark.parametrize("name", WHILE)
def test_another_channel_does_not_notice_meanwhile(inside: Inside, neighbour: Inside, name: str) -> None:
    run = inside.start(block(WHILE[name], limits=replace(SOON, timeout_s=1.5, file_output_bytes=1 << 30)))
    for _ in range(10):
        hello = neighbour.run("print('hi')")
        assert told(hello) == b"hi\n"
        assert hello.took_ms < 1000
    assert inside.finish(run).end.reason is not None


def test_an_answer_waits_for_no_background_child(inside: Inside) -> None:
    assert inside.run("sleep 60 & sleep 60 & echo x", "bash").took_ms < 2000


def test_the_limit_of_the_container_does_not_stop_the_end(inside: Inside) -> None:
    limits = replace(QUICK, processes=10_000, timeout_s=3.0, memory_mb=1000)
    result = inside.run("while true; do sleep 60 & done 2>/dev/null", "bash", limits=limits)
    assert result.end.signal == 9
    assert result.end.leftovers > 200
