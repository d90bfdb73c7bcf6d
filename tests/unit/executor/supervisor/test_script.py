"""Each program is run by a real interpreter and by `script`, in a process of its own, and has to look the same."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus import OTHER_WORDS, PROGRAMS, as_bytes, without_addresses

RUNNER = """
import sys
from executor.supervisor import script
name, path, workspace, scratch, *arguments = sys.argv[1:]
source = open(path, "rb").read()
script.prepare()
script.diverge()
script.run(script.Program(source, name, path, scratch, tuple(arguments), workspace, scratch, scratch, echo=True))
"""


def run(command: list[str], folder: Path) -> tuple[bytes, bytes, int]:
    folder.mkdir()
    done = subprocess.run(command, check=False, input=b"one\ntwo\n", capture_output=True, timeout=60, cwd=folder)
    return done.stdout, done.stderr, done.returncode


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_cannot_tell_the_difference(name: str, tmp_path: Path) -> None:
    path = tmp_path / "main.py"
    path.write_bytes(as_bytes(name))
    flags = ["-I", "-B", "-X", "utf8"]
    real = run([sys.executable, *flags, str(path), "a b", "c"], tmp_path / "real")
    checkout = str(Path(__file__).parents[4])
    runner = f"import sys; sys.path.insert(0, {checkout!r})\n{RUNNER}"
    command = [
        sys.executable,
        *flags,
        "-c",
        runner,
        "main.py",
        str(path),
        str(tmp_path),
        str(tmp_path),
        "a b",
        "c",
    ]
    ours = run(command, tmp_path / "ours")
    assert ours[0] == real[0]
    assert ours[2] == real[2]
    if name not in OTHER_WORDS:
        assert without_addresses(ours[1]) == without_addresses(real[1]).replace(str(path), "main.py")
    for left in (tmp_path / "real").iterdir():
        assert (tmp_path / "ours" / left.name).read_bytes() == left.read_bytes()
