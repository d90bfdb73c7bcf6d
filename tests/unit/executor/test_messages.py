import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor.frames import MAX_PAYLOAD, TO_SUPERVISOR, FrameReader, Kind
from executor.messages import (
    MAX_BULK,
    ArtifactHead,
    Exit,
    Message,
    MessageError,
    Ready,
    Refused,
    Running,
    Start,
    Started,
    decode_artifact,
    decode_exit,
    decode_ready,
    decode_refused,
    decode_start,
    decode_started,
    encode_message,
    encode_start,
)
from executor.types import InputFile, Limits

TOKEN = bytes(range(32))
TEXT = st.text(st.characters(codec=None), max_size=30)  # lone surrogates included
STARTS = st.builds(
    Start,
    id=TEXT,
    requester=TEXT,
    language=TEXT,
    command=st.lists(TEXT, max_size=3).map(tuple),
    code=TEXT,
    limits=st.builds(Limits, timeout_s=st.floats(0.1, 600), processes=st.integers(1, 99)),
    name=TEXT,
    filename=st.none() | TEXT,
    args=st.lists(TEXT, max_size=3).map(tuple),
    stdin=st.none() | st.binary(max_size=30),
    workspace=st.sampled_from(["rw", "ro", "none"]),
    files=st.lists(st.builds(InputFile, TEXT, st.binary(max_size=30)), max_size=3).map(tuple),
    collect=st.booleans(),
)
SIMPLE = Start("e", "ana", "python", ("python3", "{file}"), "print(1)")


def sent(start: Start) -> tuple[bytes, bytes]:
    *data, last = FrameReader(TO_SUPERVISOR).feed(b"".join(encode_start(5, start, TOKEN)))
    assert last.kind is Kind.START
    assert all(frame.kind is Kind.DATA for frame in data)
    assert {frame.run for frame in (*data, last)} == {5}
    return last.payload, b"".join(frame.payload for frame in data)


@given(STARTS)
def test_a_start_arrives_as_it_was_sent(start: Start) -> None:
    assert decode_start(*sent(start)) == start


def test_an_empty_input_is_not_the_absence_of_one() -> None:
    payload, bulk = sent(Start("e", "ana", "python", ("python3",), "", stdin=b""))
    assert decode_start(payload, bulk).stdin == b""


@pytest.mark.parametrize(
    "start",
    [
        Start("e", "ana", "python", ("python3",), TOKEN.decode("latin-1")),
        Start("e", "ana", "python", ("python3",), "", stdin=b"x" + TOKEN),
        Start("e", "ana", "python", ("python3",), "", files=(InputFile("f", TOKEN + b"x"),)),
    ],
)
def test_a_request_cannot_contain_the_mark_of_synchronisation(start: Start) -> None:
    with pytest.raises(MessageError, match="mark"):
        encode_start(5, start, TOKEN)


def test_bulk_may_be_as_large_as_the_limit_and_no_larger() -> None:
    room = MAX_BULK - len(SIMPLE.code)
    assert len(encode_start(5, Start("e", "a", "p", ("p",), SIMPLE.code, stdin=bytes(room)), b"x" * 32)) == 65
    with pytest.raises(MessageError, match="64 MiB"):
        encode_start(5, Start("e", "a", "p", ("p",), SIMPLE.code, stdin=bytes(room + 1)), b"x" * 32)


def test_the_head_of_a_request_has_to_fit_into_a_frame() -> None:
    with pytest.raises(MessageError, match="1 MiB"):
        encode_start(5, Start("e", "a", "p", ("p",), "", args=("x" * MAX_PAYLOAD,)), TOKEN)


@pytest.mark.parametrize(
    "change",
    [
        {"code": 3},
        {"code": -1},
        {"code": "x"},
        {"stdin": 4},
        {"files": [{"path": "f"}]},
        {"files": None},
        {"limits": {"timeout_s": 0}},
        {"limits": {"colour": 1}},
        {"surprise": 1},
        {"command": None},
    ],
)
def test_a_start_that_is_not_ours_is_refused(change: dict[str, object]) -> None:
    payload, bulk = sent(SIMPLE)
    with pytest.raises(MessageError):
        decode_start(json.dumps(json.loads(payload) | change).encode(), bulk)


@pytest.mark.parametrize("payload", [b"", b"[]", b"\xff", b"{}", b'"x"', b"7"])
@pytest.mark.parametrize(
    "decode",
    [decode_ready, decode_started, decode_artifact, decode_exit, decode_refused, lambda p: decode_start(p, b"")],
)
def test_nonsense_is_refused(payload: bytes, decode: Callable[[bytes], object]) -> None:
    if (decode, payload) == (decode_exit, b"{}"):
        return  # every field of it has a default
    with pytest.raises(MessageError):
        decode(payload)


@pytest.mark.parametrize(
    ("message", "decode"),
    [
        (Ready("3.11.2", (Running(3, "e", "ending"),), ("python",), ("numpy",), True), decode_ready),
        (Started(17), decode_started),
        (ArtifactHead("d/\udcff.png", 3), decode_artifact),
        (Exit(None, 9, "timeout", 1.5, 0.5, 7, 8, 9, 10), decode_exit),
        (Refused("busy", "no"), decode_refused),
    ],
)
def test_messages_of_the_supervisor_arrive_as_they_were_sent(
    message: Message, decode: Callable[[bytes], object]
) -> None:
    assert decode(encode_message(message)) == message
