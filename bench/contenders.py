"""Who is measured: each starts a sandbox, runs Python code in it, and stops it."""

import asyncio
import itertools
import json
import os
import subprocess
import tempfile
import time
import uuid
from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import Any, Protocol

import docker

from executor.containers import Equipment
from executor.docker import DockerEngine
from executor.hardening import SandboxSpec
from executor.journal import FolderArchive
from executor.pool import Sandboxes
from executor.types import Code, Execution, Limits, OnOutput, Outcome, OutputChunk, SandboxLimits

ROOT = Path(__file__).resolve().parent.parent
CHANNEL = "bench"


class Contender(Protocol):
    name: str

    async def start(self) -> None: ...

    async def run(self, code: str, timeout_s: float = 60.0) -> None:
        """Run it to its end, however that is."""
        ...

    async def run_at_once(self, codes: Sequence[str]) -> None: ...

    async def processes(self) -> int:
        """Processes in the container beside those of an idle one."""
        ...

    async def resident_mb(self) -> float:
        """Most memory that the host's process had in use so far."""
        ...

    async def stop(self) -> None: ...


def _discard(chunk: OutputChunk) -> None:
    del chunk


class Ours:
    """The pool of this checkout; `preload` as a channel's setting has it."""

    def __init__(self, name: str, engine_address: str, image: str, preload: tuple[str, ...] = ()) -> None:
        self.name = name
        self._engine = DockerEngine(engine_address)
        self._client = docker.DockerClient(base_url=engine_address)
        self._instance = f"bench-{uuid.uuid4().hex[:8]}"
        limits = SandboxLimits(slots=32, execution=Limits(timeout_s=60.0))
        equipment = Equipment(SandboxSpec(image=image, limits=limits), preload=preload)
        self._folder = tempfile.TemporaryDirectory(prefix="fencepost-bench-")
        archive = FolderArchive(Path(self._folder.name))
        self.sandboxes = Sandboxes(self._engine, self._instance, equipment, archive=archive)
        self._numbers = itertools.count()
        self._idle = 0

    async def start(self) -> None:
        await self.sandboxes.__aenter__()
        await self.run("pass")
        await asyncio.sleep(0.5)
        self._idle = self._count()

    async def run(self, code: str, timeout_s: float = 60.0) -> None:
        await self.execute(code, "one", timeout_s)

    async def run_at_once(self, codes: Sequence[str]) -> None:
        await asyncio.gather(*(self.execute(code, f"person {n}", 60.0) for n, code in enumerate(codes)))

    async def execute(
        self, code: str, requester: str = "one", timeout_s: float = 60.0, on_output: OnOutput = _discard
    ) -> None:
        execution = self._running = Execution(
            id=f"x{next(self._numbers)}",
            requester=requester,
            blocks=(Code("python", code),),
            limits=Limits(timeout_s=timeout_s, file_output_bytes=2000 << 20),
        )
        async with self.sandboxes.lease(CHANNEL) as sandbox:
            result = await sandbox.execute(execution, on_output)
        if result.outcome not in {Outcome.COMPLETED, Outcome.TIMED_OUT, Outcome.CANCELLED}:
            raise RuntimeError(f"{self.name}: {result}")
        for block in result.blocks:
            if block.output.spool is not None:
                block.output.spool.unlink()

    async def cancel(self) -> None:
        """What was executed last."""
        await self.sandboxes.cancel(self._running.id)

    def _count(self) -> int:
        (container,) = self._client.containers.list(filters={"label": f"fencepost.instance={self._instance}"})
        return len(container.top()["Processes"])

    async def processes(self) -> int:
        return max(0, await asyncio.to_thread(self._count) - self._idle)

    async def resident_mb(self) -> float:
        return most_resident_mb(os.getpid())

    async def stop(self) -> None:
        await self.sandboxes.close(keep=False)
        await self._engine.close()
        self._client.close()
        self._folder.cleanup()


class DockerExec:
    """What most bots do: a container that sleeps, and `docker exec` for each piece of code."""

    name = "docker exec"

    def __init__(self, engine_address: str, image: str) -> None:
        self._client = docker.DockerClient(base_url=engine_address)
        self._image = image
        self.container: Any = None
        self._idle = 0

    async def start(self) -> None:
        self.container = await asyncio.to_thread(
            self._client.containers.run, self._image, ["sleep", "3600"], detach=True, network_mode="none", init=True
        )
        self._idle = len(self.container.top()["Processes"])

    async def run(self, code: str, timeout_s: float = 60.0) -> None:
        command = ["timeout", str(timeout_s), "python3", "-c", code]
        await asyncio.to_thread(self.container.exec_run, command)

    async def run_at_once(self, codes: Sequence[str]) -> None:
        await asyncio.gather(*(self.run(code) for code in codes))

    async def processes(self) -> int:
        return max(0, len((await asyncio.to_thread(self.container.top))["Processes"]) - self._idle)

    async def resident_mb(self) -> float:
        return most_resident_mb(os.getpid())

    async def stop(self) -> None:
        await asyncio.to_thread(self.container.stop)
        await asyncio.to_thread(self.container.remove, force=True)
        self._client.close()


class AutoGen:
    """AutoGen's DockerCommandLineCodeExecutor, in an environment and a process of its own (`bench.autogen_peer`)."""

    name = "AutoGen 0.7.5"

    def __init__(self, python: Path, engine_address: str, image: str) -> None:
        self._command = [str(python), str(ROOT / "bench" / "autogen_peer.py"), image]
        self._env = {**os.environ, "DOCKER_HOST": engine_address}
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            *self._command, env=self._env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, limit=1 << 20
        )
        await self._ask({"do": "start"})

    async def run(self, code: str, timeout_s: float = 60.0) -> None:
        await self._ask({"do": "run", "codes": [code], "timeout_s": timeout_s})

    async def run_at_once(self, codes: Sequence[str]) -> None:
        await self._ask({"do": "run", "codes": list(codes), "timeout_s": 60.0})

    async def processes(self) -> int:
        return int((await self._ask({"do": "processes"}))["count"])

    async def resident_mb(self) -> float:
        assert self._process is not None
        return most_resident_mb(self._process.pid)

    async def stop(self) -> None:
        await self._ask({"do": "stop"})
        assert self._process is not None
        await self._process.wait()

    async def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        answer: dict[str, Any] = json.loads(await self._process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(f"{self.name}: {answer['error']}")
        return answer


def most_resident_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"no peak of memory of process {pid}")


async def timed_ms(work: Awaitable[None]) -> float:
    began = time.perf_counter()
    await work
    return (time.perf_counter() - began) * 1000
