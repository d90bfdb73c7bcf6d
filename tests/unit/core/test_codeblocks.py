"""Which blocks a message holds: one table by CommonMark's rules, one for chat clients, and what holds for any text."""

from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.codeblocks import COMMONMARK, Attributes, Block, HintKind, dialect_of, extract, fenced
from bot.core.languages import DEFAULT_LANGUAGES


class Seen(NamedTuple):
    language: str | None
    code: str
    line: int = 1
    closed: bool = True


def blocks(text: str, platform: str = "web") -> tuple[Block, ...]:
    return extract(text, DEFAULT_LANGUAGES, dialect_of(platform)).blocks


def seen(text: str, platform: str = "web") -> list[Seen]:
    return [Seen(block.language, block.code, block.line, block.closed) for block in blocks(text, platform)]


PRINT = "print(1)\n"

COMMONMARK_TABLE = {
    "plain": ("```python\nprint(1)\n```", [Seen("python", PRINT)]),
    "no newline at the end of the code line's fence": ("```python\nprint(1)\n```\n\n", [Seen("python", PRINT)]),
    "alias": ("```py\nprint(1)\n```", [Seen("python", PRINT)]),
    "upper case": ("```PYTHON\nprint(1)\n```", [Seen("python", PRINT)]),
    "bash": ("```bash\nls\n```", [Seen("bash", "ls\n")]),
    "shell is sh": ("```shell\nls\n```", [Seen("sh", "ls\n")]),
    "blanks before the tag": ("``` \t python\nprint(1)\n```", [Seen("python", PRINT)]),
    "blanks after the tag": ("```python \t \nprint(1)\n```", [Seen("python", PRINT)]),
    "words after the tag": ("```python title=x\nprint(1)\n```", [Seen("python", PRINT)]),
    "tildes": ("~~~python\nprint(1)\n~~~", [Seen("python", PRINT)]),
    "tildes with a backtick behind the tag": ("~~~python `x`\nprint(1)\n~~~", [Seen("python", PRINT)]),
    "four ticks": ("````python\nprint(1)\n````", [Seen("python", PRINT)]),
    "closed by more ticks": ("```python\nprint(1)\n``````", [Seen("python", PRINT)]),
    "blanks after the closing fence": ("```python\nprint(1)\n```  \t", [Seen("python", PRINT)]),
    "not closed by fewer ticks": ("````python\nprint(1)\n```", [Seen("python", "print(1)\n```\n", closed=False)]),
    "not closed by other ticks": ("```python\nprint(1)\n~~~", [Seen("python", "print(1)\n~~~\n", closed=False)]),
    "not closed by ticks with words": ("```python\nx\n``` y\n```", [Seen("python", "x\n``` y\n")]),
    "not closed by ticks behind code": ("```python\nprint(1)```", [Seen("python", "print(1)```\n", closed=False)]),
    "not closed by ticks four blanks in": ("```python\nx\n    ```\n```", [Seen("python", "x\n    ```\n")]),
    "closed by ticks three blanks in": ("```python\nx\n   ```", [Seen("python", "x\n")]),
    "fence in a string of a longer fence": (
        "````python\nx = '''\n```python\ny\n```\n'''\n````",
        [Seen("python", "x = '''\n```python\ny\n```\n'''\n")],
    ),
    "tildes inside backticks": ("```python\n~~~\nx\n~~~\n```", [Seen("python", "~~~\nx\n~~~\n")]),
    "backticks inside tildes": ("~~~python\n```\nx\n```\n~~~", [Seen("python", "```\nx\n```\n")]),
    "ticks in the middle of code": ("```python\nx = '```'\n```", [Seen("python", "x = '```'\n")]),
    "empty": ("```python\n```", [Seen("python", "")]),
    "one blank line": ("```python\n\n```", [Seen("python", "\n")]),
    "blank lines are kept": ("```python\n\nx\n\n\n```", [Seen("python", "\nx\n\n\n")]),
    "unclosed": ("```python\nprint(1)", [Seen("python", PRINT, closed=False)]),
    "unclosed and empty": ("```python", [Seen("python", "", closed=False)]),
    "unclosed with a blank tail": ("```python\nx\n  ", [Seen("python", "x\n  \n", closed=False)]),
    "untagged": ("```\nprint(1)\n```", [Seen(None, PRINT)]),
    "unknown tag": ("```pyhton\nprint(1)\n```", [Seen(None, PRINT)]),
    "tag with a plus": ("```c++\nint x;\n```", [Seen(None, "int x;\n")]),
    "format": ("```json\n{}\n```", [Seen(None, "{}\n")]),
    "CRLF": ("```python\r\nprint(1)\r\nprint(2)\r\n```\r\n", [Seen("python", "print(1)\nprint(2)\n")]),
    "CR CR LF": ("```python\r\r\nprint(1)\r\r\nx\r\r\n```", [Seen("python", "print(1)\nx\n")]),
    "a lone CR ends a line and stays": ("```python\nx\ry\n```", [Seen("python", "x\ry\n")]),
    "a lone CR before the closing fence": ("a\r```python\rx\ry\r```", [Seen("python", "x\ry\n", 2)]),
    "after text": ("hello\n```python\nprint(1)\n```\nbye", [Seen("python", PRINT, 2)]),
    "after a blank line": ("\n\n```python\nprint(1)\n```", [Seen("python", PRINT, 3)]),
    "behind text on the line": ("hey ```python\nprint(1)\n```", [Seen(None, "", 3, closed=False)]),
    "two": ("```python\n1\n```\n```bash\nls\n```", [Seen("python", "1\n"), Seen("bash", "ls\n", 4)]),
    "a word on the line after the closing fence": (
        "```python\n1\n```\npython\nx\n```\n",
        [Seen("python", "1\n"), Seen(None, "", 6, closed=False)],
    ),
    "indented by three": ("   ```python\n   x\n     y\n  z\n   ```", [Seen("python", "x\n  y\nz\n")]),
    "indented by four is no fence": ("    ```python\n    x\n    ```", []),
    "in a list": ("- do\n  ```python\n  if x:\n    y\n  ```", [Seen("python", "if x:\n  y\n", 2)]),
    "in a numbered list": ("10. ```python\n    x\n    ```", [Seen("python", "x\n")]),
    "in a nested list": ("- a\n  - ```python\n    x\n\n    y\n    ```", [Seen("python", "x\n\ny\n", 2)]),
    "in a list, outdented end": ("- ```python\n  x\ny\n", [Seen("python", "x\n", closed=False)]),
    "in a list, with a tab": ("-\t```python\n\tx\n\t\ty\n\t```", [Seen("python", "x\n\ty\n")]),
    "in a list, with half a tab": ("- ```python\n\tx\n  ```", [Seen("python", "  x\n")]),
    "tabs in code": ("```python\n\tx\t\n```", [Seen("python", "\tx\t\n")]),
    "in a quote": ("> ```python\n> print(1)\n> ```", []),
    "in a quote in a list": ("- > ```python\n  > print(1)\n  > ```", []),
    "after a quote": ("> hi\n\n```python\nprint(1)\n```", [Seen("python", PRINT, 3)]),
    "right under a quote": ("> hi\n```python\nprint(1)\n```", [Seen("python", PRINT, 2)]),
    "one line": ("```print(1)```", []),
    "inline code": ("use `print(1)` or ``x``", []),
    "two ticks": ("``python\nprint(1)\n``", []),
    "wrong ticks": ("'''python\nprint(1)\n'''", []),
    "escaped": ("\\```python\nprint(1)\n\\```", []),
    "below HTML that no client renders": ("<div>\n```python\nprint(1)\n```", [Seen("python", PRINT, 2)]),
    "below a comment of HTML": ("<!--\n```python\nprint(1)\n```\n-->", [Seen("python", PRINT, 2)]),
    "NUL": ("```python\nx = '\0'\n```", [Seen("python", "x = '\0'\n")]),
    "lone surrogate": ("```python\nx = '\ud800'\n```", [Seen("python", "x = '\ud800'\n")]),
    "line separators": ("```python\na\x0bb\x0cc\x85d\u2028e\n```", [Seen("python", "a\x0bb\x0cc\x85d\u2028e\n")]),
    "invisible": ("```python\n\u2068x\u200b\u2069 \u00a0\n```", [Seen("python", "\u2068x\u200b\u2069 \u00a0\n")]),
    "trailing blanks of code": ("```python\nx  \n  \n```", [Seen("python", "x  \n  \n")]),
    "entities are text": ("```python\nx &lt; 1\n```", [Seen("python", "x &lt; 1\n")]),
    "stdin is no block": ("```python\ninput()\n```\n```stdin\n1\n```", [Seen("python", "input()\n")]),
    "no text": ("", []),
}  # fmt: skip

