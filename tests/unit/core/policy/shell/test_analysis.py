"""Bash and the facts of it: what runs, what it opens, what it reads and sets, and what is not understood."""

import random
import statistics
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.policy.decision import Computed
from bot.core.policy.shell.analysis import facts_of
from bot.core.policy.shell.grammar import MOST_OF_ONE
from tests.unit.core.policy.making import unhurried


@pytest.mark.parametrize(
    ("code", "facts"),
    [
        ("ls -la|wc", ["cmd ls -la", "cmd wc"]),
        (
            "A=1 x= ./run 'a b' \"c$d\" e*f ~ {a,b}",
            ["cmd ./run 'a b' \"c$d\" e*f ~ {a,b}", "assign A", "assign x", "env d"],
        ),
        ("cat < in > out 2> /dev/null", ["cmd cat", "read /workspace/in", "write /workspace/out", "write /dev/null"]),
        ("echo x >> /tmp/a//b/./c", ["cmd echo x", "write /tmp/a/b/c"]),
        ("echo > ../x", ["cmd echo", "unknown a path with .."]),
        ('ls > "$f"', ["cmd ls", "env f", "unknown a redirect to a computed file"]),
        ("cat < /dev/tcp/Host.Example/80", ["cmd cat", "net host.example:80"]),
        ("cd src && ls > out", ["cmd cd src", "cmd ls", "unknown a relative path behind cd"]),
        ("cd src && ls > /tmp/out", ["cmd cd src", "cmd ls", "write /tmp/out"]),
        ("cd x; git status", ["cmd cd x", "cmd git status", "unknown git behind cd: whose settings it would follow"]),
        ("timeout 5 nice -n 3 ls -l", ["cmd timeout 5 nice -n 3 ls -l", "cmd nice -n 3 ls -l", "cmd ls -l"]),
        (
            "timeout 5 timeout 5 timeout 5 ls",
            [
                "cmd timeout 5 timeout 5 timeout 5 ls",
                "cmd timeout 5 timeout 5 ls",
                "cmd timeout 5 ls",
                "unknown a command in too many wrappers",
            ],
        ),
        ("timeout $n ls", ["cmd timeout $n ls", "env n"]),
        ("read -r a b", ["cmd read -r a b", "assign a", "assign b"]),
        ("read 'a[0]'", ["cmd read 'a[0]'", "unknown which variables read sets"]),
        ("read -r", ["cmd read -r", "assign REPLY"]),
        ("IFS=, read -r a", ["cmd read -r a", "assign a"]),
        ("IFS=,", ["assign IFS"]),
        ("tee -a out", ["cmd tee -a out", "write /workspace/out"]),
        (
            "curl -o out http://a.example:8080/",
            ["cmd curl -o out http://a.example:8080/", "write /workspace/out", "net a.example:8080"],
        ),
        ("curl https://user@a.example/", ["cmd curl https://user@a.example/"]),
        ('f=/etc/shadow; cat "$f"', ['cmd cat "$f"', "read /etc/shadow", "assign f"]),
        ('for f in a /etc/shadow; do head "$f"; done', ['cmd head "$f"', "read /etc/shadow", "assign f"]),
        ("f=../x; cat $f", ["cmd cat $f", "unknown a path with ..", "assign f"]),
        ('f=/etc; cat "$f/shadow"', ['cmd cat "$f/shadow"', "read /etc/shadow", "assign f"]),
        ("a=/et; b=c/x; cat ${a}$b", ["cmd cat ${a}$b", "read /etc/x", "assign a", "assign b"]),
        ("f=x; cat $f.txt", ["cmd cat $f.txt", "assign f"]),
        (
            "'[' -v 'a[0]' ']'",
            ["unknown a test that may evaluate its operands", "cmd '[' -v 'a[0]' ']'"],
        ),
        ("'[' $x", ["unknown a test without an end", "cmd '[' $x", "env x"]),
        ("\\test -v x", ["unknown a test that may evaluate its operands", "cmd test -v x"]),
        ('f=notes.txt; cat "$f"', ['cmd cat "$f"', "assign f"]),
        (
            'echo $HOME $x $1 "$@" ${y:-z} ${#w}',
            ['cmd echo $HOME $x $1 "$@" ${y:-z} ${#w}', "env HOME", "env x", "env y", "env w"],
        ),
        ("x=1; echo $x", ["cmd echo $x", "assign x"]),
        ('while read -r l; do echo "$l"; done', ["cmd read -r l", "assign l", 'cmd echo "$l"']),
        ("for f; do ls; done", ["cmd ls", "assign f"]),
        ("for f in; do ls; done", ["unknown the syntax"]),
        ('echo $(ls $(pwd)) "$(id)"', ["cmd pwd", "cmd ls $(pwd)", "cmd id", 'cmd echo $(ls $(pwd)) "$(id)"']),
        ('[ -f "$x" ] && [[ $y == a* ]]', ["cmd '[' -f \"$x\" ']'", "env x", "env y"]),
        ("[ $x ]", ["unknown a test of a value that is not quoted", "env x"]),
        ("[ a=b ]", ["unknown the syntax"]),
        ("[ 1 -lt $# ]", ["cmd '[' 1 -lt $# ']'"]),
        ('[ "$n" -lt 3 ]', ["unknown a test that may evaluate its operands", "env n"]),
        ("[[ -v x ]]", ["unknown a test that may evaluate its operands"]),
        ("[[ $x =~ a ]]", ["unknown a test that may evaluate its operands"]),
        ("[[ 3 -gt 2 || ! ( -f a && b != c ) ]]", []),
        ("test -d src", ["cmd test -d src"]),
        ("test -v x", ["unknown a test that may evaluate its operands", "cmd test -v x"]),
        ('case $x in a|*.c|"b c") ls;; esac', ["cmd ls", "env x"]),
        ("case $x in $(id)) ls;; esac", ["cmd id", "cmd ls", "env x"]),
        ("if ls; then :; elif id; then true; else false; fi", ["cmd ls", "cmd :", "cmd id", "cmd true", "cmd false"]),
        ("{ ls; }", ["cmd ls"]),
        ("( ls )", ["cmd ls"]),
        ("! ls", ["cmd ls"]),
        ("until ls; do break; done", ["cmd ls", "cmd break"]),
        ("x=$(id) y=2", ["cmd id", "assign x", "assign y"]),
        ("x+=1", ["unknown an assignment"]),
        ("cat <<E\na $x\nE\nls", ["cmd cat", "env x", "cmd ls"]),
        ("cat <<'E' | wc > n\n$(id)\nE", ["cmd cat", "cmd wc", "write /workspace/n"]),
        ("ls &", ["unknown &"]),
        ("ls |& wc", ["unknown |&"]),
        ("ls; `id`", ["unknown backquotes", "cmd ls"]),
        ("echo ${x@P}", ["unknown an expansion that does more than read a variable"]),
        ("echo ${!x}", ["unknown an expansion that does more than read a variable"]),
        ("echo $((x+1))", ["unknown arithmetic on names"]),
        ("echo $((1 + 2))", ["cmd echo $((1 + 2))"]),
        ("$x a", ["unknown a command whose name is computed", "env x"]),
        ('"ls" -l', ["cmd ls -l"]),
        ("l\\s", ["cmd ls"]),
        ("if", ["unknown the syntax"]),
        ("time ls", ["unknown time as a command"]),
        ("coproc ls", ["unknown coproc as a command"]),
        ("echo a \\\n  b", ["cmd echo a b"]),
        ("echo a\\\nb", ["unknown a line that is continued inside a word"]),
        ("ls 3>&1", ["cmd ls"]),
        ("ls {fd}> x", ["unknown a redirect that touches a word"]),
        ("ls >&out", ["unknown the redirect >&", "cmd ls"]),
        ("ls <&3", ["cmd ls"]),
        ("ls >&-", ["unknown a redirect to other than one file", "cmd ls"]),
        ('cat <<< "$x"', ["cmd cat", "env x"]),
        ('echo "a`id`"', ["unknown backquotes"]),
        ('echo a$ "b$" "c$\'"', ["unknown a $ as a word"]),
        ("declare x", ["unknown declare, export, local or readonly"]),
        ("! ", ["unknown the syntax"]),
        ("#only a comment", []),
        ("echo a#b #c", ["cmd echo 'a#b'"]),
        ("echo $(( 08 ))", ["cmd echo $(( 08 ))"]),
        ("", []),
        (
            "curl -sS 'https://Api.Example.com/v1?x=1'",
            ["cmd curl -sS 'https://Api.Example.com/v1?x=1'", "net api.example.com"],
        ),
        ("wget -qO- http://a.example/", ["cmd wget -qO- http://a.example/", "net a.example"]),
        ("ls {PATH}>x", ["unknown a redirect that touches a word"]),
    ],
)
def test_facts(code: str, facts: list[str]) -> None:
    assert [f"{fact.kind} {fact.value}" for fact in facts_of(code)] == facts


