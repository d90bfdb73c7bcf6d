"""What the executor's unit tests share: programs as text, and waiting for a condition."""

import asyncio
from collections.abc import Callable
from typing import get_args

from executor.fake import Babble, Die, End, Hold, Ignore, Refuse, Say, Step, Write
from executor.messages import Reason, RefusedError, Start

REASONS: dict[str, Reason] = {reason: reason for reason in get_args(Reason)}
ERRORS: dict[str, RefusedError] = {error: error for error in get_args(RefusedError)}


async def until(condition: Callable[[], object], timeout_s: float = 5.0) -> None:
    async with asyncio.timeout(timeout_s):
        while not condition():  # noqa: ASYNC110 - any condition, not one that could set an event
            await asyncio.sleep(0)


class Lines:
    """A script in which a block's own text says what it does, one step a line. `wait` goes on once `go_on` is set."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()

    def __call__(self, start: Start) -> tuple[Step, ...]:
        return tuple(self._step(line) for line in start.code.splitlines())

    def _step(self, line: str) -> Step:
        word, _, rest = line.partition(" ")
        path, _, text = rest.partition(" ")
        steps: dict[str, Callable[[], Step]] = {
            "out": lambda: Say(rest + "\n"),
            "err": lambda: Say(rest + "\n", "stderr"),
            "file": lambda: Write(path, text.encode()),
            "wait": lambda: Hold(self.go_on),
            "exit": lambda: End(int(rest)),
            "value": lambda: End(0, value=rest),
            "end": lambda: End(None, 9, REASONS[rest]),
            "refuse": lambda: Refuse(ERRORS[rest]),
            "silence": Ignore,
            "garbage": Babble,
            "die": Die,
        }
        return steps[word]()