CHAT_TABLE = {
    "end behind code": ("```python\nprint(1)```", [Seen("python", PRINT)]),
    "end behind code and blanks": ("```python\nprint(1)``` \n\n", [Seen("python", PRINT)]),
    "end before words": ("```python\nprint(1)\n``` what is it?", [Seen("python", PRINT)]),
    "end behind code, then words": ("```python\nprint(1)```\nthanks", [Seen("python", PRINT)]),
    "end behind an indented line": ("```python\nif x:\n    y```", [Seen("python", "if x:\n    y\n")]),
    "end with CRLF": ("```python\r\nprint(1)```\r\n", [Seen("python", PRINT)]),
    "begin behind words": ("hey ```python\nprint(1)\n```", [Seen("python", PRINT)]),
    "begin right behind words": ("<@1>```py\nprint(1)```", [Seen("python", PRINT)]),
    "begin behind words, never ended": ("hey ```python\nprint(1)", [Seen("python", PRINT, closed=False)]),
    "two, the first ended behind code": (
        "```python\na```\nand\n```bash\nb\n```",
        [Seen("python", "a\n"), Seen("bash", "b\n", 4)],
    ),
    "two, both glued at both ends": (
        "one ```python\na``` two ```bash\nb```",
        [Seen("python", "a``` two ```bash\nb```\n", closed=False)],
    ),
    "two, glued on lines of their own": (
        "one ```python\na```\ntwo ```bash\nb```",
        [Seen("python", "a\n"), Seen("bash", "b\n", 3)],
    ),
    "two places could be the end": ("```python\na```\nb```", [Seen("python", "a```\nb```\n", closed=False)]),
    "closed, ticks behind code": ("```python\nx = '''```\n'''\n```", [Seen("python", "x = '''```\n'''\n")]),
    "ticks in the middle": ("```python\nx = '```'", [Seen("python", "x = '```'\n", closed=False)]),
    "ticks in the middle and at the end": (
        "```python\nx = '```'\ny```", [Seen("python", "x = '```'\ny```\n", closed=False)]),
    "escaped ticks behind code": ("```python\nx\\```", [Seen("python", "x\\```\n", closed=False)]),
    "the next fence has another tag": (
        "```python\na```\n```json\n{}\n```", [Seen("python", "a\n"), Seen(None, "{}\n", 3)]),
    "longer fence": ("````python\nx```\n````", [Seen("python", "x```\n")]),
    "longer fence, glued": ("````python\n```\nx````", [Seen("python", "```\nx\n")]),
    "tildes are not of the chat": ("~~~python\nx~~~", [Seen("python", "x~~~\n", closed=False)]),
    "tildes with ticks inside": ("~~~python\na ```py\nb```\n~~~\nx ```py\nc```", [
        Seen("python", "a ```py\nb```\n"), Seen("python", "c\n", 5)]),
    "begin behind words needs a language": ("see ```foo\nbar``` ok", []),
    "inline code before a fence": ("`x` ```python\nprint(1)\n```", [Seen(None, "", 3, closed=False)]),
    "quote": ("> ```python\n> x```", []),
    "list": ("- ```python\n  x\n  ```\n```bash\nls```", [Seen("python", "x\n"), Seen("bash", "ls\n", 4)]),
    "list, never ended": ("- ```python\n  x", [Seen("python", "x\n", closed=False)]),
    "ticks four blanks in are no end": (
        "```python\nx\n    ```\n```bash\ny```", [Seen("python", "x\n    ```\n```bash\ny```\n", closed=False)]),
    "tildes before words": ("~~~python\nx\n~~~ ok", [Seen("python", "x\n~~~ ok\n", closed=False)]),
    "fewer ticks before words": ("````python\nx\n``` ok", [Seen("python", "x\n``` ok\n", closed=False)]),
    "ticks before a tag are no end": (
        "```python\nx\n``` python\ny", [Seen("python", "x\n``` python\ny\n", closed=False)]),
    "a lone CR behind the end": ("```python\nx```\rok", [Seen("python", "x\n")]),
    "a lone CR stays": ("```python\nx\ry```", [Seen("python", "x\ry\n")]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), COMMONMARK_TABLE.values(), ids=COMMONMARK_TABLE.keys())
