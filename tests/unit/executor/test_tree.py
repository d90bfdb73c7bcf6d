"""Records of a workspace: there and back, cut anywhere, and what is none."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor.tree import (
    HEAD,
    MAX_RECORD,
    PIECE,
    Entry,
    Record,
    RecordReader,
    TreeError,
    decode_content,
    decode_entry,
    decode_gone,
    encode_close,
    encode_content,
    encode_entry,
    encode_gone,
    encode_mark,
)

PARTS = (
    st.binary(min_size=1, max_size=20)
    .map(lambda name: name.replace(b"/", b"_").replace(b"\0", b"_").decode("utf-8", "surrogateescape"))
    .filter(lambda name: name not in {".", ".."})
)
PATHS = st.lists(PARTS, min_size=1, max_size=5).map("/".join)
ENTRIES = st.builds(
    Entry,
    path=PATHS,
    kind=st.sampled_from(["file", "folder", "link", "same"]),
    mode=st.integers(0, 0o3777),
    owner=st.text(max_size=20),
    mtime_ns=st.integers(-(2**62), 2**62),
    size=st.integers(0, 2**62),
    target=PATHS,
)


@given(ENTRIES)
def test_heads_there_and_back(entry: Entry) -> None:
    ((kind, payload),) = RecordReader().feed(encode_entry(entry))
    assert (kind, decode_entry(payload)) == (Record.ENTRY, entry)


@given(st.lists(ENTRIES, max_size=4), st.binary(max_size=300), PATHS, st.lists(st.integers(0, 10_000), max_size=9))
def test_records_come_out_however_they_were_cut(
    entries: list[Entry], data: bytes, path: str, places: list[int]
) -> None:
    stream = b"".join(
        [
            *map(encode_entry, entries),
            encode_content(7, data),
            encode_close(b"d" * 16),
            encode_gone(path),
            *encode_mark(data * 500),
        ]
    )
    edges = [0, *sorted(place % (len(stream) + 1) for place in places), len(stream)]
    reader = RecordReader()
    records = [record for a, b in itertools.pairwise(edges) for record in reader.feed(stream[a:b])]
    assert reader.between
    assert [decode_entry(payload) for kind, payload in records if kind is Record.ENTRY] == entries
    assert [decode_content(payload) for kind, payload in records if kind is Record.CONTENT] == [(7, data)]
    assert [decode_gone(payload) for kind, payload in records if kind is Record.GONE] == [path]
    assert b"".join(payload for kind, payload in records if kind is Record.MARK) == data * 500


@pytest.mark.parametrize("path", ["", "/etc/passwd", "a/../b", "..", "a//b", "a/", "./a", "a\0b", "x" * 4001])
def test_what_is_no_path_of_a_workspace(path: str) -> None:
    with pytest.raises(TreeError):
        Entry(path, "file")


@pytest.mark.parametrize(
    "payload",
    [b"", b"{}", b"[]", b'["a","file","0",0,0,0,""]', b'["a","device",0,"",0,0,""]', b'["a","file",2048,"",0,0,""]',
     b'["a","file",0,"",0,-1,""]', b'["a","file",true,"",0,0,""]', b'["/a","file",0,"",0,0,""]', b"\xff"],
)  # fmt: skip
def test_heads_that_are_none(payload: bytes) -> None:
    with pytest.raises(TreeError):
        decode_entry(payload)


def test_bounds() -> None:
    assert len(RecordReader().feed(encode_content(0, b"x" * PIECE))) == 1
    with pytest.raises(TreeError):
        encode_content(0, b"x" * (PIECE + 1))
    with pytest.raises(TreeError):
        RecordReader().feed(HEAD.pack(Record.CONTENT, MAX_RECORD + 1))
    with pytest.raises(TreeError):
        RecordReader().feed(HEAD.pack(6, 0))
    with pytest.raises(TreeError):
        decode_content(b"short")
