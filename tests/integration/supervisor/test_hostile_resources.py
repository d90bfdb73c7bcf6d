# ruff: noqa: E501 - a program a row
"""Programs that take memory, space and descriptors, and leave things in shared places."""

from dataclasses import replace

import pytest

from tests.integration.inside import QUICK, Inside
from tests.integration.supervisor.case import ROOMY, Case, ends_as_it_should

pytestmark = pytest.mark.docker

SMALL_FILES = {"limits": replace(QUICK, file_bytes=999)}
FILL = """
import os
file = open({path!r}, 'wb')
try:
    while True: file.write(bytes(1 << 20)); file.flush()
except OSError as error:
    print(error.errno)
{after}
"""
DEEP = """
import os
os.chdir('/tmp')
for _ in range(3000):
    os.mkdir('d'); os.chdir('d')
open('leaf', 'w')
"""
NAMES = """
import os
for n, name in enumerate([b'new\\nline', b'\\xff\\xfe', '\\u202etxt'.encode(), b'-rf', b'a' * 255, b' ', b'*']):
    for place in (b'/tmp/', b'/dev/shm/'):
        os.mkdir(place + name); open(place + name + b'/' + name, 'w'); os.chmod(place + name, 0)
"""
KINDS = """
import os, socket, multiprocessing.shared_memory
os.mkfifo('/dev/shm/fifo'); os.mkfifo('/tmp/fifo')
socket.socket(socket.AF_UNIX).bind('/tmp/socket')
os.symlink('/workspace', '/tmp/link'); os.symlink('loop', '/tmp/loop')
open('/tmp/one', 'w'); os.link('/tmp/one', '/dev/shm/../../tmp/two')
multiprocessing.shared_memory.SharedMemory('left', create=True, size=4096)
open('/dev/mqueue/queue', 'w')
"""
CASES = {
    # memory
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
    "memory, mapped": Case("import mmap; m = mmap.mmap(-1, 1 << 30); m[:] = bytes(1) * (1 << 30)", None, 9, "memory"),
    "memory, only reserved": Case("import mmap; m = mmap.mmap(-1, 1 << 33); print('fine')", out=b"fine\n"),
    "memory, of numpy": Case("import numpy; numpy.ones(1 << 27)", None, 9, "memory", changes={"limits": ROOMY}),
    "memory, a text that doubles": Case("x = 'x'\nwhile True: x += x", None, 9, "memory"),
    "memory, more than there can be": Case("bytearray(1 << 60)", 1, err=b"MemoryError"),
    "memory, of a child": Case("python3 -c 'x = bytearray(1 << 30)'", None, 9, "memory", language="bash"),
    "memory, of bash": Case("x=xxxxxxxx; while :; do x=$x$x; done", None, 9, "memory", language="bash"),
    "memory, kept from being taken first": Case(
        "with open('/proc/self/oom_score_adj', 'w') as f: f.write('-999')", 1, err=b"Permission denied",
    ),
    # space
    "fills /tmp": Case(FILL.format(path="/tmp/fill", after=""), out=b"28\n", changes={"limits": ROOMY}),
    "fills shared memory": Case(FILL.format(path="/dev/shm/fill", after=""), out=b"28\n", changes={"limits": ROOMY}),
    "fills the workspace": Case(
        "for n in 1 2 3; do head -c 50000000 /dev/zero > fill$n || echo full; done; rm fill?", out=b"full\n",
        language="bash", changes={"limits": ROOMY},
    ),
    "fills a file that is deleted": Case(
        FILL.format(path="/tmp/fill", after="").replace("try", "os.unlink('/tmp/fill')\ntry"), out=b"28\n",
        changes={"limits": ROOMY},
    ),
    "and the space is there again": Case("open('/tmp/x', 'wb').write(bytes(60 << 20))", changes={"limits": ROOMY}),
    "a file as large as is allowed": Case("open('f', 'wb').write(bytes(999))", changes=SMALL_FILES),
    "file too large": Case(
        "with open('f', 'wb') as f: f.write(bytes(1000))", 1, None, "file_size", err=b"File too large", changes=SMALL_FILES,
    ),
    "file too large, but it coped": Case(
        "try:\n    with open('f', 'wb', 0) as f: f.write(bytes(999)); f.write(b'x')\nexcept OSError as e: print(e)", out=b"[Errno 27] File too large\n",
        changes=SMALL_FILES,
    ),
    "sparse file too large": Case(
        "import os; os.truncate(os.open('s', os.O_CREAT | os.O_RDWR), 1 << 40)", 1, None, "file_size",
    ),
    "bash, file too large": Case(
        "exec head -c 9999 /dev/zero > big", None, 25, "file_size", language="bash", changes=SMALL_FILES,
    ),
    "more files than there may be": Case(
        "try:\n    for n in range(1 << 20): open(f'/tmp/{n}', 'w')\nexcept OSError as e: print(e.errno)",
        out=b"28\n", changes={"limits": ROOMY},
    ),
    "more descriptors than there may be": Case("x = []\nwhile True: x.append(open('/dev/null'))", 1, err=b"Too many open"),
    "more room for itself": Case(
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))", 1, err=b"not allowed to raise",
    ),
    "more of the processor for itself": Case("import os; os.nice(-5)", 1, err=b"not permitted"),
    # left in shared places
    "directories below each other": Case(DEEP),
    "names that are no names": Case(NAMES, err=b""),
    "files of all kinds": Case(KINDS, leftovers=None),
    "segments of System V": Case(
        "import ctypes; print(ctypes.CDLL(None).shmget(1, 4096, 0o1666))", out=b"-1\n",
    ),
    "a lock that is held": Case("import fcntl; f = open('lock', 'w'); fcntl.flock(f, 2); print('mine')", out=b"mine\n"),
    "and is nobody's": Case("import fcntl; f = open('lock', 'w'); fcntl.flock(f, 6); print('mine')", out=b"mine\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_program_ends_as_it_should(inside: Inside, name: str) -> None:
    ends_as_it_should(inside, CASES[name])


def test_many_files_in_tmp_are_cleared_without_holding_others_up(inside: Inside) -> None:
    run = inside.run("for i in range(9000): open(f'/tmp/{i}', 'w')", requester="flo", limits=ROOMY)
    assert run.end.exit_code == 0
    assert inside.run("import os; print(len(os.listdir('/tmp')))").out == b"1\n"
