"""What is said about fences that are not what their author meant, and about what nothing may be said."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.core.codeblocks import HintKind, dialect_of, extract, hint
from bot.core.languages import DEFAULT_LANGUAGES

CODE = "x = 4\ny = 3\nz = 2\nprint('abc')"


def hints(text: str, platform: str = "web") -> list[tuple[HintKind, int]]:
    return [(each.kind, each.line) for each in extract(text, DEFAULT_LANGUAGES, dialect_of(platform)).hints]


MUST = {
    "no fence": (CODE, HintKind.UNFENCED, 1),
    "no fence, a sentence before": (f"please run\n{CODE}", HintKind.UNFENCED, 2),
    "no fence, a paragraph before": (f"please run\nthis code\n\n{CODE}", HintKind.UNFENCED, 4),
    "no fence, a paragraph behind": (f"{CODE}\n\nwhy does it fail?", HintKind.UNFENCED, 1),
    "no fence, indented": ("    for x in y:\n        a = 1\n        b = 2\n    c = 3", HintKind.UNFENCED, 1),
    "no fence, a session": (">>> x = 1\n>>> y = x + 1\n>>> y\n2", HintKind.UNFENCED, 1),
    "no fence, a session with text": ("why?\n>>> import os\n>>> a\nNo\n>>> b", HintKind.UNFENCED, 1),
    "no fence, a notebook": ("In [1]: import os\nIn [2]: x = 1\nIn [3]: x", HintKind.UNFENCED, 1),
    "no fence, docstring first": (f'"""A script."""\n{CODE}', HintKind.UNFENCED, 1),
    "apostrophes with tag": ("'''python\nfoo\n'''", HintKind.WRONG_TICKS, 1),
    "apostrophes without tag": (f"'''\n{CODE}\n'''", HintKind.WRONG_TICKS, 1),
    "apostrophes, end behind code": (f"'''py\n{CODE}'''", HintKind.WRONG_TICKS, 1),
    "quotation marks": (f'"""\n{CODE}\n"""', HintKind.WRONG_TICKS, 1),
    "acute accents": ("look\n´´´bash\nls\n´´´", HintKind.WRONG_TICKS, 2),
    "curly apostrophes": (f"‘‘‘py\n{CODE}\n’’’", HintKind.WRONG_TICKS, 1),
    "curly quotation marks": (f"“““\n{CODE}\n”””", HintKind.WRONG_TICKS, 1),
    "primes": (f"′′′py\n{CODE}\n′′′", HintKind.WRONG_TICKS, 1),
    "one tick with tag": ("`py\nfoo\n`", HintKind.WRONG_TICKS, 1),
    "one tick without tag": (f"`\n{CODE}\n`", HintKind.WRONG_TICKS, 1),
    "one tick, code on its line": (f"`{CODE}`", HintKind.WRONG_TICKS, 1),
    "two ticks with tag": ("``sh\nls\n``", HintKind.WRONG_TICKS, 1),
    "one apostrophe with tag": (f"'py\n{CODE}\n'", HintKind.WRONG_TICKS, 1),
    "one line": ("```print(1)```", HintKind.ONE_LINE, 1),
    "one line with tag": ("```bash ls -la```", HintKind.ONE_LINE, 1),
    "one line below text": ("run\n```import os```", HintKind.ONE_LINE, 2),
    "behind text": ("hey ```python\nprint(1)\n```", HintKind.MID_LINE, 1),
    "behind text, end behind code": ("hey ```python\nprint(1)```", HintKind.MID_LINE, 1),
    "too far right": ("    ```python\n    x\n    ```", HintKind.INDENTED, 1),
    "too far right by a tab": ("\t~~~python\n\tx\n\t~~~", HintKind.INDENTED, 1),
    "unclosed": ("a\n```python\nx", HintKind.UNCLOSED, 2),
    "unclosed by tildes": ("~~~python\nx\n```", HintKind.UNCLOSED, 1),
    "end behind code": ("```python\nx\ny```\n\n", HintKind.GLUED_CLOSE, 3),
    "untagged": ("```\nx\n```", HintKind.UNTAGGED, 1),
    "unknown tag": ("```pyhton\nx\n```", HintKind.UNKNOWN_TAG, 1),
    "a language of others": ("```c++\nx\n```", HintKind.NOT_RUN_HERE, 1),
    "a format with words": ("```text isn't timeout=x\nx\n```", HintKind.FORMAT, 1),
    "a format": ("```json\n{}\n```", HintKind.FORMAT, 1),
    "code behind the tag": ("```python print(1)\nx\n```", HintKind.CODE_ON_FENCE_LINE, 1),
    "a command behind the tag": ("```bash cd x\nmake\n```", HintKind.CODE_ON_FENCE_LINE, 1),
    "a statement behind the tag": ("```python import os\nx\n```", HintKind.CODE_ON_FENCE_LINE, 1),
    "code in place of the tag": ("```print(1)\nprint(2)\n```", HintKind.CODE_ON_FENCE_LINE, 1),
    "a statement in place of the tag": ("```import os\nx\n```", HintKind.CODE_ON_FENCE_LINE, 1),
    "no setting": ("```python title=x {1,3}\nx\n```", HintKind.UNKNOWN_ATTRIBUTE, 1),
    "no number": ("```python timeout=soon\nx\n```", HintKind.BAD_ATTRIBUTE, 1),
    "no file name": ("```python\n\n# filename: /x\n```", HintKind.BAD_FILENAME, 3),
    "stdin without a block": ("```stdin\n1\n```", HintKind.LONE_STDIN, 1),
    "stdin twice": ("```py\nx\n```\n```stdin\n1\n```\n```stdin\n2\n```", HintKind.LONE_STDIN, 7),
    "stdin unclosed": ("```py\nx\n```\n```stdin\n1\n", HintKind.UNCLOSED, 4),
    "a quote": ("> ```python\n> x\n> ```", HintKind.QUOTED, 1),
}  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "line"), MUST.values(), ids=MUST.keys())
def test_exactly_this_is_said(text: str, kind: HintKind, line: int) -> None:
    assert hints(text) == [(kind, line)]


GOOD = "```python\nprint(1)\n```"

MUST_NOT = {
    "nothing": "",
    "a good block": GOOD,
    "a good block with settings": '```python timeout=5 network args="a (b)"\nx\n```',
    "a good block with stdin": f"{GOOD}\n```stdin\n1\n```",
    "a good block and a quote of another": f"> ```bash\n> ls\n> ```\n\n{GOOD}",
    "a good block and code around it": f"{CODE}\n\n{GOOD}",
    "a good block and wrong ticks": f"'''py\nx\n'''\n\n{GOOD}",
    "a good block in a quoted speech": "'\nwouldn't it be easier:\n```py\nx = lambda:\n    print(1)\n\n'\n```\n\n'",
    "a good block with a docstring": "```py\n'''A script'''\nxs = [1, 2]\n\nfor x in xs:\n    print(x)\n```",
    "prose": "Hello there.\nHow are you?\nI am fine.\nThank you.\nBye.",
    "apostrophes in words": "I'm writing line 1\nand we're writing line 2\nwe'll see\nsome odd 'variations\nisn't it?",
    "a long quote": "'I am doing a long quote.\nSure, I could use the > character\nfor quoting\nbut\nEnd of quote'",
    "a long quote in double": '"I am doing a long quote.\nSure, I could use >\nfor quoting\nbut\nEnd of quote"',
    "a long quote in triple": '"""\nI am doing a long quote.\nIt goes on\nand on\n"""',
    "a long quote about python": '"python is a great language\ngreat\ngreat\nenough lines?\nyes"',
    "a quote that begins with python": '"python\nis a great language\ngreat\nyes"',
    "single words": "great\ngreat\ngreat\npython\nyes",
    "fields": "Name: Ana\nRole: lead\nCity: Rome\nAge: 33",
    "settings": "host = db\nport = 5432\nuser = ana\nhome = user",
    "a settings file": "[db]\nhost = 1\nport = 2\n[web]\nport = 3",
    "yaml": "a: 1\nb: 2\nc: a\nd: [1, 2]",
    "json": '{\n"a": 1,\n"b": [true],\n"c": null\n}',
    "environment": "A=1\nB=2\nC=3\nD=4\nE=5",
    "three lines of code": "x = 4\ny = x + 1\nprint(y)",
    "a log": "12:00 start\n12:01 print(1)\n12:02 import os\n12:03 end",
    "a list": "- import os\n- print(1)\n- for x in y\n- x = 1",
    "a quoted mail": ">>> I said this\n>>> you said that\n>>> bye\nok",
    "a quoted discussion": ">>> great\n>>> python\n>>> yes\nok",
    "two prompts": ">>> x = 1\n>>> print(x)\n1",
    "a traceback": 'Traceback (most recent call last):\n  File "x.py", line 1\n    print(\nSyntaxError: x\n',
    "sql": "SELECT a\nFROM b\nWHERE c = 1\nORDER BY d;",
    "arithmetic": "a / b\nc - d\ne * f\ng",
    "inline code": "use `print(1)` and then ``import os``",
    "inline code in threes": "use ```print(1)``` and then ```import os``` please",
    "inline code in threes, alone, prose": "```hello there```",
    "inline code in threes, alone, a word": "```python```",
    "inline code over lines": "use `print(\n1)` here",
    "a call of no function": "```help(me)```",
    "an emphasis": "```wow```\n```yes```",
    "an indented list": "- a\n\n    ```\n    x\n    ```\n".replace("```", "``"),
    "a number of ticks in prose": "three ticks (```) make a fence, said `py`",
    "an escaped fence": "\\```python\nprint(1)\n\\```",
    "a mention and thanks": "<@U1> thanks for this 'python'\nit\nworks\nnow'",
    "ticks that do not match": "`py\nfoo\n'",
    "wrong ticks around nothing": "'''py\n\n'''",
    "unclosed quote": "'''python\nprint(1)\n",
}  # fmt: skip


@pytest.mark.parametrize("platform", ["web", "slack", "discord"])
@pytest.mark.parametrize("text", MUST_NOT.values(), ids=MUST_NOT.keys())
def test_nothing_is_said(text: str, platform: str) -> None:
    assert hints(text, platform) == []


@pytest.mark.parametrize("platform", ["slack", "discord"])
@pytest.mark.parametrize(
    "text", ["```python\nprint(1)```", "hey ```python\nprint(1)```", "hey ```python\nprint(1)\n``` ok"]
)
def test_what_the_chat_client_shows_as_a_block_needs_no_hint(text: str, platform: str) -> None:
    assert hints(text, platform) == []
    assert hints(text, "web") != []


@pytest.mark.parametrize(("before", "kinds"), [(7, [HintKind.WRONG_TICKS]), (8, [])])
def test_after_eight_candidates_no_more_are_looked_at(before: int, kinds: list[HintKind]) -> None:
    text = "```wow```\n" * before + "´´´py\nx\n´´´"
    assert [kind for kind, _ in hints(text)] == kinds


def test_code_around_a_fence_that_does_not_run_is_left_alone() -> None:
    assert hints(f"{CODE}\n```json\n{{}}\n```") == [(HintKind.FORMAT, 5)]


def test_a_long_tag_is_clipped() -> None:
    [said] = extract(f"```{'p' * 1000}\nx\n```", DEFAULT_LANGUAGES).hints
    assert said.text.startswith("p" * 39 + "… on line 1 is not")


def test_several_hints_come_in_the_order_of_the_lines() -> None:
    text = "```\na\n```\n> ```py\n> b\n> ```\n\n```json\nc\n```\nhey ```python\nd\n```"
    assert hints(text) == [
        (HintKind.UNTAGGED, 1),
        (HintKind.QUOTED, 4),
        (HintKind.FORMAT, 8),
        (HintKind.MID_LINE, 11),
    ]


def test_a_fault_is_a_hint_and_keeps_the_block_from_running() -> None:
    found = extract("```python timeout=x\n# filename: ..\n", DEFAULT_LANGUAGES)
    [block] = found.blocks
    assert [fault.kind for fault in block.faults] == [
        HintKind.BAD_ATTRIBUTE,
        HintKind.BAD_FILENAME,
        HintKind.UNCLOSED,
    ]
    assert sorted(found.hints, key=str) == sorted(block.faults, key=str)
    assert found.runnable == ()


def test_a_word_that_is_no_setting_keeps_nothing_from_running() -> None:
    found = extract('```python linenos title="a (b)" {1,3}\nx\n```', DEFAULT_LANGUAGES)
    assert len(found.runnable) == len(found.hints) == 1


def test_the_words_of_the_hint_for_python_without_a_fence() -> None:
    [said] = extract(CODE, DEFAULT_LANGUAGES).hints
    assert said.text == (
        "That looks like Python without a code fence. Start a line with ```python before it and ``` after it."
    )


def test_python_is_not_hinted_at_where_it_does_not_run() -> None:
    assert extract(CODE, DEFAULT_LANGUAGES.only(["bash"])).hints == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("```\nimport os\n```", "Write ```python to run it as Python."),
        ("```\nx\n```", "This channel runs python, bash, sh and javascript."),
        ("```pyhton\nx\n```", "pyhton on line 1 is not a language known here. Did you mean python?"),
        ("```xyz\nx\n```", "xyz on line 1 is not a language known here. This channel runs"),
        ("```go\nx\n```", "go does not run here (line 1). This channel runs"),
        ("```yaml\nx\n```", "The yaml block on line 1 is shown, not run."),
        ("~~~~python\nx", "Put ~~~~ on a line of its own after the code."),
        ("````python\nx````", "The ```` at the end of line 2 does not close the fence there."),
        ("```python import os\n```", "Leave ```python alone there"),
        ("```python timeout=0\n```", "timeout=0 is not a number of seconds"),
        ("´´´sh\nls\n´´´", "Line 1 has ´´´ where a fence has three backticks. Start a line with ```sh before"),
    ],
)
def test_a_hint_says_what_to_do(text: str, said: str) -> None:
    [only] = extract(text, DEFAULT_LANGUAGES).hints
    assert said in only.text


def test_languages_are_listed_in_words() -> None:
    def listed(*names: str) -> str:
        return hint.untagged(1, None, DEFAULT_LANGUAGES.only(names)).text.partition("run. ")[2]

    assert listed() == "This channel runs no language."
    assert listed("python") == "This channel runs python."
    assert listed("python", "sh") == "This channel runs python and sh."


@settings(deadline=None)
@given(
    st.text(min_size=1), st.sampled_from(["```{}\nx\n```", "```python {}=1\n```", "```python\n# filename: ../{}\n```"])
)
@example("\0\u202e\ud800", "```{}\nx\n```")
def test_what_a_hint_quotes_is_short_and_visible(text: str, form: str) -> None:
    for each in extract(form.format(text), DEFAULT_LANGUAGES).hints:
        assert each.text.isprintable()
        assert each.text.encode()
        assert len(each.text) < 600
        assert json.dumps(each.text)


LOG = "```\n12:00 start\n```"


@pytest.mark.parametrize(
    ("text", "addressed", "kinds"),
    [
        (LOG, True, [HintKind.UNTAGGED]),
        (LOG, False, [HintKind.UNTAGGED]),
        (f"{GOOD}\n{LOG}", True, [HintKind.UNTAGGED]),
        (f"{GOOD}\n```json\n{{}}\n```", True, []),
        ("```json\n{}\n```", True, [HintKind.FORMAT]),
        ("```ruby\nx\n```", False, [HintKind.NOT_RUN_HERE]),
        (f"{GOOD}\n```python\nx", True, [HintKind.UNCLOSED]),
        ("```pyhton\nx\n```", False, [HintKind.UNKNOWN_TAG]),
        ("> ```python\n> x\n> ```", False, []),
        ("> ```python\n> x\n> ```", True, [HintKind.QUOTED]),
        ("```json\n{}\n```", False, []),
        (CODE, False, [HintKind.UNFENCED]),
    ],
)
def test_who_talks_among_themselves_hears_of_slips_only(text: str, addressed: bool, kinds: list[HintKind]) -> None:
    found = extract(text, DEFAULT_LANGUAGES).worth_telling(addressed=addressed)
    assert [each.kind for each in found] == kinds
