"""What is not seen is found, wherever it stands; what only looks odd is not."""

import unicodedata
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.limits import BLOCK_BYTES
from bot.core.policy.text import code_sha256, gate, normalise, visible
from tests.unit.core.policy.making import unhurried

UNSEEN = {
    "lone carriage return": "\r",
    "nul": "\0",
    "escape": "\x1b",
    "form feed": "\x0c",
    "delete": "\x7f",
    "c1": "\x9b",
    "next line": "\x85",
    "line separator": "\u2028",
    "paragraph separator": "\u2029",
    "bidi embedding": "\u202a",
    "bidi override": "\u202e",
    "bidi isolate": "\u2066",
    "pop isolate": "\u2069",
    "left-to-right mark": "\u200e",
    "arabic letter mark": "\u061c",
    "zero width space": "\u200b",
    "zero width joiner": "\u200d",
    "word joiner": "\u2060",
    "byte order mark": "\ufeff",
    "soft hyphen": "\u00ad",
    "grapheme joiner": "\u034f",
    "hangul filler": "\u3164",
    "blank braille": "\u2800",
    "variation selector": "\ufe00",
    "supplementary selector": "\U000e0100",
    "tag": "\U000e0041",
    "private use": "\ue000",
    "supplementary private use": "\U00100000",
    "unassigned": "\u0378",
    "noncharacter": "\uffff",
    "lone surrogate": "\ud800",
}
BLANKS = ("\u00a0", "\u1680", "\u2003", "\u202f", "\u205f", "\u3000")
PLACES = {"code": "x {}= 1\n", "string": "x = '{}'\n", "comment": "x = 1  # {}\n", "long string": 'x = """\n{}\n"""\n'}


@pytest.mark.parametrize("language", ["python", "bash", "javascript"])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", UNSEEN)
def test_what_is_unseen_is_found_in_every_place(name: str, place: str, language: str) -> None:
    (finding,) = gate(language, PLACES[place].format(UNSEEN[name]))
    assert finding.severity == "unseen"
    assert finding.line == (2 if place == "long string" else 1)
    assert UNSEEN[name] not in finding.sentence
    assert visible(UNSEEN[name]) in finding.sentence


@pytest.mark.parametrize("blank", BLANKS)
@pytest.mark.parametrize("place", PLACES)
def test_python_may_have_other_blanks_in_strings_and_comments(place: str, blank: str) -> None:
    assert bool(gate("python", PLACES[place].format(blank))) is (place == "code")


@pytest.mark.parametrize("blank", BLANKS)
@pytest.mark.parametrize("place", PLACES)
def test_other_languages_may_not(place: str, blank: str) -> None:
    assert gate("bash", PLACES[place].format(blank))


@pytest.mark.parametrize(
    "text",
    [
        "'''\nx = '\u00a0'",  # the string never ends
        "x = '\u00a0\n",  # nor does this one
        "if x:\n    y\n  z = '\u00a0'\n",  # the indentation is none
        "x = (\n'\u00a0",
    ],
)
def test_where_the_tokenizer_is_lost_everything_is_code(text: str) -> None:
    assert gate("python", text)


def test_a_string_before_the_place_where_it_is_lost_still_counts() -> None:
    assert gate("python", "x = 'a\u00a0b'\ny = '\u00a0\n") == gate("python", "x = 'a b'\ny = '\u00a0\n") != ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "print(1)\n",
        "\tx\n",
        "x = 'Grüße, 世界, привет, שלום'\n",
        "# ✅ ⚠️ ❤️ ‼️ done\n",
        "x = 'é' + 'e\u0301'\n",  # combining marks are seen
        "café = 1\n",
    ],
)
@pytest.mark.parametrize("language", ["python", "bash"])
def test_what_is_seen_passes(text: str, language: str) -> None:
    assert gate(language, text) == ()


@pytest.mark.parametrize("text", ["a\ufe0f = 1", "\ufe0f", "1\ufe0f", "é\ufe0f"])
def test_a_style_selector_passes_only_behind_a_symbol(text: str) -> None:
    assert gate("python", text)


