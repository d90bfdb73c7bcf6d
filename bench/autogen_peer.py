"""AutoGen's Docker executor as a line server: one JSON request a line on stdin, one JSON answer a line on stdout."""

import asyncio
import json
import sys
import tempfile
import warnings

import docker
from autogen_core import CancellationToken
from autogen_core.code_executor import CodeBlock
from autogen_ext.code_executors.docker import DockerCommandLineCodeExecutor

NAME = "fencepost-bench-autogen"


async def main() -> None:
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        executor = DockerCommandLineCodeExecutor(image=sys.argv[1], container_name=NAME, work_dir=folder)
        idle = 0
        while line := await asyncio.to_thread(sys.stdin.readline):
            request = json.loads(line)
            answer: dict[str, object] = {}
            try:
                if request["do"] == "start":
                    await executor.start()
                    idle = count()
                elif request["do"] == "run":
                    executor._timeout = request["timeout_s"]  # noqa: SLF001 - it has no other way
                    await asyncio.gather(*(run(executor, code) for code in request["codes"]))
                elif request["do"] == "processes":
                    answer["count"] = max(0, count() - idle)
                elif request["do"] == "stop":
                    await executor.stop()
            except Exception as error:  # noqa: BLE001 - whatever it is, the other side reports it
                answer["error"] = repr(error)
            print(json.dumps(answer), flush=True)
            if request["do"] == "stop":
                return


async def run(executor: DockerCommandLineCodeExecutor, code: str) -> None:
    await executor.execute_code_blocks([CodeBlock(code=code, language="python")], CancellationToken())


def count() -> int:
    return len(docker.from_env().containers.get(NAME).top()["Processes"])


asyncio.run(main())