def test_a_command_keeps_its_words_and_which_are_computed() -> None:
    (fact,) = facts_of("\nwc -l \"$1\" $@ src/*.py 'a b'")
    assert fact.argv == (
        "wc",
        "-l",
        Computed(dyn='"$1"', words="one"),
        Computed(dyn="$@"),
        Computed(dyn="src/*.py", words="glob"),
        "a b",
    )
    assert (fact.dyn, fact.line) == ((2, 3, 4), 2)


def test_a_pattern_beside_a_value_may_be_anything() -> None:
    (fact,) = facts_of('x=1; ls "$x"*')[:1]
    assert fact.argv == ("ls", Computed(dyn='"$x"*'))


def test_there_is_an_end_to_facts() -> None:
    facts = facts_of("\n".join(f"c{number}" for number in range(600)))
    assert facts[0].value == "too much code"
    assert len(facts) == 501


def test_lines() -> None:
    facts = facts_of("ls\n\nif pwd; then\n  ./run > x\nfi; echo `a`")
    assert [(fact.value, fact.line) for fact in facts] == [
        ("ls", 1),
        ("pwd", 3),
        ("./run", 4),
        ("/workspace/x", 4),
        ("backquotes", 5),
    ]


@pytest.mark.parametrize("code", ["ls\u00a0-la", "cat secr\u200bet", "ls\x0b", "x" * 20_000, "ls\ud800"])
def test_what_hides_is_not_analysed(code: str) -> None:
    assert [(fact.kind, fact.value) for fact in facts_of(code)] == [("unknown", "not analysed")]


