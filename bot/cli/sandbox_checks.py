"""What doctor finds out about Docker, by asking it and by running hostile little programs in a sandbox."""

import json
import uuid
from collections.abc import AsyncIterator, Mapping
from typing import Any

from bot.bootstrap.operator import alone, open_operator
from bot.bootstrap.sandboxes import equipment_of, image_of, open_engine
from bot.cli.checks import Check, Status
from bot.cli.machinery import trouble_of
from bot.settings import Settings
from executor.errors import ExecutorError
from executor.hardening import memory_bytes
from executor.pool import Sandboxes
from executor.types import Code, Execution, ExecutionResult, Limits, Outcome

PROBE = """
import json, os
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
def first(*paths):
    for path in paths:
        try:
            return open(path).read().strip()
        except OSError:
            pass
    return ""
mounts = [line.split() for line in open("/proc/self/mounts")]
def refused(path):
    try:
        open(path, "w").close()
    except OSError:
        return True
    return False
print(json.dumps({
    "uid": os.getuid(),
    "capabilities": int(status["CapEff"], 16) | int(status["CapPrm"], 16),
    "no_new_privileges": status["NoNewPrivs"],
    "seccomp": status["Seccomp"],
    "interfaces": sorted(os.listdir("/sys/class/net")),
    "root": next((m[3].split(",")[0] for m in mounts if m[1] == "/"), ""),
    "read_only": all(refused(path) for path in ("/etc/x", "/usr/x", "/x")),
    "memory": first("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"),
    "pids": first("/sys/fs/cgroup/pids.max", "/sys/fs/cgroup/pids/pids.max"),
}))
"""

IMPORTS = """
import importlib
for name in {names!r}:
    try:
        importlib.import_module(name)
    except Exception as error:
        print(f"{{name}} ({{error}})")
"""


async def sandbox_checks(settings: Settings) -> AsyncIterator[Check]:
    """One after the other; the first that fails ends them, since those behind it need it."""
    for check in await _engine(settings):
        yield check
        if check.status is Status.FAILED:
            return
    try:
        async with open_operator(settings) as sandboxes:
            async for check in _inside(settings, sandboxes):
                yield check
    except ExecutorError as error:
        yield _failed("sandbox", error, settings)


async def _engine(settings: Settings) -> list[Check]:
    import docker  # noqa: PLC0415 - takes its time

    host = settings.docker.host
    try:
        client = docker.DockerClient(host, timeout=10, use_ssh_client=host.startswith("ssh://"))
        info: Mapping[str, Any] = client.info()
        client.close()
    except docker.errors.DockerException as error:
        fix = "Start Docker, or say where it is: FENCEPOST_DOCKER__HOST=unix:///path."
        return [Check("docker", Status.FAILED, f"Docker does not answer at {host}: {error}", fix)]
    found = f"Docker {info['ServerVersion']} answers at {host}, cgroup v{info['CgroupVersion']}"
    checks = [Check("docker", Status.OK, found)]
    missing = [name for name in ("MemoryLimit", "SwapLimit", "PidsLimit", "CpuCfsQuota") if not info.get(name)]
    if missing:
        fix = "Boot the kernel with cgroup memory, swap and pids accounting."
        checks.append(Check("limits", Status.FAILED, f"the engine cannot limit: {', '.join(missing)}", fix))
    elif not any("seccomp" in option for option in info.get("SecurityOptions") or ()):
        checks.append(Check("limits", Status.FAILED, "the engine has no seccomp", "Use an engine that has it."))
    else:
        checks.append(Check("limits", Status.OK, "the engine limits memory, swap, processes and CPU; seccomp is on"))
    if settings.docker.runtime and settings.docker.runtime not in info.get("Runtimes", {}):
        fix = f"Install it, or choose one of {', '.join(sorted(info.get('Runtimes', {})))}."
        checks.append(Check("runtime", Status.FAILED, f"there is no runtime {settings.docker.runtime}", fix))
    async with open_engine(settings, timeout_s=10) as engine:
        try:
            await engine.image_id(image_of(settings))
            checks.append(Check("image", Status.OK, f"the image {image_of(settings)} is there"))
        except ExecutorError as error:
            checks.append(_failed("image", error, settings))
    return checks


