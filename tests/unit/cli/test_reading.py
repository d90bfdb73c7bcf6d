from pathlib import Path

import pytest

from bot.cli.reading import Asked, BadLine, request, text_of
from bot.cli.trouble import USAGE, Misused


@pytest.mark.parametrize(
    ("line", "id_", "says"),
    [
        (b"", None, "not a line of JSON"),
        (b"\n", None, "not a line of JSON"),
        (b"nonsense", None, "not a line of JSON"),
        (b"\xff\xfe", None, "not a line of JSON"),
        (b"[" * 100_000, None, "not a line of JSON"),
        (b'{"id": NaN, "text": ""}', None, "not a line of JSON"),
        (b"[]", None, "not a JSON object"),
        (b'"text"', None, "not a JSON object"),
        (b'{"id": true, "text": ""}', None, "neither a string nor a number"),
        (b'{"id": [1], "text": ""}', None, "neither a string nor a number"),
        (b'{"id": 1e999, "text": ""}', None, "too large"),
        (b'{"id": 1}', 1, "text is missing"),
        (b'{"id": 1, "text": null}', 1, "not of the right type"),
        (b'{"id": "a", "text": 3}', "a", "not of the right type"),
        (b'{"id": "a", "text": "x", "timeout": "5"}', "a", "timeout is not of the right type"),
        (b'{"id": "a", "text": "x", "timeout": true}', "a", "timeout is not of the right type"),
        (b'{"id": "a", "text": "\\ud800"}', "a", "half a surrogate pair"),
    ],
)
def test_a_bad_line_is_answered_with_what_is_wrong(line: bytes, id_: object, says: str) -> None:
    bad = request(line, {"text": str}, {"timeout": (int, float)})
    assert isinstance(bad, BadLine)
    assert bad.answer()["id"] == id_
    assert says in bad.answer()["error"]


@pytest.mark.parametrize("id_", ['"x"', "7", "1.5", "null"])
def test_an_id_comes_back_as_it_was(id_: str) -> None:
    asked = request(b'{"id": %s, "text": "a"}' % id_.encode(), {"text": str}, {})
    assert isinstance(asked, Asked)
    assert asked.fields["text"] == "a"


def test_a_request_may_lack_its_id_and_bring_more_than_is_read() -> None:
    asked = request(b'{"text": "", "timeout": 2, "more": []}', {"text": str}, {"timeout": (int, float)})
    assert isinstance(asked, Asked)
    assert (asked.id, asked.fields["timeout"]) == (None, 2)


def test_line_ends_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"a\r\nb\rc\n")
    assert text_of(str(path)) == "a\r\nb\rc\n"


@pytest.mark.parametrize("data", [b"\xff", None])
def test_what_cannot_be_read_is_wrong_usage(tmp_path: Path, data: bytes | None) -> None:
    path = tmp_path / "x"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(Misused) as caught:
        text_of(str(path))
    assert caught.value.code == USAGE
    assert str(path) in caught.value.what
