"""The stream between bot and supervisor, and what the supervisor is made of."""

import json
import os
import time
from dataclasses import replace

import pytest

from executor import frames
from executor.frames import Kind
from tests.conftest import Engine
from tests.integration.inside import Inside, Result, block, sandbox
from tests.integration.supervisor.case import SOON

pytestmark = pytest.mark.docker


def test_a_new_host_is_told_what_runs_and_can_end_it(inside: Inside) -> None:
    old = inside.start(block("import time\nwhile True: print('x' * 9999, flush=True); time.sleep(.01)", id="old"))
    inside.wait(lambda: inside.results[old].out, 10)
    half = frames.encode(Kind.START, old + 1, json.dumps({"id": "half"}).encode())
    inside.send(half[:-3])
    inside.detach()
    inside.attach()
    ready = inside.synchronise()
    assert [(run.run, run.id, run.state) for run in ready.running] == [(old, "old", "running")]
    inside.cancel(old)
    assert inside.finish(old).end.reason == "cancelled"


def test_output_that_nobody_takes_does_not_keep_a_run_alive(inside: Inside) -> None:
    inside.start(block("while True: print('x' * 9999)", limits=replace(SOON, file_output_bytes=1 << 30)))
    inside.detach()
    time.sleep(1.5)
    inside.attach()
    assert inside.synchronise().running == ()


def test_nonsense_from_a_host_is_survived(inside: Inside) -> None:
    inside.send(b"GET / HTTP/1.1\r\n\r\n")
    inside.wait(lambda: inside.logs, 10)
    assert "not understood" in inside.logs.pop()
    inside.send(frames.encode(Kind.PING, 0))
    inside.synchronise()
    assert inside.ping() > 0


@pytest.mark.parametrize("payload", [b"", b"[]", b"\xff{}", b'{"id": 1}'])
def test_a_request_that_is_none_is_refused(inside: Inside, payload: bytes) -> None:
    inside.results[1] = Result()
    inside._begun[1] = 0.0
    inside.send(frames.encode(Kind.DATA, 1, b"left over") + frames.encode(Kind.START, 1, payload))
    refused = inside.finish(1).refused
    assert refused is not None
    assert refused.error == "bad_request"


def test_a_spare_that_died_is_replaced(inside: Inside) -> None:
    time.sleep(0.2)
    rows = inside.container.top(ps_args="-eo pid,ppid,uid,args")["Processes"]
    parents = {int(row[0]): int(row[1]) for row in rows}
    init = next(pid for pid in parents if parents[pid] not in parents)
    child = {parent: pid for pid, parent in parents.items()}
    spare = child[child[child[init]]]  # of the nursery, of the supervisor
    assert len(parents) == 4
    os.kill(spare, 9)
    assert inside.run("print('hi')").out == b"hi\n"


def test_what_could_not_be_preloaded_is_said(engine: Engine) -> None:
    with sandbox(engine.client, engine.image, preload=("no_such_module", "numpy")) as made:
        made.ping()
        assert made.ready.preloaded == ("numpy",)
        assert any("no_such_module could not be preloaded" in line for line in made.logs)
        draw = "import sys; print('numpy' in sys.modules); import numpy; print(numpy.random.random())"
        first, second = made.run(draw).out, made.run(draw).out
        assert first.startswith(b"True\n")
        assert first != second
