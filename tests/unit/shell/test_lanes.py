import asyncio

from bot.shell.lanes import Job, Lanes
from bot.shell.tasks import task_group


class Work:
    def __init__(self) -> None:
        self.done: list[str] = []
        self.gates: dict[str, asyncio.Event] = {}

    def job(self, key: str, seq: int, gated: bool = False) -> Job:
        name = f"{key}{seq}"
        if gated:
            self.gates[name] = asyncio.Event()

        async def run() -> None:
            if gated:
                await self.gates[name].wait()
            self.done.append(name)

        return Job(key, seq, run)

    async def settle(self) -> list[str]:
        for _ in range(10):
            await asyncio.sleep(0)
        return self.done


async def test_a_lane_does_one_thing_after_the_other() -> None:
    work = Work()
    async with task_group() as group:
        lanes = Lanes(group)
        lanes.put(("a",), work.job("show", 1, gated=True))
        lanes.put(("a",), work.job("remove", 2))
        lanes.put(("b",), work.job("show", 3))
        assert await work.settle() == ["show3"]
        assert lanes.is_busy(("a",))
        work.gates["show1"].set()
        assert await work.settle() == ["show3", "show1", "remove2"]
        assert not lanes.is_busy(("a",))


async def test_of_what_waits_only_the_newest_is_done() -> None:
    work = Work()
    async with task_group() as group:
        lanes = Lanes(group)
        lanes.put(("a",), work.job("show", 1, gated=True))
        await work.settle()
        assert not lanes.is_replaced(("a",), "show")
        lanes.put(("a",), work.job("show", 2))
        lanes.put(("a",), work.job("show", 3))
        lanes.put(("a",), work.job("show", 2))
        assert lanes.is_replaced(("a",), "show")
        work.gates["show1"].set()
        assert await work.settle() == ["show1", "show3"]


async def test_what_runs_is_not_begun_again() -> None:
    work = Work()
    async with task_group() as group:
        lanes = Lanes(group)
        job = work.job("start", 1, gated=True)
        lanes.put(("a",), job)
        await work.settle()
        lanes.put(("a",), job)
        work.gates["start1"].set()
        assert await work.settle() == ["start1"]


async def test_closed_lanes_end_where_they_are_and_take_nothing() -> None:
    work = Work()
    async with task_group() as group:
        lanes = Lanes(group)
        lanes.put(("a",), work.job("show", 1, gated=True))
        await work.settle()
        lanes.close()
        lanes.put(("b",), work.job("show", 2))
    assert work.done == []