@unhurried
@given(st.text(max_size=300) | st.text(alphabet="ls x$(){}[]<>|&;#!=~*?'\"`\\\n\tE", max_size=80))
def test_it_is_total(code: str) -> None:
    facts_of(code)


HOSTILE = (
    *(
        part * (16_384 // len(part))
        for part in ("(", "{", "[", "$(", '"$(', "a|", "a=(", "=~ ", "|&", "${", "<<E ", "\n", "ls;", "'", "`")
    ),
    *("".join(random.Random(seed).choices("ls x$(){}[]<>|&;#!=~*?'\"`\\\n\tE", k=16_384)) for seed in range(5)),  # noqa: S311
    *(
        (part * MOST_OF_ONE)[:16_384]
        for part in ("a|", "a=( ", "=~ ", "( ", "a && ", "<<E ", "$(a ", "[ -f x ] && ", "{ a; ")
    ),
)


def test_no_text_takes_long(capsys: pytest.CaptureFixture[str]) -> None:
    worst = 0.0
    for code in HOSTILE:
        start = time.perf_counter()
        facts_of(code)
        worst = max(worst, time.perf_counter() - start)
    with capsys.disabled():
        print(f"\nbash, the worst hostile 16 KiB: {worst * 1000:.0f} ms")  # noqa: T201 (a figure)
    assert worst < 2


def test_a_hundred_lines_take_milliseconds(capsys: pytest.CaptureFixture[str]) -> None:
    lines = ("ls -la src | head -5", 'for f in *.txt; do wc -l "$f"; done', "x=$(date +%F)", 'echo "on $x" > /tmp/out')
    code = "\n".join(lines * 25)
    times = []
    for _ in range(30):
        start = time.perf_counter()
        facts_of(code)
        times.append(time.perf_counter() - start)
    median, p95 = statistics.median(times), sorted(times)[-2]
    with capsys.disabled():
        print(f"\nbash, 100 lines: median {median * 1000:.1f} ms, p95 {p95 * 1000:.1f} ms")  # noqa: T201
    assert median < 0.5
