import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from executor.frames import TO_HOST, FrameReader, Kind, encode
from executor.supervisor.loop import Loop
from executor.supervisor.outbox import LANE_BYTES, Outbox

PIECE = 64 * 1024


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    yield reading, writing
    os.close(reading)
    os.close(writing)


def everything(reading: int, loop: Loop) -> bytes:
    data = b""
    while True:
        try:
            data += os.read(reading, 1 << 20)
        except BlockingIOError:
            if not loop.turn(0):
                return data


def nothing() -> None:
    return None


def test_small_runs_come_between_the_frames_of_a_flood(pipe: tuple[int, int]) -> None:
    loop = Loop()
    outbox = Outbox(loop, pipe[1])
    flood, small = outbox.lane(nothing), outbox.lane(nothing)
    for _ in range(20):
        flood.put(encode(Kind.STDOUT, 1, bytes(PIECE)))
    outbox.flush()
    small.put(encode(Kind.STDOUT, 2, b"hi"))
    small.put(encode(Kind.EXIT, 2))
    outbox.flush()
    frames = FrameReader(TO_HOST).feed(everything(pipe[0], loop))
    runs = [frame.run for frame in frames]
    assert runs.count(1) == 20
    assert [frame.kind for frame in frames if frame.run == 2] == [Kind.STDOUT, Kind.EXIT]
    assert runs.index(2) <= 3
    assert len(runs) - runs[::-1].index(2) <= 6


def test_a_full_lane_is_stopped_and_resumed_once_there_is_room(pipe: tuple[int, int]) -> None:
    loop = Loop()
    outbox = Outbox(loop, pipe[1])
    resumed: list[bool] = []
    lane = outbox.lane(lambda: resumed.append(True))
    frame = encode(Kind.STDOUT, 1, bytes(PIECE))
    frames = 0
    while not lane.full:
        lane.put(frame)
        frames += 1
    assert frames == LANE_BYTES // len(frame) + 1
    outbox.flush()
    assert not resumed
    assert len(everything(pipe[0], loop)) == frames * len(frame)
    assert resumed == [True]


def test_a_closed_lane_still_goes_out(pipe: tuple[int, int]) -> None:
    loop = Loop()
    outbox = Outbox(loop, pipe[1])
    lane = outbox.lane(nothing)
    lane.put(encode(Kind.EXIT, 1))
    lane.close()
    outbox.flush()
    outbox.flush()
    assert everything(pipe[0], loop) == encode(Kind.EXIT, 1)


def test_a_new_host_gets_nothing_that_was_meant_for_the_last_one(pipe: tuple[int, int]) -> None:
    loop = Loop()
    outbox = Outbox(loop, pipe[1])
    lane = outbox.lane(nothing)
    for _ in range(10):
        lane.put(encode(Kind.STDOUT, 1, bytes(PIECE)))
    outbox.flush()  # the pipe is full, in the middle of a frame
    outbox.put(encode(Kind.LOG, 0, b"old"))
    outbox.restart(b"answer")
    lane.put(encode(Kind.EXIT, 1))
    os.read(pipe[0], 1 << 20)
    assert everything(pipe[0], loop).endswith(b"answer" + encode(Kind.EXIT, 1))


def test_nobody_at_the_other_end_is_an_error(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    outbox = Outbox(Loop(), writing)
    outbox.put(b"x")
    with pytest.raises(OSError, match="pipe"):
        outbox.flush()
    os.close(writing)
