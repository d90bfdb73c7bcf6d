# ruff: noqa: E501 - a program a row
"""Programs that write too much, in a strange way, or where they should not."""

from dataclasses import replace

import pytest

from executor import frames
from executor.frames import Kind
from executor.messages import Exit, encode_message
from tests.integration.inside import Inside
from tests.integration.supervisor.case import IN_TIME, ROOMY, Case, ends_as_it_should

pytestmark = pytest.mark.docker

FORGED = frames.encode(Kind.EXIT, 1, encode_message(Exit(0))) + frames.encode(Kind.STDOUT, 1, b"forged")
WIDE = {"limits": replace(ROOMY, file_output_bytes=12_000_000)}
EVERYWHERE = f"""
import os
for fd in range(3, 512):
    try: os.write(fd, {FORGED!r})
    except OSError: continue
    print('wrote to', fd)
for path in ('/proc/1/fd/0', '/proc/1/fd/1', '/proc/7/fd/1', '/dev/console', '/dev/tty', '/dev/kmsg', '/dev/tty0'):
    try: open(path, 'wb', 0).write({FORGED!r})
    except OSError: continue
    print('wrote to', path)
print('done')
"""
CASES = {
    "flood": Case("while True: print('x' * 999)", None, 9, "output"),
    "flood of errors": Case("import sys\nwhile True: sys.stderr.write('x' * 999)", None, 9, "output"),
    "flood on both": Case("import sys\nwhile True: print('x' * 999); sys.stderr.write('y' * 999)", None, 9, "output"),
    "flood of bash": Case("yes", None, 9, "output", language="bash"),
    "flood of a child": Case("import subprocess; subprocess.run(['cat', '/dev/zero'])", None, 9, "output"),
    "flood, and it ends": Case("print('x' * 3_000_000)", None, 9, "output"),
    "output that does not wait": Case("import os; os.set_blocking(1, False); print('x')", out=b"x\n"),
    "flood of empty lines": Case("import os\nwhile True: os.write(1, b'\\n' * 999)", None, 9, "output"),
    "a trickle that never ends": Case(
        "import time\nwhile True: print('.', end='', flush=True); time.sleep(.01)", None, 9, "timeout", changes=IN_TIME,
    ),
    "a long line": Case("print('x' * 1_900_000)", out=b"x" * 1_900_000 + b"\n"),
    "a line of 10 MB": Case("print('x' * 10_000_000)", out=b"x" * 10_000_000 + b"\n", changes=WIDE),
    "a small pipe": Case(
        "import fcntl; fcntl.fcntl(1, 1031, 4096); print('x' * 1_000_000)", out=b"x" * 1_000_000 + b"\n",
    ),
    "carriage returns": Case(
        r"import sys; [sys.stdout.write(f'\r{n}%') for n in range(3)]", out=b"\r0%\r1%\r2%",
    ),
    "zero bytes": Case(r"print('a\0b')", out=b"a\0b\n"),
    "invalid UTF-8": Case(r"import os; os.write(1, b'\xff\xfe')", out=b"\xff\xfe"),
    "split UTF-8": Case(
        r"import os, time; os.write(1, b'\xf0\x9f'); time.sleep(.05); os.write(1, b'\x99\x82')", out="🙂".encode(),
    ),
    "half a character at the end": Case(r"import os; os.write(1, b'\xf0\x9f')", out=b"\xf0\x9f"),
    "lone surrogates": Case(r"print('\ud800')", 1, err=b"UnicodeEncodeError"),
    "bytes that came as surrogates": Case(r"print('\udcff')", out=b"\xff\n"),
    "colours, titles, bells": Case(r"print('\x1b[31mred\x1b]0;title\x07\x1b[2J')", out=b"\x1b[31mred\x1b]0;title\x07\x1b[2J\n"),
    "right to left": Case(r"print('\u202egnp.exe')", out="\u202egnp.exe\n".encode()),
    "forged frames": Case(f"import os; os.write(1, {FORGED!r}); os.write(2, {FORGED!r})", out=FORGED, err=FORGED),
    "writes wherever it can": Case(EVERYWHERE, out=b"done\n"),
    "reads its own output": Case("import os; os.read(1, 99)", 1, err=b"Bad file descriptor"),
    "opens its output again": Case("open('/dev/stdout', 'w').write('again')", out=b"again"),
    "closes its output": Case("import os; os.close(1); os.close(2); os.close(0)", out=b"", err=b""),
    "sends its output elsewhere": Case(
        "import os; os.dup2(os.open('/dev/null', os.O_WRONLY), 1); print('x')", out=b"", err=b"",
    ),
    "both streams at once": Case(
        "import threading, sys\nfor s in (sys.stdout, sys.stderr):\n"
        "    threading.Thread(target=lambda s=s: [s.write('z' * 999) for _ in range(500)]).start()",
        out=b"z" * 499_500, err=b"z" * 499_500,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_program_ends_as_it_should(inside: Inside, name: str) -> None:
    ends_as_it_should(inside, CASES[name])
