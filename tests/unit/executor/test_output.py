"""The bound holds whatever comes, and nothing is changed while it does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor.output import Capture, HeadTail
from executor.types import Stream


class Sunk:
    def __init__(self) -> None:
        self.data = b""

    def write(self, data: bytes) -> None:
        self.data += data


def captured(budget: int, *pieces: tuple[Stream, bytes]) -> tuple[Capture, Sunk, str]:
    sunk = Sunk()
    capture = Capture(budget, sunk)
    live = "".join(capture.feed(stream, data) for stream, data in pieces)
    live += "".join(text for _, text in capture.finish())
    return capture, sunk, live


def test_streams_are_kept_apart_and_together_in_order_of_arrival() -> None:
    capture, sunk, live = captured(100, ("stdout", b"a\n"), ("stderr", b"b\n"), ("stdout", b"c\n"))
    output = capture.output()
    assert (output.text, output.stdout, output.stderr) == ("a\nb\nc\n", "a\nc\n", "b\n")
    assert live == output.text
    assert (output.total_bytes, output.truncated, sunk.data) == (6, False, b"")


def test_a_character_split_between_pieces_stays_whole() -> None:
    _, _, live = captured(100, ("stdout", b"\xe2\x82"), ("stderr", b"x"), ("stdout", b"\xac"))
    assert live == "x€"


def test_what_is_not_utf8_is_replaced_and_an_unfinished_character_comes_at_the_end() -> None:
    capture, _, live = captured(100, ("stdout", b"\xffok\xe2\x82"))
    assert live == capture.output().text == "�ok�"
    assert capture.output().total_bytes == 5


@pytest.mark.parametrize(("size", "cut"), [(9, False), (10, False), (11, True)])
def test_the_budget_is_exact(size: int, cut: bool) -> None:
    capture, sunk, _ = captured(10, ("stdout", b"x" * size))
    assert capture.output().truncated is cut
    assert sunk.data == (b"x" * size if cut else b"")


def test_the_marker_counts_whole_lines() -> None:
    pieces: list[tuple[Stream, bytes]] = [("stdout", b"line %05d\n" % n) for n in range(10_000)]
    capture, sunk, _ = captured(4000, *pieces)
    lines = capture.output().text.splitlines()
    marker = next(n for n, line in enumerate(lines) if "left out" in line)
    assert lines[0] == "line 00000"
    assert lines[-1] == "line 09999"
    missing = 10_000 - (len(lines) - 1)
    assert lines[marker] == f"… {missing:,} lines left out …".replace(",", " ")
    assert sunk.data.count(b"\n") == 10_000


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (b"aa\nb\ncc\nd\ne\n", "aa\n… 2 lines left out …\nd\ne\n"),
        (b"aaa\nbb\nd\ne\n", "aaa\n… 1 line left out …\nd\ne\n"),
        (b"aaa\nb\ncc\nd\n", "aaa\n… 2 lines left out …\nd\n"),
    ],
)
def test_lines_are_counted_at_the_cut(text: bytes, shown: str) -> None:
    capture, _, _ = captured(8, ("stdout", text))
    assert capture.output().text == shown


def test_a_line_without_end_is_counted_in_bytes() -> None:
    capture, _, _ = captured(10, ("stdout", b"a" * 5 + b"b" * 90 + b"c" * 5))
    assert capture.output().text == "aaaaa\n… 90 bytes left out …\nccccc"


def test_a_short_first_line_before_a_giant_one_does_not_cost_the_head() -> None:
    capture, _, _ = captured(8000, ("stdout", b"x\n" + b"a" * 50_000))
    assert capture.output().text.startswith("x\naaa")


def test_cutting_never_splits_a_character() -> None:
    capture, _, _ = captured(10, ("stdout", "€".encode() * 100))
    assert capture.output().text == "€\n… 294 bytes left out …\n€"


def test_a_noisy_stream_does_not_push_the_other_one_out() -> None:
    capture, _, _ = captured(1000, ("stderr", b"Traceback\n"), ("stdout", (b"x" * 99 + b"\n") * 1000))
    assert capture.output().stderr == "Traceback\n"


@given(st.lists(st.tuples(st.sampled_from(("stdout", "stderr")), st.binary(max_size=50))), st.integers(1, 60))
def test_no_budget_is_exceeded_and_the_sink_has_all(pieces: list[tuple[Stream, bytes]], budget: int) -> None:
    capture, sunk, live = captured(budget, *pieces)
    output = capture.output()
    assert output.total_bytes == sum(len(data) for _, data in pieces)
    assert output.truncated == (len(live.encode()) > budget)
    if output.truncated:
        assert sunk.data.decode() == live
        assert "left out" in output.text
    else:
        assert output.text == live
    for name in ("stdout", "stderr"):
        alone = b"".join(data for stream, data in pieces if stream == name).decode(errors="replace")
        if len(alone.encode()) <= budget:
            assert getattr(output, name) == alone


@given(st.lists(st.binary(max_size=30)), st.integers(1, 40))
def test_kept_bytes_are_bounded(pieces: list[bytes], budget: int) -> None:
    kept = HeadTail(budget)
    for piece in pieces:
        kept.append(piece)
        assert len(kept.kept()) <= budget