def test_blocks_by_commonmark(text: str, expected: list[Seen]) -> None:
    assert seen(text) == expected


@pytest.mark.parametrize("platform", ["discord", "slack"])
@pytest.mark.parametrize(("text", "expected"), CHAT_TABLE.values(), ids=CHAT_TABLE.keys())
def test_blocks_as_chat_clients_show_them(text: str, expected: list[Seen], platform: str) -> None:
    assert seen(text, platform) == expected


CHAT_DIFFERS = {
    "behind text on the line",
    "not closed by ticks behind code",
}


@pytest.mark.parametrize("platform", ["discord", "slack"])
@pytest.mark.parametrize("name", [name for name in COMMONMARK_TABLE if name not in CHAT_DIFFERS])
def test_what_is_right_by_commonmark_is_the_same_in_a_chat(name: str, platform: str) -> None:
    text, expected = COMMONMARK_TABLE[name]
    assert seen(text, platform) == expected


@pytest.mark.parametrize(
    ("text", "language", "info", "code"),
    [
        ("```\npython\nprint(1)\n```", "python", "python", PRINT),
        ("```\nPython timeout=5\nprint(1)\n```", "python", "Python timeout=5", PRINT),
        ("```\npython is great\nyes\n```", None, "", "python is great\nyes\n"),
        ("```\npython x.py\n```", None, "", "python x.py\n"),
        ("```\n python\nx\n```", None, "", " python\nx\n"),
        ("```\njson\n{}\n```", None, "", "json\n{}\n"),
        ("```\ntimeout=5\nx\n```", None, "", "timeout=5\nx\n"),
        ("```bash\npython\nx\n```", "bash", "bash", "python\nx\n"),
        ("```\n```", None, "", ""),
    ],
)
def test_slack_turns_the_tag_into_the_first_line_of_code(text: str, language: str | None, info: str, code: str) -> None:
    [block] = blocks(text, "slack")
    assert (block.language, block.info, block.code) == (language, info, code)


