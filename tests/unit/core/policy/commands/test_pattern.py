"""Commands in rules: the table's shapes, a rule's own, word for word; narrow to allow, wide to ask or deny."""

from typing import Any

import pytest
from pydantic import ValidationError

from bot.core.policy.commands.pattern import CommandShape, covers, fault, hits
from bot.core.policy.cover import Named
from bot.core.policy.decision import Effect, Fact
from bot.core.policy.rules import Match
from bot.core.policy.shell.analysis import facts_of
from tests.unit.core.policy.making import allow, asking, block, decided, denying, policy


def shape(**fields: Any) -> CommandShape:
    return CommandShape(**fields)


@pytest.mark.parametrize(
    ("pattern", "code", "covered"),
    [
        ("ls", "ls -l", True),
        ("ls", "/bin/ls", True),
        ("ls", "cat a", False),
        ("@print", "sort a", True),
        ("@print", "sort -o a", False),
        ("@print", "git status", False),
        ("@git", "git status", True),
        (shape(name="mytool", args="any"), "mytool -x --y=z a", True),
        (shape(name="mytool", args="any"), "mytool /etc/shadow", False),
        (shape(name="mytool", args="any"), "mytool $x", True),
        (shape(name="mytool", flags=("-v", "--n=*", "-<n>"), operands=1), "mytool -v --n=3 -15 a", True),
        (shape(name="mytool", flags=("-v",), operands=1), "mytool -x a", False),
        (shape(name="mytool", flags=("-v",), operands=1), "mytool a b", False),
        (shape(name="mytool", flags=("-v",), operands=1), 'mytool "$x"', False),
        (shape(name="mytool", flags=("--verbose",)), "mytool --verb", False),
        (shape(name="mytool"), "./mytool", False),
        (shape(name="/opt/tool/run"), "/opt/tool/run", True),
        (shape(name=("sort", "uniq"), flags=("-n", "-k*"), operands=9), "sort -n -k2 a", True),
        (shape(name="sort", flags=("-n",)), "sort a", False),
        (shape(name="git", sub="log", flags=("--oneline", "-<n>")), "git log --oneline -5", True),
        (shape(name="git", sub="log", flags=("--oneline",)), "git log -p", False),
        (shape(name="git", sub="log"), "git -c x=y log", False),
        (shape(name="git", sub="stash"), "git stash", True),
        (shape(argv=("make", "test")), "make test", True),
        (shape(argv=("make", "test")), "make test x", False),
        (shape(argv=("make", "test")), 'make "$x"', False),
        (shape(name="bash", args="any"), "bash -c id", False),
        (shape(name="sort", args="any"), "sort -o x", False),
    ],
)
def test_covers(pattern: str | CommandShape, code: str, covered: bool) -> None:
    assert covers(pattern, facts_of(code)[0]) is covered


@pytest.mark.parametrize(
    ("pattern", "code", "hit"),
    [
        ("git", "git push", True),
        ("git", "/usr/bin/git push", True),
        ("git", "./git push", True),
        ("git", "ls", False),
        ("*", "ls", True),
        ("@fetch", "curl x", True),
        (shape(name="git", sub="push"), "git push", True),
        (shape(name="git", sub="push"), "git -C x push", True),
        (shape(name="git", sub="push"), 'git "$x"', True),
        (shape(name="git", sub="push"), "git pull", False),
        (shape(name="rm", flags=("-r",)), "rm -fr x", True),
        (shape(name="rm", flags=("--recursive",)), "rm --recur x", True),
        (shape(name="rm", flags=("-r",)), "rm x", False),
        (shape(name="rm", flags=("-r",)), "rm $x", True),
        (shape(argv=("make", "test")), 'make "$x"', True),
        (shape(argv=("make", "test")), "make test -j", True),
        (shape(argv=("make", "test")), "make", False),
    ],
)
def test_hits(pattern: str | CommandShape, code: str, hit: bool) -> None:
    assert hits(pattern, facts_of(code)[0]) is hit


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("*", "allows every command"),
        ("mytool", "the command table has no 'mytool'"),
        (shape(name="xargs", args="any"), "xargs runs what its arguments say"),
        (shape(name="git", args="any"), "git runs what its arguments say"),
        (shape(name="tee", args="any"), "tee has effects that only the table's shape tells"),
        (shape(name="curl", flags=("-s",), operands=1), "curl has effects"),
        (shape(name="sort", args="any"), "some flags of sort do more than read"),
    ],
)
def test_what_an_allow_rule_may_not_say(pattern: str | CommandShape, says: str) -> None:
    assert says in (fault(pattern) or "")
    with pytest.raises(ValidationError, match=says.replace("'", ".").replace("*", ".")):
        policy(allow("bash", cmd=(pattern,)))


@pytest.mark.parametrize("pattern", ["ls", "@print", shape(name="cat", args="any"), shape(argv=("make", "test"))])
def test_what_it_may(pattern: str | CommandShape) -> None:
    assert fault(pattern) is None


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"name": "ls", "argv": ("ls",)},
        {"argv": ("ls",), "flags": ("-l",)},
        {"name": "ls", "args": "any", "flags": ("-l",)},
        {"name": "ls", "flags": ("l",)},
        {"name": "ls", "flags": ("-a*b",)},
        {"name": "a b"},
        {"name": "ls", "args": "some"},
        {"name": "ls", "colour": 1},
    ],
)
def test_no_shape(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        CommandShape(**fields)


def test_a_fact_without_words_is_covered_by_nothing_and_hit_by_everything() -> None:
    fact = Fact(kind="cmd", value="ls")
    assert not covers("ls", fact)
    assert hits("git", fact)


def test_no_name() -> None:
    for name in ("", "a b", "@none", "ls*"):
        with pytest.raises(ValidationError):
            Named(cmd=(name,))


def test_to_ask_and_to_deny() -> None:
    of = policy(
        allow("bash", cmd=("@print", "@git", shape(name="build", flags=("-k",), operands=3))),
        asking(id="asks", match=Match(cmd=("build",))),
        denying(id="denies", match=Match(cmd=(shape(name="git", sub="push"),))),
    )
    assert decided(of, block("ls; git status", "bash")).effect is Effect.ALLOW
    assert decided(of, block("build -k all", "bash")).rule == "asks"
    assert decided(of, block("ls && git push", "bash")).rule == "denies"
