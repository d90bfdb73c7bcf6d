"""A Docker engine of one's own, in memory where there is room, to be stopped, killed and started again."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scripts.engine import own
from tests.drills.drill import Disaster

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class OwnEngine:
    folder: own.Folder

    @classmethod
    @contextmanager
    def open(cls) -> "Iterator[OwnEngine]":
        """With the sandbox image, which comes from the cache that the first engine's was kept in."""
        with tempfile.TemporaryDirectory(prefix="fp-", dir=fast_folder(), ignore_cleanup_errors=True) as folder:
            engine = cls(own.Folder(Path(folder)))
            engine.start()
            try:
                env = {**os.environ, "DOCKER_HOST": engine.address, "FENCEPOST_DOCKER__HOST": ""}
                subprocess.run([ROOT / "scripts/image"], check=True, env=env, stdout=subprocess.DEVNULL)
                yield engine
            finally:
                own.stop(engine.folder)

    @property
    def address(self) -> str:
        return self.folder.address

    @property
    def disasters(self) -> tuple[Disaster, ...]:
        return (self.restarted, self.killed)

    def start(self) -> None:
        """From a process of its own: the engine outlives whoever starts it."""
        code = (
            "import sys, pathlib\n"
            "from scripts.engine import machine, own\n"
            "own.start(own.Folder(pathlib.Path(sys.argv[1])), machine.this_machine(), alone=False)"
        )
        command = [sys.executable, "-c", code, str(self.folder.root)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr[-1000:] + self.folder.log.read_text(errors="replace")[-3000:])

    async def restarted(self) -> str:
        await asyncio.to_thread(own.stop, self.folder)
        await asyncio.to_thread(self.start)
        return "engine restarted"

    async def killed(self) -> str:
        if (pid := own.our_pid(self.folder)) is not None:
            os.kill(pid, signal.SIGKILL)
        await asyncio.to_thread(self.start)
        return "engine killed"


def fast_folder() -> str | None:
    memory = Path("/dev/shm")
    return str(memory) if memory.is_dir() and shutil.disk_usage(memory).free > 3 * 2**30 else None
