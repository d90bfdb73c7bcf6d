"""A process that owns a pool, for tests that kill it: `owner.py ADDRESS IMAGE INSTANCE CHANNEL…`.

It leases every channel, one after the other, writes a line of JSON for each, then runs a program without end in the
first one and says so.
"""

import asyncio
import json
import sys

from executor.containers import Equipment
from executor.docker import DockerEngine
from executor.hardening import SandboxSpec
from executor.pool import Sandboxes
from executor.types import Code, Execution, Limits, OutputChunk

WRITE = "open('kept.txt', 'w').write('kept')"
ENDLESS = "import time\nprint('running', flush=True)\ntime.sleep(600)"


def say(**fact: str) -> None:
    sys.stdout.write(json.dumps(fact) + "\n")
    sys.stdout.flush()


def running(chunk: OutputChunk) -> None:
    say(running=chunk.text)


async def main(address: str, image: str, instance: str, *channels: str) -> None:
    async with Sandboxes(DockerEngine(address), instance, Equipment(SandboxSpec(image))) as sandboxes:
        for channel in channels:
            async with sandboxes.lease(channel) as sandbox:
                await sandbox.execute(Execution("write", "ana", (Code("python", WRITE),)), lambda chunk: None)
                say(channel=channel, container=sandbox.container)
        async with sandboxes.lease(channels[0]) as sandbox:
            await sandbox.execute(
                Execution("endless", "ana", (Code("python", ENDLESS),), Limits(timeout_s=600)), running
            )


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