def test_the_line_of_a_fault_counts_the_tag_line() -> None:
    [block] = blocks("```\npython\n# filename: ..\n```", "slack")
    assert [fault.line for fault in block.faults] == [3]


def test_only_slack_does_that() -> None:
    assert seen("```\npython\nx\n```", "discord") == [Seen(None, "python\nx\n")]


def test_a_block_carries_its_settings() -> None:
    [block] = blocks("```python timeout=90 network packages=requests,numpy args=\"-n 5 'a b'\"\nx\n```")
    assert block.attributes == Attributes(90.0, network=True, packages=("requests", "numpy"), args=("-n", "5", "a b"))
    assert block.info == "python timeout=90 network packages=requests,numpy args=\"-n 5 'a b'\""
    assert block.runnable


def test_info_is_the_fence_line_as_typed_without_the_blanks_around_it() -> None:
    text = "``` \t Python  TITLE=\\*x&amp;  \t\nx\n```"
    assert [block.info for block in blocks(text)] == ["Python  TITLE=\\*x&amp;"]


def test_settings_without_a_tag_leave_the_block_untagged() -> None:
    [block] = blocks("``` timeout=5 network\nx\n```")
    assert block.language is None
    assert block.attributes == Attributes(5.0, network=True)
    assert [fault.kind for fault in block.faults] == [HintKind.UNTAGGED]


@pytest.mark.parametrize(
    ("text", "stdin"),
    [
        ("```python\nx\n```\n```stdin\n1\n2\n```", "1\n2\n"),
        ("```python\nx\n```\nwith\n\n~~~STDIN\n1\n~~~", "1\n"),
        ("```python\nx\n```\n```stdin\n```", ""),
        ("```python\nx\n```", None),
        ("```python\nx\n```\n> ```stdin\n> 1\n> ```", None),
    ],
)
def test_a_stdin_fence_is_the_input_of_the_block_before_it(text: str, stdin: str | None) -> None:
    [block] = blocks(text)
    assert block.stdin == stdin
    assert block.runnable


def test_each_block_has_its_own_stdin() -> None:
    text = "```python\na\n```\n```stdin\n1\n```\n```python\nb\n```\n```python\nc\n```\n```stdin\n3\n```"
    assert [block.stdin for block in blocks(text)] == ["1\n", None, "3\n"]


def test_a_block_whose_input_is_not_closed_does_not_run() -> None:
    [block] = blocks("```python\nx\n```\n```stdin\n1\n")
    assert (block.closed, block.runnable, block.stdin) == (True, False, "1\n")


