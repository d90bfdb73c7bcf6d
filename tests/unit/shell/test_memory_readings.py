"""Memory of sandboxes: nobody waits for the engine, and it is asked no more than need be."""

import asyncio

from bot.shell.clock import ManualClock
from bot.shell.memory_readings import AT_ONCE, FRESH_S, KEPT_S, MemoryReadings
from executor.errors import EngineUnavailable
from executor.status import SandboxStatus
from tests.unit.shell.world import until


class Register:
    """`bot.ports.SandboxRegister` that answers once it is let."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.open = asyncio.Event()
        self.open.set()
        self.bytes: int | None = 100
        self.down = False

    def list(self) -> tuple[SandboxStatus, ...]:
        return ()

    async def memory(self, container: str) -> int | None:
        self.asked.append(container)
        await self.open.wait()
        if self.down:
            raise EngineUnavailable("Docker does not answer on this machine.")
        return self.bytes


async def settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_it_is_read_behind_the_back_of_whoever_looks() -> None:
    register, clock = Register(), ManualClock()
    async with MemoryReadings(register, clock).open() as readings:
        assert readings.of(["a", "b"]) == {}
        await settled()
        assert readings.of(["a", "b"]) == {"a": 100, "b": 100}
        assert register.asked == ["a", "b"]


async def test_it_is_read_again_once_it_is_old_and_shown_meanwhile() -> None:
    register, clock = Register(), ManualClock()
    async with MemoryReadings(register, clock).open() as readings:
        readings.of(["a"])
        await settled()
        clock.advance(FRESH_S - 1)
        readings.of(["a"])
        await settled()
        assert register.asked == ["a"]
        clock.advance(1)
        register.bytes = 200
        assert readings.of(["a"]) == {"a": 100}
        await settled()
        assert readings.of(["a"]) == {"a": 200}
        assert register.asked == ["a", "a"]


async def test_an_engine_that_hangs_is_not_asked_again_and_again() -> None:
    register, clock = Register(), ManualClock()
    register.open.clear()
    names = [f"c{n}" for n in range(10)]
    async with MemoryReadings(register, clock).open() as readings:
        for _ in range(5):
            assert readings.of(names) == {}
            await settled()
        assert len(register.asked) == AT_ONCE
        register.open.set()
        await until(lambda: len(register.asked) == len(names))
        await settled()
        assert set(readings.of(names)) == set(names)
        assert sorted(register.asked) == sorted(names)


async def test_what_cannot_be_read_is_not_there_and_what_is_too_old_neither() -> None:
    register, clock = Register(), ManualClock()
    async with MemoryReadings(register, clock).open() as readings:
        readings.of(["a"])
        await settled()
        register.down = True
        clock.advance(KEPT_S)
        assert readings.of(["a"]) == {}
        await settled()
        assert readings.of(["a"]) == {}
        register.down, register.bytes = False, None
        clock.advance(FRESH_S)
        readings.of(["a"])
        await settled()
        assert readings.of(["a"]) == {}
        assert register.asked == ["a"] * 3
