"""Make the virtual environment in `.venv` and fill it from requirements-dev.lock, or find it up to date in no time.

A stamp in the environment says for which lock, project file and Python it was filled. An environment that is there is
filled anew in place, so that what runs from it goes on; one whose Python is gone or too old is made again.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
import venv
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".venv"
LOCK = ROOT / "requirements-dev.lock"
PROJECT = ROOT / "pyproject.toml"
STAMP = ".fencepost-filled"
OLDEST = (3, 11)


def main() -> int:
    python = FOLDER / "bin" / "python"
    wanted = digest([LOCK, PROJECT])
    if filled(FOLDER) == wanted and works(python):
        return 0
    with (ROOT / ".venv.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two make runs at once: the second finds it filled
        if filled(FOLDER) == wanted and works(python):
            return 0
        if not works(python):
            say(f"venv: making .venv with Python {sys.version.split()[0]}")
            venv.EnvBuilder(with_pip=True, clear=FOLDER.exists()).create(FOLDER)
        say("venv: installing the locked packages")
        (FOLDER / STAMP).unlink(missing_ok=True)
        for arguments in installations(LOCK):
            if complaint := pip(python, arguments):
                say("error: the virtual environment could not be filled")
                say(f"  why: {complaint}")
                say(f"  fix: see to it, then repeat; by hand: .venv/bin/pip {' '.join(arguments)}")
                return 1
        (FOLDER / STAMP).write_text(wanted)
    return 0


def installations(lock: Path) -> list[list[str]]:
    """Arguments of pip: what the lock names, to the byte, then the project itself from where it lies."""
    return [
        ["install", "--require-hashes", "--no-deps", "--requirement", str(lock)],
        ["install", "--no-deps", "--no-build-isolation", "--editable", str(ROOT)],
    ]


def pip(python: Path, arguments: list[str]) -> str:
    """Run pip; returns its last error, or nothing if it worked."""
    environ = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "PIP_USER": "0"}
    done = subprocess.run(
        [python, "-m", "pip", "--quiet", *arguments],
        cwd=ROOT,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return ""
    lines = done.stdout.splitlines()
    told = [line for line in lines if "ERROR" in line] or lines
    return told[-1].strip() if told else f"pip ended with status {done.returncode}"


def works(python: Path) -> bool:
    """Whether the environment's Python starts, is new enough and has pip: a change of the system's Python breaks it."""
    program = f"import sys, pip; sys.exit(sys.version_info < {OLDEST})"
    try:
        return subprocess.run([python, "-c", program], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def filled(folder: Path) -> str | None:
    try:
        return (folder / STAMP).read_text()
    except OSError:
        return None


def digest(files: Iterable[Path]) -> str:
    whole = hashlib.sha256()
    for file in files:
        whole.update(hashlib.sha256(file.read_bytes()).digest())
    return whole.hexdigest()


def say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
