import os
from pathlib import Path

import pytest

from bot.cli.lines import PIECE, STDIN, stdin_lines

LONG = b"x" * (3 * PIECE)


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"a\n", [b"a\n"]),
        (b"a\n\nb", [b"a\n", b"\n", b"b"]),
        (b"a\r\n", [b"a\r\n"]),
        (LONG + b"\nend", [LONG + b"\n", b"end"]),
    ],
)
async def test_lines_come_as_they_are(tmp_path: Path, data: bytes, lines: list[bytes]) -> None:
    path = tmp_path / "typed"
    path.write_bytes(data)
    kept, file = os.dup(STDIN), os.open(path, os.O_RDONLY)
    try:
        os.dup2(file, STDIN)
        got = [line async for line in stdin_lines()]
    finally:
        os.dup2(kept, STDIN)
        os.close(kept)
        os.close(file)
    assert got == lines
