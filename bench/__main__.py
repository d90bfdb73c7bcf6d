"""`make bench`: needs a Docker engine with the sandbox image and, for the peers, an environment that it makes once."""

import argparse
import asyncio
import subprocess
import sys
import time
import venv
from collections.abc import Awaitable, Callable
from pathlib import Path

from bench.contenders import ROOT, AutoGen, Contender, DockerExec, Ours, timed_ms
from bench.decisions import decision_times_ms
from bench.figures import Row, median, p95, table
from bench.life import first_answers, idle_memory, streams
from executor.images import content_tag
from scripts.engine.addresses import ask, candidates
from scripts.engine.own import Folder, state_folder

HELLO = "print('hi')"
PANDAS = "import numpy, pandas\nprint(pandas.__version__)"
TWENTY = "total = 0\n" + "\n".join(f"total += {n} ** 2" for n in range(18)) + "\nprint(total)"
STUBBORN = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(8)"
DAEMON = (
    "import os, time\nif os.fork() == 0:\n    os.setsid()\n"
    "    if os.fork() == 0:\n        time.sleep(30)\n    os._exit(0)"
)
FLOOD = "import sys\nline = 'x' * 1023 + '\\n'\nfor _ in range(100 * 1024): sys.stdout.write(line)"
TEN_FLOODS = FLOOD.replace("100 * 1024", "1000 * 1024")


async def measure(contenders: list[Contender], rounds: int) -> list[Row]:
    rows = []
    for case, code, count in (
        ("print('hi')", HELLO, rounds),
        ("20 lines", TWENTY, rounds),
        ("import numpy, pandas", PANDAS, max(5, rounds // 5)),
    ):
        samples: list[list[float]] = [[] for _ in contenders]
        for _ in range(count):
            for contender, found in zip(contenders, samples, strict=True):
                found.append(await timed_ms(contender.run(code)))
        rows.append(Row(case, "ms", tuple(samples)))
        say(f"{case}: done")
    at_once = await one_each(contenders, lambda c: c.run_at_once([HELLO] * 10))
    rows.append(Row("10 at once", "ms", at_once))
    thirty = await one_each(contenders, lambda c: c.run_at_once([HELLO] * 30))
    rows.append(Row("30 at once", "ms", thirty))
    rows += await streams(contenders, max(10, rounds // 2))
    say("many at once, first bytes, cancels: done")
    rows.append(Row("ignores SIGTERM, limit 1 s", "ms", await one_each(contenders, lambda c: c.run(STUBBORN, 1))))
    say("stubborn program: done")
    left = []
    for contender in contenders:
        await contender.run(DAEMON)
        left.append([float(await contender.processes())])
    rows.append(Row("left by a daemon", "processes", tuple(left)))
    rows.append(Row("memory for 100 MB of output", "MB", await flood(contenders, FLOOD)))
    rows.append(Row("memory for 1 GB of output", "MB", await flood(contenders[:1], TEN_FLOODS, len(contenders))))
    rows.append(Row("stop", "ms", await one_each(contenders, lambda c: c.stop())))
    return rows


async def one_each(
    contenders: list[Contender], work: Callable[[Contender], Awaitable[None]]
) -> tuple[list[float], ...]:
    """One sample of each, in ms."""
    return tuple([[await timed_ms(work(contender))] for contender in contenders])


async def flood(contenders: list[Contender], code: str, columns: int = 0) -> tuple[list[float] | None, ...]:
    """Those of one process are measured one after the other, each from the peak that the one before it left."""
    grown: list[list[float] | None] = []
    for contender in contenders:
        before = await contender.resident_mb()
        await contender.run(code)
        grown.append([await contender.resident_mb() - before])
    return (*grown, *[None] * (columns - len(grown)))


def peer_python() -> Path:
    """The peers' interpreter, in an environment of their own with what requirements-bench.lock names."""
    folder = ROOT / ".venv-bench"
    python = folder / "bin" / "python"
    stamp = folder / ".filled"
    lock = ROOT / "requirements-bench.lock"
    if not stamp.exists() or stamp.read_text() != lock.read_text():
        say("installing the peers into .venv-bench")
        venv.EnvBuilder(with_pip=True, clear=True).create(folder)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--require-hashes", "--no-deps", "-r", lock], check=True
        )
        stamp.write_text(lock.read_text())
    return python


async def main(rounds: int) -> int:
    address, _ = ask(candidates(Folder(state_folder({}, 0) / "engine").address))
    if address is None:
        say("no Docker engine answers: run `make bench`, which starts one")
        return 3
    image = content_tag()
    contenders: list[Contender] = [
        Ours("Fencepost", address, image),
        Ours("with preload", address, image, ("numpy", "pandas")),
        DockerExec(address, image),
        AutoGen(peer_python(), address, image),
    ]
    starts: list[list[float]] = []
    for contender in contenders:
        began = time.perf_counter()
        await contender.start()
        await contender.run(HELLO)
        starts.append([(time.perf_counter() - began) * 1000])
        say(f"{contender.name}: started in {starts[-1][0]:.0f} ms")
    await asyncio.sleep(1)
    idle = await idle_memory(contenders, address)
    rows = await measure(contenders, rounds)
    rows += [idle, *await first_answers(address, image, max(5, rounds // 5), [None, *starts[2:]])]
    print(table([c.name for c in contenders], rows))
    decisions = decision_times_ms()
    print(f"policy decision about 100 lines: {median(decisions):.2g} ms (p95 {p95(decisions):.2g})")
    return 0


def say(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=50, help="samples of each short case")
    sys.exit(asyncio.run(main(parser.parse_args().rounds)))
