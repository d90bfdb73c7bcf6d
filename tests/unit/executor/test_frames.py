import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor.frames import (
    HEADER,
    MAX_PAYLOAD,
    NONCE_BYTES,
    TO_HOST,
    TO_SUPERVISOR,
    Frame,
    FrameError,
    FrameReader,
    Garbage,
    HostDecoder,
    Kind,
    SupervisorDecoder,
    Sync,
    encode,
    encode_answer,
    encode_bulk,
    encode_sync,
)

TOKEN = bytes(range(100, 132))
NONCE = b"n" * NONCE_BYTES
NUMBERS = st.integers(0, 2**32 - 1)
# Much of what looks like the beginning of a SYNC, so that it is held back and let go again.
TRICKY = st.lists(st.sampled_from([b"\xff", b"\xff" + TOKEN[:5], TOKEN[:31], TOKEN[1:], b"x"]), max_size=6).map(
    b"".join
)


def a_frame(kinds: frozenset[Kind]) -> st.SearchStrategy[Frame]:
    return st.builds(Frame, st.sampled_from(sorted(kinds)), NUMBERS, st.binary(max_size=40) | TRICKY)


def stream(frames: list[Frame]) -> bytes:
    return b"".join(encode(frame.kind, frame.run, frame.payload) for frame in frames)


# The end of a stream may be held back where it looks like the beginning of a SYNC; after this frame nothing is.
LAST = Frame(Kind.PING, 0)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[a:b] for a, b in itertools.pairwise(edges)]


@given(st.lists(a_frame(TO_HOST)), st.binary(max_size=80), st.lists(NUMBERS, max_size=12))
def test_the_host_skips_to_the_answer_and_then_sees_every_frame_however_it_was_cut(
    frames: list[Frame], before: bytes, places: list[int]
) -> None:
    decoder = HostDecoder(TOKEN, NONCE)
    data = before + encode_answer(TOKEN, NONCE) + stream(frames)
    seen = [frame for piece in cut(data, places) for frame in decoder.feed(piece)]
    assert decoder.synchronised
    assert seen == frames


@given(st.lists(a_frame(TO_HOST), max_size=3), st.lists(NUMBERS, max_size=6))
def test_the_host_takes_no_answer_to_somebody_else_for_its_own(frames: list[Frame], places: list[int]) -> None:
    decoder = HostDecoder(TOKEN, NONCE)
    data = encode_answer(TOKEN, b"o" * NONCE_BYTES) + stream(frames)
    assert not [frame for piece in cut(data, places) for frame in decoder.feed(piece)]
    assert not decoder.synchronised


@given(
    st.lists(a_frame(TO_SUPERVISOR), max_size=4),
    a_frame(TO_SUPERVISOR),
    NUMBERS,
    st.lists(a_frame(TO_SUPERVISOR), max_size=4),
    st.lists(NUMBERS, max_size=12),
)
def test_the_supervisor_finds_sync_in_the_middle_of_a_frame(
    before: list[Frame], broken: Frame, size: int, after: list[Frame], places: list[int]
) -> None:
    half = stream([broken])[: size % HEADER.size + max(0, size % len(stream([broken])) - HEADER.size)]
    half = half[: len(stream([broken])) - 1]
    after = [*after, LAST]
    data = encode_sync(TOKEN, NONCE) + stream(before) + half + encode_sync(TOKEN, b"2" * NONCE_BYTES) + stream(after)
    whole = SupervisorDecoder(TOKEN).feed(data)
    assert whole == [Sync(NONCE), *before, Sync(b"2" * NONCE_BYTES), *after]
    decoder = SupervisorDecoder(TOKEN)
    assert [item for piece in cut(data, places) for item in decoder.feed(piece)] == whole


@given(st.binary(max_size=100), st.lists(a_frame(TO_SUPERVISOR), max_size=3), st.lists(NUMBERS, max_size=9))
def test_the_supervisor_hears_nothing_before_the_first_sync(
    before: bytes, frames: list[Frame], places: list[int]
) -> None:
    decoder = SupervisorDecoder(TOKEN)
    frames = [*frames, LAST]
    data = before + encode_sync(TOKEN, NONCE) + stream(frames)
    assert [item for piece in cut(data, places) for item in decoder.feed(piece)] == [Sync(NONCE), *frames]


@pytest.mark.parametrize(
    "request_", [encode(Kind.START, 7, b'{"id":"e"}'), encode(Kind.CANCEL, 7), encode(Kind.PING, 0, b"p")]
)
def test_a_complete_request_is_never_held_back(request_: bytes) -> None:
    decoder = SupervisorDecoder(TOKEN)
    decoder.feed(encode_sync(TOKEN, NONCE))
    assert len(decoder.feed(request_)) == 1


def test_garbage_is_said_once_and_skipped_up_to_the_next_sync() -> None:
    decoder = SupervisorDecoder(TOKEN)
    good = encode(Kind.PING, 0)
    assert decoder.feed(encode_sync(TOKEN, NONCE) + b"GET / HTTP/1.1\r\n\r\n" + good)[1:] == [
        Garbage("no frame of this protocol: type 71, 541611092 bytes")
    ]
    assert decoder.feed(good) == []
    assert decoder.feed(encode_sync(TOKEN, NONCE) + good) == [Sync(NONCE), Frame(Kind.PING, 0)]


@pytest.mark.parametrize("kind", sorted(TO_HOST - TO_SUPERVISOR))
def test_frames_of_the_other_direction_are_garbage(kind: Kind) -> None:
    assert isinstance(SupervisorDecoder(TOKEN).feed(encode_sync(TOKEN, NONCE) + encode(kind, 1))[-1], Garbage)


def test_the_host_says_that_the_supervisor_speaks_nonsense() -> None:
    decoder = HostDecoder(TOKEN, NONCE)
    with pytest.raises(FrameError):
        decoder.feed(encode_answer(TOKEN, NONCE) + encode(Kind.START, 1))


def test_a_payload_may_be_as_large_as_the_limit_and_no_larger() -> None:
    largest = bytes(MAX_PAYLOAD)
    assert FrameReader(TO_HOST).feed(encode(Kind.STDOUT, 1, largest)) == [Frame(Kind.STDOUT, 1, largest)]
    with pytest.raises(FrameError):
        encode(Kind.STDOUT, 1, largest + b"x")
    with pytest.raises(FrameError):
        FrameReader(TO_HOST).feed(HEADER.pack(Kind.STDOUT, 1, MAX_PAYLOAD + 1))


@given(st.binary(max_size=100), st.integers(1, 40))
def test_bulk_is_cut_into_frames_and_comes_together_again(data: bytes, size: int) -> None:
    frames = FrameReader(TO_HOST).feed(b"".join(encode_bulk(Kind.DATA, 3, data, size)))
    assert b"".join(frame.payload for frame in frames) == data
    assert all(0 < len(frame.payload) <= size for frame in frames)


@pytest.mark.parametrize(("token", "nonce"), [(TOKEN[1:], NONCE), (TOKEN, NONCE[1:])])
def test_marks_of_the_wrong_length_are_refused(token: bytes, nonce: bytes) -> None:
    with pytest.raises(ValueError, match="bytes are needed"):
        encode_sync(token, nonce)
