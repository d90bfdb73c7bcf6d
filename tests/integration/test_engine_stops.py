"""An engine that stops and comes back: a second one of our own, so that nobody else's sandboxes are ended."""

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from executor import naming
from executor.containers import Equipment, Sandbox
from executor.docker import DockerEngine
from executor.errors import EngineUnavailable, SandboxLost
from executor.hardening import SandboxSpec
from executor.pool import Sandboxes
from executor.types import Code, Execution, Limits, Outcome, OutputChunk
from scripts.engine.own import Folder, answers_in_time, dockerd_command
from tests.conftest import Engine

pytestmark = [
    pytest.mark.docker,
    pytest.mark.skipif(os.geteuid() != 0 or shutil.which("dockerd") is None, reason="starts an engine: root, dockerd"),
]

INSTANCE = "engine-test"


class SecondEngine:
    def __init__(self, root: Path) -> None:
        self.folder = Folder(root)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.folder.pidfile.unlink(missing_ok=True)
        with self.folder.log.open("ab") as log:
            command = dockerd_command(self.folder, firewall=False)
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/", start_new_session=True)
        assert answers_in_time(self.folder, self._process, ["true"]), self.folder.log.read_text()[-2000:]

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(30)
            self._process = None

    def freeze(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)


@pytest.fixture(scope="module")
def second(engine: Engine) -> Iterator[SecondEngine]:
    root = Path(tempfile.mkdtemp(prefix="fencepost-engine-"))  # short: a socket's path has 108 bytes at most
    other = SecondEngine(root)
    other.start()
    try:
        client = docker.APIClient(base_url=other.folder.address, timeout=120)
        for _ in client.load_image(engine.client.api.get_image(engine.image)):
            pass
        client.close()
        yield other
    finally:
        other.stop()
        shutil.rmtree(root, ignore_errors=True)


def ignore(chunk: OutputChunk) -> None:
    pass


async def hello(sandboxes: Sandboxes) -> Sandbox:
    async with sandboxes.lease("c1") as sandbox:
        result = await sandbox.execute(Execution("hello", "ana", (Code("python", "print('hi')"),)), ignore)
        assert result.outcome is Outcome.COMPLETED
        return sandbox


async def test_an_engine_that_stops_under_a_run_and_comes_back(second: SecondEngine, engine: Engine) -> None:
    docker_engine = DockerEngine(second.folder.address)
    async with Sandboxes(docker_engine, INSTANCE, Equipment(SandboxSpec(engine.image))) as sandboxes:
        await hello(sandboxes)
        async with sandboxes.lease("c1") as sandbox:
            began = asyncio.Event()
            code = Code("python", "import time; print('on', flush=True); time.sleep(60)")
            long = Execution("long", "ana", (code,), Limits(timeout_s=90))
            task = asyncio.create_task(sandbox.execute(long, lambda chunk: began.set()))
            async with asyncio.timeout(10):
                await began.wait()
            await asyncio.to_thread(second.stop)
            async with asyncio.timeout(10):
                with pytest.raises(SandboxLost):
                    await task
        asked = time.monotonic()
        with pytest.raises(EngineUnavailable, match="Docker does not answer"):
            await hello(sandboxes)
        assert time.monotonic() - asked < 2
        await asyncio.to_thread(second.start)
        await hello(sandboxes)
        rows = await docker_engine.containers(f"{naming.LABEL_INSTANCE}={INSTANCE}")
        assert [row.state for row in rows] == ["running"]
        assert len(await docker_engine.volumes(f"{naming.LABEL_INSTANCE}={INSTANCE}")) == 1
    assert await docker_engine.containers(naming.LABEL_INSTANCE) == ()
    await docker_engine.close()


async def test_an_engine_that_hangs_for_a_while(
    second: SecondEngine, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("executor.containers.PING_S", 0.5)
    docker_engine = DockerEngine(second.folder.address, timeout_s=3)
    async with Sandboxes(docker_engine, INSTANCE, Equipment(SandboxSpec(engine.image))) as sandboxes:
        first = await hello(sandboxes)
        second.freeze()
        try:
            asked = time.monotonic()
            with pytest.raises(EngineUnavailable, match="Docker does not answer"):
                await hello(sandboxes)
            assert time.monotonic() - asked < 6
        finally:
            second.thaw()
        assert (await hello(sandboxes)).container == first.container
    await docker_engine.close()