@pytest.mark.parametrize(
    ("first", "filename"),
    [
        ("# filename: x.py", "x.py"),
        ("#filename:x.py", "x.py"),
        ("#  Filename:   a/b/x.py  ", "a/b/x.py"),
        ("\n  \n# filename: x.py", "x.py"),
        ("# filename: ./a//x.py", "a/x.py"),
        ("# filename: my data.csv", "my data.csv"),
        ("# filename: ünï.py", "ünï.py"),
        ("# filename: ..x/.y..", "..x/.y.."),
        ("# filename: " + "a/" * 200 + "x", "a/" * 200 + "x"),
        ("x = 1  # filename: x.py", None),
        ("x\n# filename: x.py", None),
        ("# file name: x.py", None),
        ("// filename: x.py", None),
        ("", None),
    ],
)
def test_the_first_line_may_name_the_file_and_stays(first: str, filename: str | None) -> None:
    [block] = blocks(f"```python\n{first}\n```")
    assert block.filename == filename
    assert block.runnable
    assert block.code == f"{first}\n"


def test_the_comment_sign_is_the_language_s() -> None:
    text = "```js\n// filename: x.js\n```\n```js\n# filename: x.js\n```\n```\n# filename: x\n```"
    assert [block.filename for block in blocks(text)] == ["x.js", None, "x"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "is missing"),
        ("../x.py", "leads out"),
        ("a/../../x.py", "leads out"),
        ("a/..", "leads out"),
        ("/etc/passwd", "not inside"),
        ("~/x.py", "not inside"),
        ("C:x.py", "not inside"),
        ("a\\x.py", "backslash"),
        ("a/", "is a folder"),
        (".", "is a folder"),
        ("a\0.py", "cannot be seen"),
        ("a\u202ey.py", "cannot be seen"),
        ("a\ud800", "cannot be seen"),
        ("a\tb", "cannot be seen"),
        ("x" * 256, "too long"),
        ("é" * 128, "too long"),
        ("a/" * 256 + "x", "too long"),
    ],
)
def test_a_file_name_that_is_none_keeps_the_block_from_running(name: str, said: str) -> None:
    [block] = blocks(f"\n```python\n\n# filename: {name}\nx\n```")
    assert block.filename is None
    [fault] = block.faults
    assert (fault.kind, fault.line) == (HintKind.BAD_FILENAME, 4)
    assert said in fault.text


def test_names_of_the_longest_size_pass() -> None:
    [part, whole] = blocks(f"```python\n# filename: {'x' * 255}\n```\n```python\n# filename: {'a/' * 255 + 'xx'}\n```")
    assert (part.filename, whole.filename) == ("x" * 255, "a/" * 255 + "xx")


@pytest.mark.parametrize(
    ("code", "suggested"),
    [
        ("print('hi')", "python"),
        ("import os", "python"),
        ("for x in y:\n    pass", "python"),
        ("a = 1\nb = a + 2", "python"),
        ("a = 1\na += len(b)", "python"),
        ("a += 1", None),
        (">>> x = 1\n>>> y = 2\n>>> print(x)\n1", "python"),
        ("#!/usr/bin/env python3\nx", "python"),
        ("#!/bin/bash\nls", "bash"),
        ("#!/bin/sh -e\nls", "sh"),
        ("#!/usr/bin/env node\nx", "javascript"),
        ("$ ls -la\nx", "bash"),
        ("hello", None),
        ("hello\nworld", None),
        ("Name: Ana\nRole: lead", None),
        ("user = ana\nhome = user\nport = 5432", None),
        ("[section]\na = 1", None),
        ('{"a": 1, "b": [true]}', None),
        ("console.log(1)", None),
        ("help(me)", None),
        ("SELECT a FROM b;", None),
        ("$5 and more", None),
        ("Traceback (most recent call last):", None),
        ("if a then b", None),
        ("x = '\\d'", None),
        ("import re\nre.compile('\\d')", "python"),
        ("import re".ljust(16 * 1024 - 1, "#"), "python"),
        ("import re".ljust(16 * 1024, "#"), None),
        ("print(" * 5000, None),
        ("\ud800", None),
        ("", None),
    ],
)
def test_an_untagged_block_suggests_a_language_only_if_that_is_plain(code: str, suggested: str | None) -> None:
    [block] = blocks(f"```\n{code}\n```")
    assert (block.language, block.suggested, block.runnable) == (None, suggested, False)


