"""A pool at work while its sandboxes are struck, and what has to hold of every execution and every workspace.

Members of three channels run programs, each of which writes its own name into a file of the workspace. Meanwhile blows
fall. In the end:

- every execution has ended, with its output if it completed, else with one of the errors that say what is known;
- none ran twice, and none that is said not to have run did;
- what completed is in the workspace, unless its sandbox was struck before it could be saved;
- each channel works, at the third attempt at the latest, and nothing is left on the engine.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from executor import naming
from executor.containers import Equipment
from executor.docker import DockerEngine
from executor.errors import EngineUnavailable, ExecutorError, SandboxLost, SandboxUnavailable
from executor.hardening import SandboxSpec
from executor.journal import FolderArchive
from executor.keeper import LATEST_S
from executor.places import PoolLimits
from executor.pool import Sandboxes
from executor.types import Code, Execution, Limits, Outcome, SandboxLimits
from tests.drills.blows import Blow, strike

CHANNELS = ("c1", "c2", "c3")
MEMBERS = ("ana", "bo")
SAVED_WITHIN_S = LATEST_S + 1.5
ATTEMPTS = 3
LIMITS = SandboxLimits(workspace_mb=16, execution=Limits(memory_mb=64))
PROGRAM = """
import os, time
with open('log-{member}', 'a') as log: log.write('{name}\\n')
time.sleep({seconds})
print('{name}')
"""
READ = "import glob\nfor name in sorted(glob.glob('log-*')): print(open(name).read(), end='')"

Disaster = Callable[[], Coroutine[Any, Any, str]]


@dataclass
class Record:
    """One execution: how it ended ("completed", or the error's name), and when."""

    name: str
    channel: str
    end: str
    at: float


@dataclass
class Report:
    records: list[Record] = field(default_factory=list)
    blows: list[tuple[float, float, str, str | None]] = field(default_factory=list)
    """From when to when, what, and the channel that was hit (None: all)."""
    problems: list[str] = field(default_factory=list)

    def summary(self) -> str:
        ends = Counter(record.end for record in self.records)
        hits = Counter(what for _, _, what, _ in self.blows)
        return f"{len(self.records)} executions: {dict(ends)}; blows: {dict(hits)}; problems: {len(self.problems)}"


class Drill:
    """`disasters` are blows at the engine itself; one in ten is one of those, if there are any."""

    def __init__(
        self,
        client: Any,
        address: str,
        image: str,
        folder: Path,
        *,
        seed: int,
        blows: tuple[Blow, ...],
        disasters: tuple[Disaster, ...] = (),
    ) -> None:
        self._client = client
        self._address = address
        self._image = image
        self._folder = folder
        self._chance = random.Random(seed)  # noqa: S311 - a drill that can be repeated
        self._blows = blows
        self._disasters = disasters
        self._instance = f"drill-{seed % 10**9}-{time.time_ns() % 10**6}"
        self._report = Report()
        self._left = 0

    async def run(self, executions: int) -> Report:
        self._left = executions
        engine = DockerEngine(self._address, timeout_s=20)
        equipment = Equipment(SandboxSpec(self._image, LIMITS))
        limits = PoolLimits(sleep_after_s=2, reserve=1)
        archive = FolderArchive(self._folder)
        try:
            async with Sandboxes(engine, self._instance, equipment, limits, archive=archive) as sandboxes:
                members = [
                    asyncio.create_task(self._member(sandboxes, channel, member))
                    for channel in CHANNELS
                    for member in MEMBERS
                ]
                over = asyncio.Event()
                storm = asyncio.create_task(self._storm(sandboxes, over))
                await asyncio.gather(*members)
                over.set()
                await storm
                for channel in CHANNELS:
                    await self._check(sandboxes, channel)
                await self._no_more_than_needed(engine)
            await self._nothing(engine)
        finally:
            await engine.close()
        return self._report

    async def _member(self, sandboxes: Sandboxes, channel: str, member: str) -> None:
        number = 0
        while self._left > 0:
            self._left -= 1
            number += 1
            name = f"{channel}-{member}-{number}"
            seconds = self._chance.choice([0, 0, 0.05, 0.3])
            end = await self._execute(sandboxes, channel, member, name, seconds)
            self._report.records.append(Record(name, channel, end, time.monotonic()))
            await asyncio.sleep(self._chance.random() * 0.2 if end == "completed" else 0.2)

    async def _execute(self, sandboxes: Sandboxes, channel: str, member: str, name: str, seconds: float) -> str:
        code = Code("python", PROGRAM.format(member=member, name=name, seconds=seconds))
        execution = Execution(name, member, (code,), Limits(timeout_s=20, memory_mb=64))
        try:
            async with asyncio.timeout(90), sandboxes.lease(channel) as sandbox:
                result = await sandbox.execute(execution, lambda _: None)
        except TimeoutError:
            self._problem(f"{name} did not end")
            return "hung"
        except (SandboxLost, SandboxUnavailable, EngineUnavailable) as error:
            return type(error).__name__
        (block,) = result.blocks
        if block.outcome is not Outcome.COMPLETED or block.output.stdout != f"{name}\n":
            self._problem(f"{name} ended as {block.outcome} {block.limit} with {block.output.text!r}")
        return block.outcome.value

    async def _storm(self, sandboxes: Sandboxes, over: asyncio.Event) -> None:
        while not over.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), self._chance.random() * 1.2)
            began = time.monotonic()
            if self._disasters and self._chance.random() < 0.1:
                what = await self._chance.choice(self._disasters)()
                self._report.blows.append((began, time.monotonic(), what, None))
                continue
            targets = [status for status in sandboxes.list() if status.container is not None]
            if targets:
                target = self._chance.choice(targets)
                hit = await asyncio.to_thread(
                    strike, self._client, str(target.container), self._chance.choice(self._blows)
                )
                if hit is not None:
                    self._report.blows.append((began, time.monotonic(), hit, target.channel))

    async def _check(self, sandboxes: Sandboxes, channel: str) -> None:
        seen = await self._names_in(sandboxes, channel)
        if seen is None:
            return
        self._report.problems += [f"{name} ran {count} times" for name, count in seen.items() if count > 1]
        struck = [(began, ended) for began, ended, _, whom in self._report.blows if whom in {channel, None}]
        for record in self._report.records:
            if record.channel != channel:
                continue
            if record.end in {"SandboxUnavailable", "EngineUnavailable"} and seen[record.name]:
                self._problem(f"{record.name} is said not to have run and did")
            soon = any(began <= record.at + SAVED_WITHIN_S and record.at - 0.5 <= ended for began, ended in struck)
            if record.end == "completed" and not seen[record.name] and not soon:
                self._problem(f"{record.name} completed and is not in the workspace, though nothing was struck then")

    async def _names_in(self, sandboxes: Sandboxes, channel: str) -> Counter[str] | None:
        """Who has written into its workspace, how often."""
        failures: list[BaseException] = []
        for attempt in range(ATTEMPTS):
            execution = Execution(f"check-{channel}-{attempt}", "check", (Code("python", READ),))
            try:
                async with asyncio.timeout(60), sandboxes.lease(channel) as sandbox:
                    result = await sandbox.execute(execution, lambda _: None)
            except (ExecutorError, TimeoutError) as error:
                failures.append(error)
                await asyncio.sleep(0.5)
            else:
                return Counter(result.blocks[0].output.stdout.split())
        self._problem(f"{channel} does not work any more: {[(error, error.__cause__) for error in failures]}")
        return None

    async def _no_more_than_needed(self, engine: DockerEngine) -> None:
        async with asyncio.timeout(60):
            while len(await engine.containers(self._label)) > len(CHANNELS) + 1:  # noqa: ASYNC110 - it sets no event
                await asyncio.sleep(0.1)

    async def _nothing(self, engine: DockerEngine) -> None:
        left = [row.name for row in await engine.containers(self._label)]
        left += await engine.volumes(self._label)
        if left:
            self._problem(f"left on the engine: {left}")

    @property
    def _label(self) -> str:
        return f"{naming.LABEL_INSTANCE}={self._instance}"

    def _problem(self, text: str) -> None:
        self._report.problems.append(text)