def test_findings_are_named_once_a_line_in_order() -> None:
    findings = gate("bash", "a\u200b\u200b\nb\n\u202ec\u200b\n")
    assert [finding.line for finding in findings] == [1, 3, 3]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("# coding: utf-7\n", [1]),
        ("#!/usr/bin/python\n# -*- coding: unicode_escape -*-\n", [2]),
        ("x = 1\n# coding: latin-1\n", [2]),
        (" \t# vim: set fileencoding=cp1252 :\n", [1]),
        ("# coding: utf-8-sig\n", [1]),
        ("# coding: utf-7\n# coding: utf-16\n", [1, 2]),
        ("# coding: utf-8\n", []),
        ("# -*- coding: UTF_8 -*-\n", []),
        ("# coding=ascii\n", []),
        ("\n\n# coding: utf-7\n", []),
        ("x = 'coding: utf-7'\n", []),
    ],
)
def test_an_encoding_that_would_read_other_text(text: str, lines: list[int]) -> None:
    assert [finding.line for finding in gate("python", text)] == lines
    assert gate("bash", text) == ()


def test_the_name_of_an_encoding_is_shown_escaped() -> None:
    findings = gate("python", "# coding: x\u3164\n")
    assert len(findings) == 2
    assert all("\u3164" not in finding.sentence and "\\u3164" in finding.sentence for finding in findings)


@pytest.mark.parametrize(("size", "refused"), [(BLOCK_BYTES - 1, 0), (BLOCK_BYTES, 0), (BLOCK_BYTES + 1, 1)])
def test_size_is_counted_in_bytes_of_utf8(size: int, refused: int) -> None:
    for text in ("x" * size, "é" * (size // 2) + "x" * (size % 2)):
        findings = gate("python", text)
        assert len(findings) == refused
        assert all(finding.severity == "refused" and str(size) in finding.sentence for finding in findings)


def test_line_ends_are_normalised_once_and_a_carriage_return_that_is_left_is_found() -> None:
    assert normalise("a\r\nb\r\n") == "a\nb\n"
    assert normalise("a\rb\n\r") == "a\rb\n\r"
    assert gate("bash", normalise("a\r\nb")) == ()
    assert gate("bash", normalise("a\r\r\nb")) != ()


def test_the_hash_is_that_of_the_bytes() -> None:
    assert code_sha256("print(1)\n") == "cc42155088fca5730758db72b2a5bca33112a941dfaa2d43098ec422ce4ea213"
    assert code_sha256("a\r\n") != code_sha256("a\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("print('é')\n\tx", "print('é')\n\tx"),
        ("a\rb", "a\\rb"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\u202e", "\\u202e"),
        ("\U000e0041", "\\U000e0041"),
        ("\ud800", "\\ud800"),
        ("\u00a0", "\\xa0"),
        ("\u2028", "\\u2028"),
    ],
)
def test_what_is_unseen_is_shown_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown


any_text = st.text(st.characters(categories=None), max_size=60)


@unhurried
@given(any_text, st.sampled_from(["python", "bash"]))
def test_whatever_comes_the_gate_answers_and_the_card_is_clean(text: str, language: str) -> None:
    gate(language, text)
    shown = visible(text)
    assert gate("bash", shown) == ()
    assert visible(shown) == shown
    shown.encode()
    code_sha256(text)


@unhurried
@given(st.characters())
def test_no_category_of_unseen_characters_is_forgotten(char: str) -> None:
    if unicodedata.category(char) in {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"} and char not in " \t\n":
        assert gate("bash", f"a{char}b")


@pytest.mark.parametrize(
    "text",
    [
        "\\'" * 8000,
        "(" * 16000,
        "'\\" * 8000,
        "\u00a0" * 8000,
        "{'" * 8000,
        '"""' * 5000,
        "\u200b\n" * 4000,
        "if x:\n " * 2000,
    ],
)
def test_hostile_text_takes_no_time(text: str) -> None:
    text = text[: BLOCK_BYTES // 4] + "\u00a0" + text[BLOCK_BYTES // 4 :]
    text = text.encode()[:BLOCK_BYTES].decode(errors="ignore")
    began = perf_counter()
    gate("python", text)
    assert perf_counter() - began < 1
