# ruff: noqa: E501 - a program a row
"""Members of a channel share its workspace and nothing else."""

import pytest

from tests.integration.inside import Inside, block

pytestmark = pytest.mark.docker


SPIED_ON = """
import ctypes, os, socket, sys, time
mark = 'MARK' + 'ED'
def put(path):
    with open(path, 'w') as file: file.write(mark)
for path in ('/tmp/hers', '/dev/shm/hers', os.environ['TMPDIR'] + '/hers'): put(path)
open('/dev/mqueue/hers', 'w')
os.mkdir('/tmp/folder'); put('/tmp/folder/hers')
os.environ['SECRET'] = mark
if os.fork() == 0: os.execve('/bin/sleep', ['sleep', '30'], {'SECRET': mark})
print(mark, file=sys.stderr); print('up', mark, flush=True)
time.sleep(30)
"""
SPY = """
import os
seen = []
mine = os.environ['TMPDIR']
for top in ('/tmp', '/dev/shm', '/dev/mqueue'):
    for folder, _, names in os.walk(top):
        for name in names:
            if folder.startswith(mine): continue
            try: text = open(f'{folder}/{name}').read()
            except OSError: continue
            if 'MARK' + 'ED' in text or 'mqueue' in folder: seen.append(f'{folder}/{name}')
me = os.getpid()
for pid in filter(str.isdigit, os.listdir('/proc')):
    if int(pid) == me: continue
    for what in ('environ', 'mem', 'maps', 'fd', 'cwd', 'io', 'fd/0', 'fd/1', 'fd/2', 'task'):
        path = f'/proc/{pid}/{what}'
        try: data = os.listdir(path) if what == 'fd' else os.readlink(path) if what == 'cwd' else open(path, 'rb').read(9)
        except OSError: continue
        if data: seen.append(path)
    command = open(f'/proc/{pid}/cmdline').read()
    if 'MARK' + 'ED' in command or 'hers' in command: seen.append(command)
print(seen)
"""


def test_one_requester_has_one_uid_and_a_group_of_its_own(inside: Inside) -> None:
    who = "import os; print(os.getuid(), os.getgid(), os.getgroups())"
    first, second, again = (inside.run(who, requester=name).out.split() for name in ("ana", "bo", "ana"))
    assert first == again
    assert first[0] != second[0]
    assert first[1] != second[1]
    assert first[2] == second[2] == f"[{inside.base}]".encode()


def test_nothing_of_a_running_program_is_seen_by_another_member(inside: Inside) -> None:
    ana = inside.start(block(SPIED_ON, requester="ana", args=("MARK" + "ED",), stdin=b"MARKED"))
    inside.wait(lambda: inside.results[ana].out, 10)
    spied = inside.run(SPY, requester="bo")
    assert (spied.out, spied.err) == (b"[]\n", b"")
    for attempt in (
        "pkill -9 sleep",
        "kill -9 -1",
        "ls /tmp/folder",
        "cat /tmp/hers",
        "rm /tmp/hers",
        "mv /dev/shm/hers .",
    ):
        assert inside.run(f"exec 2>/dev/null; {attempt} && echo did", "bash", requester="bo").out in {b"", b"did\n"}
    inside.cancel(ana)
    result = inside.finish(ana)
    assert (result.out, result.err, result.end.reason) == (b"up MARKED\n", b"MARKED\n", "cancelled")


def test_a_member_finds_nothing_that_another_left_outside_the_workspace(inside: Inside) -> None:
    assert inside.run(SPIED_ON.replace("time.sleep(30)", "pass"), requester="ana").out == b"up MARKED\n"
    assert inside.run(SPY, requester="bo").out == b"[]\n"


TOGETHER = {
    "write": ("echo a > f", "echo b >> f && cat f", b"a\nb\n"),
    "a folder": ("mkdir -p d/e && echo a > d/e/f", "echo b > d/e/g && mv d/e/f d/e/h && cat d/e/*", b"b\na\n"),
    "rename": ("echo a > f", "mv f g && cat g", b"a\n"),
    "copy": ("echo a > f", "cp f g && echo b >> g && cat g", b"a\nb\n"),
    "copy as it is": ("mkdir d && echo a > d/f", "cp -r d e && echo b >> e/f && cat e/f", b"a\nb\n"),
    "remove": ("mkdir -p d/e && touch d/e/f", "rm -r d && ls", b""),
    "run": ("printf '#!/bin/sh\\necho ran' > p && chmod +x p", "./p", b"ran\n"),
    "made elsewhere and moved": ("echo a > /tmp/f && mv /tmp/f .", "echo b >> f && cat f", b"a\nb\n"),
    "a folder moved": (
        "mkdir -p /tmp/d/e && touch /tmp/d/e/f && mv /tmp/d .",
        "echo b > d/e/f && touch d/e/g && ls d/e",
        b"f\ng\n",
    ),
    "unpacked": (
        "mkdir d && echo a > d/f && tar -cf t d && rm -r d && tar -xf t",
        "echo b >> d/f && cat d/f",
        b"a\nb\n",
    ),
    "chmod is the owner's": ("echo a > f", "chmod 600 f 2>/dev/null || echo no", b"no\n"),
    "kept to oneself": ("echo a > f && chmod 600 f", "cat f 2>/dev/null || echo no", b"no\n"),
    "a program that becomes its owner": (
        "cp /bin/bash b && chmod 6777 b",
        '[ "$(./b -p -c "id -u")" = "$(id -u)" ] && echo same',
        b"same\n",
    ),
    "git": (
        "git init -q r && cd r && echo a > f && git add f && git -c user.name=a -c user.email=a@a commit -qm one",
        (
            "cd r && git log --format=%s && echo b >> f && git -c user.name=b -c user.email=b@b commit -qam two && git log --format=%s"
            " && git checkout -q -b branch && git status --short"
        ),
        b"one\ntwo\none\n",
    ),
}


@pytest.mark.parametrize("name", TOGETHER)
def test_members_share_the_files_of_the_workspace(inside: Inside, name: str) -> None:
    inside.run("rm -rf -- * .[!.]*", "bash", requester="ana")
    first, second, out = TOGETHER[name]
    made = inside.run(first, "bash", requester="ana", collect=True)
    assert (made.err, made.end.exit_code) == (b"", 0)
    used = inside.run(second, "bash", requester="bo", collect=True)
    assert (used.out, used.err) == (out, b"")
    assert inside.run("rm -rf -- * .[!.]*; ls -A", "bash", requester="ana").out == b""


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
    assert inside.run("import os; os.unlink('/workspace/stays')", requester="ana").end.exit_code == 0
    inside.cancel(keep)
    inside.finish(keep)
    assert inside.run(look, requester="ana").out == b"[] []\n"


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