async def _inside(settings: Settings, sandboxes: Sandboxes) -> AsyncIterator[Check]:
    hello = await _run(sandboxes, "print('hello')")
    yield _check("sandbox", hello.blocks[0].output.stdout == "hello\n", "a sandbox starts and says hello", str(hello))
    probe = await _run(sandboxes, PROBE)
    wrong = _faults(probe.blocks[0].output.stdout, settings)
    yield _check("hardening", not wrong, "no root, no capability, no network, nothing to write to", "; ".join(wrong))
    if settings.docker.preload:
        yield _preloaded(await _run(sandboxes, IMPORTS.format(names=list(settings.docker.preload))))
    for name, code, limits, outcome, text in (
        ("time", "while True: pass", Limits(timeout_s=0.5), Outcome.TIMED_OUT, "a loop is ended"),
        ("memory", "x = bytearray(2**30)", Limits(memory_mb=64), Outcome.OUT_OF_MEMORY, "a glutton is ended"),
        (
            "processes",
            "import os, time\nwhile True:\n    if os.fork() == 0: time.sleep(60)",
            Limits(processes=16),
            Outcome.TOO_MANY_PROCESSES,
            "a fork bomb is ended",
        ),
        (
            "output",
            "while True: print('x' * 10000)",
            Limits(output_bytes=10_000, file_output_bytes=100_000),
            Outcome.OUTPUT_EXCEEDED,
            "a flood of output is ended",
        ),
    ):
        got = (await _run(sandboxes, code, limits)).outcome
        yield _check(name, got is outcome, text, f"it was {got.value}, not {outcome.value}")


async def _run(sandboxes: Sandboxes, code: str, limits: Limits | None = None) -> ExecutionResult:
    execution = Execution(f"doctor-{uuid.uuid4().hex}", "doctor", (Code("python", code),), limits or Limits())
    async with sandboxes.lease("doctor") as sandbox:
        result = await sandbox.execute(execution, lambda _: None)
    for block in result.blocks:
        if block.output.spool is not None:
            block.output.spool.unlink(missing_ok=True)
    return result


def _preloaded(result: ExecutionResult) -> Check:
    block = result.blocks[0]
    missing = block.output.stdout.split("\n")[:-1] if result.outcome is Outcome.COMPLETED else [result.outcome.value]
    if missing:
        text = f"docker.preload cannot be imported in a sandbox: {'; '.join(missing)}"
        return Check("preload", Status.WARNING, text, "Take it out of docker.preload, or add it to the image.")
    return Check("preload", Status.OK, "what docker.preload names is there")


def _faults(text: str, settings: Settings) -> list[str]:
    """What the probe found that should not be."""
    try:
        found = json.loads(text)
    except ValueError:
        return [f"the probe said nothing that can be read: {text[:80]!r}"]
    most = memory_bytes(equipment_of(alone(settings)).spec.limits)
    expected = {
        "code runs as root": found["uid"] == 0,
        "code has capabilities": found["capabilities"] != 0,
        "new privileges are possible": found["no_new_privileges"] != "1",
        "there is no seccomp filter": found["seccomp"] != "2",
        f"there are network interfaces: {', '.join(found['interfaces'])}": found["interfaces"] not in ([], ["lo"]),
        "the root file system can be written": found["root"] != "ro" or not found["read_only"],
        f"the container's memory is not limited ({found['memory']})": not _at_most(found["memory"], most),
        f"the container's processes are not limited ({found['pids']})": not _at_most(found["pids"], 10_000),
    }
    return [fault for fault, is_so in expected.items() if is_so]


def _at_most(text: str, most: int) -> bool:
    return text.isdigit() and int(text) <= most


def _check(name: str, good: bool, text: str, wrong: str) -> Check:
    if good:
        return Check(name, Status.OK, text)
    return Check(name, Status.FAILED, f"{name}: {wrong}", "Do not run strangers' code here before this is mended.")


def _failed(name: str, error: ExecutorError, settings: Settings) -> Check:
    trouble = trouble_of(error, settings)
    return Check(name, Status.FAILED, f"{trouble.what} {trouble.why}", trouble.fix)
