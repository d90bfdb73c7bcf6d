"""A web chat whose core takes an event and never answers, for a test to kill."""

import asyncio
import sys
from pathlib import Path

from bot.core.events import AnyEvent
from bot.core.replies import Reply
from tests.integration.webrig import ScriptedCore, site


class HangingCore(ScriptedCore):
    async def dispatch(self, event: AnyEvent) -> tuple[Reply, ...]:
        say("reached")
        return await asyncio.Future()


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def main(folder: Path) -> None:
    async with site(folder, HangingCore()) as web:
        say(f"at {web.base}")
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
