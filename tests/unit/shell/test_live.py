import pytest

from bot.shell.live import TAIL_CHARS, TAIL_LINES, Watch
from executor.types import OutputChunk
from tests.unit.shell.world import CHANNEL


def watch(*pieces: str, block: int = 0) -> Watch:
    it = Watch(CHANNEL, "r1", 0.0)
    for piece in pieces:
        it.feed(OutputChunk(block, "stdout", piece))
    return it


@pytest.mark.parametrize("lines", [TAIL_LINES - 1, TAIL_LINES, TAIL_LINES + 1])
def test_the_last_lines_are_kept(lines: int) -> None:
    text = [f"{n}\n" for n in range(lines)]
    assert watch(*text).tail == "".join(text[-TAIL_LINES:])
    assert watch("".join(text)).tail == "".join(text[-TAIL_LINES:])


@pytest.mark.parametrize("chars", [TAIL_CHARS - 1, TAIL_CHARS, TAIL_CHARS + 1])
def test_the_last_characters_are_kept(chars: int) -> None:
    text = "ab" * chars
    assert watch(text[:chars]).tail == text[:chars][-TAIL_CHARS:]
    assert watch(*text[:chars]).tail == text[:chars][-TAIL_CHARS:]


def test_a_line_grows_where_it_stands() -> None:
    assert watch("a", "b", "\nc").tail == "ab\nc"


def test_the_next_block_begins_empty() -> None:
    it = watch("one\n")
    it.feed(OutputChunk(1, "stderr", "two\n"))
    assert (it.block, it.tail) == (1, "two\n")