def test_what_a_channel_does_not_run_is_not_suggested() -> None:
    [block] = extract("```\nimport os\n```", DEFAULT_LANGUAGES.only(["bash"])).blocks
    assert block.suggested is None


def test_a_tagged_block_suggests_nothing() -> None:
    [block] = blocks("```bash\nimport os\n```")
    assert (block.language, block.suggested) == ("bash", None)


PIECES = [
    "```", "````", "~~~", "`", "``", "python", "py", "json", " ", "    ", "\t", "\n", "\n", "\r\n", "> ", ">", "- ",
    "1. ", "x", "print(1)", "'''", '"', "\u2068", "\0", "\ud800", "=", "#", "---", "stdin", "# filename: a/../b",
    "timeout=", 'args="', "\u00a0", ">>> ", "\u2028", "import os", "é",
]  # fmt: skip
MESSAGES = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=40).map("".join)
PLATFORMS = st.sampled_from(["web", "slack", "discord"])


@settings(deadline=None)
@given(MESSAGES, PLATFORMS)
def test_any_text_is_read_and_its_code_is_made_of_its_lines(text: str, platform: str) -> None:
    lines = text.replace("\r", "\n").split("\n")
    for block in blocks(text, platform):
        assert block.code == "" or block.code.endswith("\n")
        for line in block.code.replace("\r", "\n").split("\n")[:-1]:
            bare = line.lstrip(" ")
            assert any(bare in source for source in lines)


@settings(deadline=None)
@given(MESSAGES.filter(lambda text: "\r" not in text), PLATFORMS)
def test_crlf_and_lf_give_the_same(text: str, platform: str) -> None:
    dialect = dialect_of(platform)
    assert extract(text.replace("\n", "\r\n"), DEFAULT_LANGUAGES, dialect) == extract(text, DEFAULT_LANGUAGES, dialect)


@settings(deadline=None)
@given(MESSAGES.map(lambda text: text.replace("\r", "")), st.sampled_from(["python", "bash", "json", ""]), PLATFORMS)
def test_fenced_code_reads_back_as_it_was(code: str, tag: str, platform: str) -> None:
    text = f"hello\n{fenced(code, tag)}\nbye"
    if tag == "" and platform == "slack" and code.partition("\n")[0].strip().lower() in {"python", "py"}:
        return  # Slack's composer: that line is the tag
    [block] = blocks(text, platform)
    assert block.code == (code if not code or code.endswith("\n") else code + "\n")
    assert (block.info, block.line, block.closed) == (tag, 2, True)


@settings(deadline=None)
@given(st.lists(st.text(alphabet="ab `'\t\0\u2068", max_size=12), max_size=6))
def test_a_list_takes_its_indentation_off_and_nothing_else(lines: list[str]) -> None:
    code = "".join(f"{line}\n" for line in lines)
    inside = "".join(f"   {line}\n" for line in fenced(code, "python").split("\n"))
    [block] = blocks(f"1. do this\n\n{inside}\n")
    assert block.code == code
    assert block.closed


@pytest.mark.parametrize(
    "text",
    [
        "`" * 16_384,
        ">" * 100_000,
        "> " * 50_000 + "```python",
        "- " * 50_000 + "```python",
        "```python " + "a " * 20_000 + "\n```",
        "```\n" * 10_000,
        "a ```python\nx```\n" * 5_000,
        "'''py\nx\n" * 5_000,
        "(" * 16_000 + "\n\n\n\n",
        "x" + ".a" * 8_000 + "\n1\n2\n3\n",
        "\r" * 50_000 + "```python",
    ],
    ids=lambda text: ascii(text[:12]),
)
@pytest.mark.parametrize("platform", ["web", "discord"])
def test_hostile_text_is_read_and_runs_nothing_by_itself(text: str, platform: str) -> None:
    found = extract(text, DEFAULT_LANGUAGES, dialect_of(platform))
    assert all(len(block.code) <= len(text) for block in found.blocks)
    assert len(found.hints) <= len(text)


def test_nesting_deeper_than_twenty_is_not_looked_into() -> None:
    def nested(depth: int) -> str:
        return "".join("  " * level + "- a\n" for level in range(depth)) + "  " * depth + "```python\n"

    assert len(blocks(nested(9))) == 1
    assert len(blocks(nested(12))) == 0


def test_platforms_without_a_client_of_their_own_read_by_commonmark() -> None:
    assert [dialect_of(name) for name in ("web", "console", "else")] == [COMMONMARK] * 3
