"""`python -m tests.drills.sandboxes`: strike sandboxes, their shims and their engine while 200 executions run.

It starts an engine of its own where it can (root, dockerd), so that it can strike that as well and nobody else's
sandboxes are ended. `--seed` repeats a drill; without it each is another one. Exit 1 if anything did not hold.
"""

import argparse
import asyncio
import logging
import os
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import docker

import executor.containers
from executor.images import content_tag
from scripts.engine.addresses import ask, candidates
from scripts.engine.machine import this_machine
from scripts.engine.own import Folder, state_folder
from tests.drills.blows import ALL
from tests.drills.drill import Drill, Report
from tests.drills.engine import OwnEngine


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.drills.sandboxes", description=__doc__)
    parser.add_argument("--executions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--rounds", type=int, default=1, help="drills, one after the other, with the seeds that follow")
    parser.add_argument("--shared-engine", action="store_true", help="on the engine that answers, which is not struck")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    executor.containers.PING_S = 1.0  # so that a frozen sandbox costs a drill a second, not five
    seed = time.time_ns() % 10**9 if options.seed is None else options.seed
    bad = 0
    with ExitStack() as stack:
        shared = options.shared_engine or this_machine().become_root != ()
        own = None if shared else stack.enter_context(OwnEngine.open())
        address = own.address if own else answering()
        if address is None:
            sys.stderr.write("no Docker engine answers: run `make engine`\n")
            return 3
        for number in range(seed, seed + options.rounds):
            began = time.monotonic()
            report = one(address, own, number, options.executions)
            say(f"seed {number}: {report.summary()} in {time.monotonic() - began:.0f} s")
            for problem in report.problems:
                say(f"  {problem}")
            bad += bool(report.problems)
    return 1 if bad else 0


def answering() -> str | None:
    folder = Folder(state_folder(os.environ, os.geteuid()) / "engine")
    return ask(candidates(folder.address))[0]


def one(address: str, own: OwnEngine | None, seed: int, executions: int) -> Report:
    client = docker.DockerClient(base_url=address, timeout=60)
    try:
        with tempfile.TemporaryDirectory() as folder:
            disasters = own.disasters if own else ()
            drill = Drill(client, address, content_tag(), Path(folder), seed=seed, blows=ALL, disasters=disasters)
            return asyncio.run(drill.run(executions))
    finally:
        client.close()


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
