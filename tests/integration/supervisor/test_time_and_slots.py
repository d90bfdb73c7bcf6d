"""Time, cancelling, output at its limit, slots, refusals."""

import time
from dataclasses import replace
from typing import Any

import pytest

from executor.types import InputFile
from tests.conftest import Engine
from tests.integration.inside import QUICK, Inside, block, sandbox
from tests.integration.supervisor.case import ROOMY, SOON

pytestmark = pytest.mark.docker


def test_time_is_up_when_it_is_up(inside: Inside) -> None:
    end = inside.run("import time; time.sleep(30)", limits=SOON).end
    assert 500 <= end.duration_ms < 900


def test_a_cancelled_run_ends_at_once(inside: Inside) -> None:
    run = inside.start(block("import time; print('a', flush=True); time.sleep(30)"))
    inside.wait(lambda: inside.results[run].out, 10)
    began = time.monotonic()
    inside.cancel(run)
    end = inside.finish(run).end
    assert (end.reason, end.exit_code, end.signal) == ("cancelled", None, 9)
    assert time.monotonic() - began < 1


def test_a_run_can_be_cancelled_before_it_has_begun(inside: Inside) -> None:
    run = inside.start(block("import time; time.sleep(30)"))
    inside.cancel(run)
    inside.cancel(run + 99)
    assert inside.finish(run).end.reason == "cancelled"


def test_an_answer_waits_for_no_background_child(inside: Inside) -> None:
    assert inside.run("sleep 60 & sleep 60 & echo x", "bash").took_ms < 2000


def test_output_may_be_as_long_as_its_limit_and_no_longer(inside: Inside) -> None:
    limits = replace(QUICK, file_output_bytes=100_000)
    at = inside.run("import sys; sys.stdout.write('x' * 100_000)", limits=limits)
    assert (at.end.reason, len(at.out), at.end.bytes) == (None, 100_000, 100_000)
    above = inside.run("import sys; sys.stdout.write('x' * 100_001)", limits=limits)
    assert (above.end.reason, len(above.out), above.end.bytes) == ("output", 100_000, 100_001)


def test_a_host_that_reads_slowly_holds_only_the_flood_up(inside: Inside) -> None:
    limits = replace(ROOMY, file_output_bytes=40_000_000)
    flood = inside.start(block("for _ in range(60): print('x' * 99_999)", requester="flo", limits=limits))
    time.sleep(0.5)  # nothing is read: everything on the way is full by now
    small = inside.run("print('hi')", requester="ana", limits=ROOMY)
    assert small.out == b"hi\n"
    assert small.end.duration_ms < 5000
    assert len(inside.finish(flood).out) == 60 * 100_000


def test_a_requester_has_one_execution_at_a_time(inside: Inside) -> None:
    run = inside.start(block("import time; time.sleep(30)", requester="ana"))
    second = inside.run("print(1)", requester="ana")
    assert second.refused is not None
    assert second.refused.error == "busy"
    inside.cancel(run)
    inside.finish(run)


def test_slots_are_given_out_and_come_back(inside: Inside) -> None:
    runs = [inside.start(block("import time; time.sleep(30)", requester=str(n))) for n in range(6)]
    refused = inside.run("print(1)", requester="one more").refused
    assert refused is not None
    assert refused.error == "busy"
    for run in runs:
        inside.cancel(run)
    assert {inside.finish(run).end.reason for run in runs} == {"cancelled"}


def test_many_at_once(inside: Inside) -> None:
    runs = [inside.start(block(f"print({n})", requester=str(n), limits=ROOMY)) for n in range(6)]
    assert [inside.finish(run).out for run in runs] == [b"%d\n" % n for n in range(6)]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"filename": "../x.py"}, "bad_request"),
        ({"filename": "/etc/x.py"}, "bad_request"),
        ({"filename": "link/x.py"}, "bad_request"),
        ({"files": (InputFile("a/../../x", b""),)}, "bad_request"),
        ({"args": ("a\0b",)}, "bad_request"),
        ({"workspace": "none", "filename": "x.py"}, "bad_request"),
        ({"language": "javascript", "command": ("no-such-program", "{file}")}, "no_such_language"),
        ({"files": (InputFile("too-large", bytes(60 << 20)), )}, "resources"),
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_refused_and_never_begins(inside: Inside, changes: dict[str, Any], error: str) -> None:
    inside.run("import os; os.path.islink('link') or os.symlink('/tmp', 'link')")
    if error == "resources":
        inside.run("fill = open('fill', 'wb')\nfor _ in range(100): fill.write(bytes(1 << 20))", limits=ROOMY)
    result = inside.finish(inside.start(replace(block("print(1)"), **changes)))
    inside.run("import os; os.path.exists('fill') and os.unlink('fill')")
    assert result.refused is not None
    assert result.refused.error == error, result.refused
    assert not result.started


def test_a_large_request_arrives(inside: Inside) -> None:
    data = bytes(range(256)) * (4 * 40_000)
    code = "import hashlib, sys\nprint(hashlib.md5(open('in/large', 'rb').read()).hexdigest(), len(sys.stdin.read()))"
    result = inside.run(code, files=(InputFile("in/large", data),), stdin=b"x" * 3_000_000, limits=ROOMY)
    assert result.out.split()[1] == b"3000000", (result.err, result.refused)
    inside.run("import shutil; shutil.rmtree('in')")


def test_uids_are_not_given_to_somebody_else(engine: Engine) -> None:
    with sandbox(engine.client, engine.image, uids=2, spares=0) as small:
        assert small.run("print(1)", requester="a").out == b"1\n"
        assert small.run("print(1)", requester="b").out == b"1\n"
        refused = small.run("print(1)", requester="c").refused
        assert refused is not None
        assert refused.error == "too_many_requesters"
        assert small.run("print(1)", requester="a").out == b"1\n"


def test_the_limit_of_the_container_does_not_stop_the_end(inside: Inside) -> None:
    limits = replace(QUICK, processes=10_000, timeout_s=3.0, memory_mb=1000)
    result = inside.run("while true; do sleep 60 & done 2>/dev/null", "bash", limits=limits)
    assert result.end.signal == 9
    assert result.end.leftovers > 200
