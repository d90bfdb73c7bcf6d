"""The JSON that `fencepost blocks` prints: its first five keys and `hints` are a contract with other programs."""

import json

import pytest

from bot.core.codeblocks.report import blocks_report
from bot.core.languages import DEFAULT_LANGUAGES


def test_the_shape_of_a_report() -> None:
    text = 'a\n```py timeout=5 args="x y"\n# filename: a.py\n```\n```stdin\n1\n```\n```\nimport os\n'
    assert blocks_report(text) == {
        "blocks": [
            {
                "language": "python",
                "code": "# filename: a.py\n",
                "info": 'py timeout=5 args="x y"',
                "line": 2,
                "closed": True,
                "runnable": True,
                "suggested": None,
                "filename": "a.py",
                "stdin": "1\n",
                "attributes": {"timeout_s": 5.0, "network": False, "packages": [], "args": ["x", "y"]},
            },
            {
                "language": None,
                "code": "import os\n",
                "info": "",
                "line": 8,
                "closed": False,
                "runnable": False,
                "suggested": "python",
                "filename": None,
                "stdin": None,
                "attributes": {"timeout_s": None, "network": False, "packages": [], "args": []},
            },
        ],
        "hints": [
            "The fence on line 8 has no language. Write ```python to run it as Python.",
            "The fence on line 8 is not closed, so it was not run. Put ``` on a line of its own after the code.",
        ],
    }


@pytest.mark.parametrize(
    ("platform", "text", "code"),
    [
        ("slack", "hey ```python\nx &lt; <http://a.de|a.de>```", "x < a.de\n"),
        ("discord", "\u2068```python\n\u2068x\u2069\n```\u2069", "x\n"),
        ("web", "```python\n\u2068x &lt; 1\u2069\n```", "\u2068x &lt; 1\u2069\n"),
        ("console", "```python\n\u00a0x\n```", "\u00a0x\n"),
    ],
)
def test_a_message_is_read_as_its_platform_delivers_it(platform: str, text: str, code: str) -> None:
    [block] = blocks_report(text, platform)["blocks"]
    assert (block["code"], block["closed"], block["runnable"]) == (code, True, True)


def test_a_channel_may_run_less() -> None:
    [block] = blocks_report("```js\nx\n```", languages=DEFAULT_LANGUAGES.only(["python"]))["blocks"]
    assert block["language"] is None


def test_any_text_becomes_json() -> None:
    report = blocks_report("```python \ud800\0\n\ud800\0\u2028\n```")
    assert json.loads(json.dumps(report)) == report
