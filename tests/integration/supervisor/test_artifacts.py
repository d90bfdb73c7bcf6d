# ruff: noqa: E501 - a program a row
"""Files that come out, and those that stay."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from executor.types import InputFile
from tests.integration.inside import QUICK, Inside, block
from tests.integration.supervisor.case import ROOMY, SOON, Case, ends_as_it_should

pytestmark = pytest.mark.docker


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


SMALL = replace(QUICK, artifact_bytes=1000)
ALL_KINDS = """
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
LINKS = """
import os
for n, target in enumerate(['/etc/shadow', '/proc/self/mem', '/proc/1/environ', '/dev/zero', '/', '..', 'n0', 'missing']):
    os.symlink(target, f'n{n}')
os.makedirs('d'); os.symlink('../good', 'd/n'); os.symlink('d', 'e')
open('good', 'w').write('y')
"""
BOMBS = """
import zipfile, zlib, struct
with zipfile.ZipFile('bomb.zip', 'w', zipfile.ZIP_DEFLATED) as z: z.writestr('zeros', bytes(50 << 20))
def chunk(kind, data): return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
open('bomb.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 60000, 60000, 8, 6, 0, 0, 0))
                             + chunk(b'IDAT', zlib.compress(bytes(9999))) + chunk(b'IEND', b''))
"""
HOSTILE = {
    "all kinds": Case(ALL_KINDS, err=b"", files={"good": b"y"}, left=5, changes={"limits": SMALL}),
    "links": Case(LINKS, files={"good": b"y"}, left=0),
    "devices": Case(
        "import os, stat\ntry: os.mknod('disk', stat.S_IFBLK | 0o666, os.makedev(8, 0))\nexcept OSError: print('no')",
        out=b"no\n", files={}, left=0,
    ),
    "a FIFO under the name of a file": Case("import os; open('f', 'w'); os.unlink('f'); os.mkfifo('f')", files={}, left=0),
    "a file that grows while nobody looks": Case(
        "import os\nopen('f', 'w').write('x')\nif os.fork() == 0:\n    while True: open('f', 'a').write('x')",
        leftovers=True, changes={"limits": SOON},
    ),
    "names like options": Case(
        "for n in ('-rf', '--help', 'a b', '~', '*', '$(id)', 'ü', \"'\"): open(n, 'w')",
        files=dict.fromkeys(("-rf", "--help", "a b", "~", "*", "$(id)", "ü", "'"), b""), left=0,
    ),
    "the longest name": Case("open('n' * 255, 'w')", files={"n" * 255: b""}, left=0),
    "more than can be looked at": Case("for n in range(12_000): open(f'f{n}', 'w')", changes={"limits": ROOMY}),
    "too deep": Case("import os; p = '/'.join('d' * 40); os.makedirs(p); open(p + '/f', 'w')", files={}, left=0),
    "depth that is looked at": Case("import os; p = '/'.join('d' * 16); os.makedirs(p); open(p + '/f', 'w')", files={"d/" * 16 + "f": b""}),
    "a directory nobody may enter": Case("import os; os.mkdir('d'); open('d/f', 'w'); os.chmod('d', 0)", files={}, left=0),
    "a directory that cannot be listed": Case("import os; os.mkdir('d'); open('d/f', 'w'); os.chmod('d', 0o300)", files={}, left=0),
    "exactly as large as may be": Case("open('f', 'wb').write(bytes(1000))", files={"f": bytes(1000)}, changes={"limits": SMALL}),
    "a byte more": Case("open('f', 'wb').write(bytes(1001))", files={}, left=1, changes={"limits": SMALL}),
    "sparse": Case("import os; os.truncate(os.open('s', os.O_CREAT | os.O_RDWR), 1000)", files={"s": bytes(1000)}),
    "sparse, and as large as may be": Case("import os; os.truncate(os.open('s', os.O_CREAT | os.O_RDWR), 128 << 20)", files={}, left=1),
    "the workspace itself": Case("import os, shutil\ntry: os.rmdir('/workspace')\nexcept OSError as e: print(e.errno)", files={}),
}  # fmt: skip


@pytest.fixture
def cleared(inside: Inside) -> Iterator[None]:
    empty = "chmod -R u+rwx . 2>/dev/null; find . -mindepth 1 -delete"
    inside.run(empty, "bash", limits=ROOMY)
    yield
    assert inside.run(f"{empty}; ls -A", "bash", limits=ROOMY).out == b""


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.usefixtures("cleared")
def test_nothing_hostile_comes_out(inside: Inside, name: str) -> None:
    ends_as_it_should(inside, HOSTILE[name])


@pytest.mark.usefixtures("cleared")
def test_bombs_come_out_as_they_are(inside: Inside) -> None:
    files = inside.run(BOMBS, collect=True, limits=ROOMY).files
    assert {name: len(data) for name, data in files.items()} == {
        "bomb.png": pytest.approx(100, abs=60),
        "bomb.zip": pytest.approx(51_000, abs=2000),
    }


@pytest.mark.usefixtures("cleared")
def test_thousands_of_files_are_counted(inside: Inside) -> None:
    result = inside.run("for n in range(3000): open(f'f{n}', 'w')", collect=True, limits=ROOMY)
    assert (len(result.files), result.end.artifacts_left) == (10, 2990)


@pytest.mark.usefixtures("cleared")
def test_a_hard_link_brings_out_no_more_than_its_maker_may_read(inside: Inside) -> None:
    inside.run(
        "import os; open('hers', 'w').write('secret'); os.chmod('hers', 0o600); open('ours', 'w').write('shared')",
        requester="ana",
    )
    links = "import os\nfor n in ('hers', 'ours', '/etc/passwd'):\n    try: os.link(n, 'link-' + n[-4:])\n    except OSError: pass"
    assert inside.run(links, requester="bo", collect=True).files in ({}, {"link-ours": b"shared", "ours": b"shared"})
    assert inside.run("cat link-hers", "bash", requester="bo").out == b""


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
