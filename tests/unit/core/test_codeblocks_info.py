"""What stands behind the ticks of a fence."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.codeblocks.info import Attributes, Info, looks_like_code, read_info


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ("", Info()),
        ("python", Info("python")),
        ("Python3", Info("Python3")),
        ("c++", Info("c++")),
        ("python timeout=120", Info("python", Attributes(120.0))),
        ("python timeout=2.5s", Info("python", Attributes(2.5))),
        ("python\ttimeout='7'", Info("python", Attributes(7.0))),
        ("python network", Info("python", Attributes(network=True))),
        ("network timeout=1", Info("", Attributes(1.0, network=True))),
        ("python packages=requests", Info("python", Attributes(packages=("requests",)))),
        ("python packages='a, b  c'", Info("python", Attributes(packages=("a", "b", "c")))),
        (
            "python packages=x[y,z]>=1.0",
            Info("python", problems=("x[y is not the name of a package",)),
        ),
        ("python packages=a-b.c_d==1.0rc1", Info("python", Attributes(packages=("a-b.c_d==1.0rc1",)))),
        ('python args="-n 5"', Info("python", Attributes(args=("-n", "5")))),
        ("python args=(;)", Info("python", Attributes(args=("(;)",)))),
        ("python args=-n", Info("python", Attributes(args=("-n",)))),
        ("python args=\"'a b' c\"", Info("python", Attributes(args=("a b", "c")))),
        ('python args="a \\"b c\\""', Info("python", Attributes(args=("a", "b c")))),
        ('python args="$HOME; ls"', Info("python", Attributes(args=("$HOME;", "ls")))),
        ("python linenos", Info("python", unknown=("linenos",))),
        ('python title="a b" {1,3}', Info("python", unknown=("title=a b", "{1,3}"))),
        ("python Timeout=5", Info("python", unknown=("Timeout=5",))),
        ("python print(1)", Info("python", unknown=("print(1)",), has_code=True)),
    ],
)
def test_tag_settings_and_other_words(info: str, expected: Info) -> None:
    assert read_info(info) == expected


@pytest.mark.parametrize(
    ("info", "problem"),
    [
        ("python timeout=x", "timeout=x is not a number of seconds, as in timeout=60"),
        ("python timeout=0", "timeout=0 is not a number of seconds, as in timeout=60"),
        ("python timeout=-1", "timeout=-1 is not a number of seconds, as in timeout=60"),
        ("python timeout=1e9", "timeout=1e9 is not a number of seconds, as in timeout=60"),
        ("python timeout=1000000000", "timeout=1000000000 is not a number of seconds, as in timeout=60"),
        ("python timeout=٣", "timeout=٣ is not a number of seconds, as in timeout=60"),
        ("python timeout", "timeout has no value"),
        ("python timeout=", "timeout has no value"),
        ("python args=", "args has no value"),
        ("python network=yes", "network stands alone, without a value"),
        ("python packages=", "packages has no value"),
        ("python packages=,", "packages has no value"),
        ("python packages=-r", "-r is not the name of a package"),
        ("python packages=git+https://x", "git+https://x is not the name of a package"),
        ("python packages=../x", "../x is not the name of a package"),
        ("python timeout=1 timeout=2", "timeout is given twice"),
        ("python network network", "network is given twice"),
        ('python args="a', "a quotation mark is not closed"),
        ('python args="it\'s"', "a quotation mark in args is not closed"),
    ],
)
def test_a_setting_that_cannot_be_read_is_a_problem(info: str, problem: str) -> None:
    assert read_info(info).problems == (problem,)


@pytest.mark.parametrize(
    "text",
    [
        "print(1)",
        "import os",
        "x = 1",
        "ls -la",
        "cd x",
        "a | b",
        "echo",
        "$ x",
        "return",
        ">>> x",
        "-la",
        "for x in y",
    ],
)
def test_code_is_told_from_settings(text: str) -> None:
    assert looks_like_code(text)


@pytest.mark.parametrize("text", ["", "linenos", 'title="print(1)"', "{1,3}", "x=1", "a-b", "showLineNumbers wrap"])
def test_settings_are_told_from_code(text: str) -> None:
    assert not looks_like_code(text)


@settings(deadline=None)
@given(st.text(alphabet="abt =\"'\\\0\ud800,.[]()network timeout args packages") | st.text())
def test_any_text_can_be_read(text: str) -> None:
    info = read_info(text)
    assert info.tag in text
