"""Random bash programs: whole ones from a grammar, ones with odd parts, and ones with a few characters changed.

All that they call is a stub or a name that nobody has, every file is relative, and no builtin that could harm is named.
"""

import random
import re

PROGRAMS = ("ls", "cat", "wc", "grep", "sort", "head", "run", "id", "sed", "tee")
"""Stubs on PATH, which note their arguments. `./run.sh` is one too."""

BUILTINS = ("echo", "printf", "true", "false", ":", "test", "read", "cd", "pwd")
VARIABLES = ("x", "y", "name", "f")
TEXTS = tuple("a b -n -l file.txt src/x a=b é 1 22 E -- a:b 100% x,y fi in do".split())
ODD = (
    *r"""$ ! \ " ' ` # { } [ ] ( ) ~ = * ? & | ; < > $'a\tb' $"x" `id` <(id) x+=1 ${x@P} ${!x} ${x[0]} $((x)) $[1] |& &>
    >& <<E <<-E <<< ;; ;& time coproc f() {fd}> !(a) @(a|b) \; \$ \` \" '' "" [[ ]] (( )) $( ${ $(( 0$x ^ %
    case if""".split(),
    *("\\\n", "\n", "\t", "a\\\nb", "  ", " #", "#a", "[[ ", " ]]", "[ ", " ]", "\\ ", "function f ", "time ", " & "),
    "a=(1 2)",
)
FORMS = (
    "if [other]; then [body][end]fi",
    "if [other][end]then\n[body]\nelse [other][end]fi",
    "for [var] in [words][end]do [body][end]done",
    "case [word] in [pattern]) [body] ;; *) [other];; esac",
    "case [word] in\n[pattern])\n[body]\n;;\nesac",
    "{ [body][end]}",
    "( [body] )",
    "[other] | [other]",
    "[other] |\n  [other] | [other]",
    "! [other]",
    "[ [single] ] && [other]",
    "[[ [double] ]] || [other]",
    "while read -r [var]; do [body][end]done < file.txt",
    "[var]=$([body])",
)
PARTS = (
    *r"""$[var] "$[var]" ${[var]} ${[var]:-d} ${[var]%.txt} ${[var]##*/} ${[var]-} "$[var]:" $([run]) "$([run])" *.txt *
    ? [ab] src/* */x [!a] {a,b} {1..3} {} } ~ a~ x=~ a\ b \$x \" \' \* \\ \# a\;b $((1+2)) $# $? $1 "$@" $* ${#x} # a#b
    ! !a = a=
    ^ % @ + , ] a]b : "$" "a\"b" "a\\" "\$x" "!" '\' [text] [text] [text]""".split(),
    *(
        '"[text] [text]"',
        "'[text] $x `[text]'",
        '"a $[var] b"',
        '"a ${[var]} b"',
        '"a $1 b"',
        '"a $@ b"',
        '"a $([run])"',
    ),
    *('"a $((1 + 2)) b"', "$(( 2 * (3 - 1) ))", '"a\nb"', "'a\nb'", '"a$ b"'),
)
FRAGMENTS = (
    *r"""$ $x ${x} "$x" $1 $@ $# $? $(id) $(ls "a") ${y:-d} $((1)) ! # \\ \$ \" \'
    ' " a b ls id ; | && ( ) { } [ ] * ~ = - E""".split(),
    *(
        " ",
        " ",
        " ",
        " ",
        "  ",
        "\t",
        "\n",
        " $ ",
        "$ ",
        " $",
        " $x",
        " $(",
        "$(ls ",
        ")",
        "(",
        "`",
        "<",
        ">",
        " # ",
        "''",
        '""',
    ),
)
PLACES = (
    *(
        "ls [parts]",
        'ls "[parts]"',
        'x="[parts]"',
        'x="[parts]" run',
        "x=[parts]",
        "x=$([parts])",
        '"$([parts])"',
        "ls '[parts]'",
    ),
    *(
        "cat <<E\n[parts]\nE",
        "cat <<E\n[parts]\nE\nls",
        "cat <<-E\n\t[parts]\n\tE\nid",
        "cat <<E [parts]\nE",
        "cat <<'E'\n[parts]\nE",
    ),
    *(
        "[ [parts] ]",
        "[[ [parts] ]] && ls",
        "{ [parts]; }",
        "( [parts] )",
        "case [parts] in a) ls;; esac",
        "ls | [parts]",
        "[parts]",
    ),
    *(
        "case a in [parts]) ls;; esac",
        "for x in [parts]; do ls; done",
        "if [parts]; then ls; fi",
        "ls > [parts]",
        "ls <<< [parts]",
    ),
    *(
        "case a in a) [parts];; esac",
        "for x in a; do [parts]; done",
        "ls # [parts]\nid",
        "! [parts]",
        'ls "a$([parts])b"',
        "ls $([parts]",
    ),
)
PATTERNS = ("a", "*.c", "a|b", "(x", "[ab]*", '"a b"', "$x", "a | 'b'")
SINGLE = tuple(
    '-f a; "$x" = b; ! -d src; -n "$y"; $# -eq 0; a != "$x"; $x; a -o b; -v x; "$x" "$y"; 1 -lt 2'.split("; ")
)
DOUBLE = tuple(
    "$x == a*; -f $x; -n $x && a == b; ! $x; ( a = b ); $x =~ a; $x -eq 1; -v x; a < b; $(id) = a".split("; ")
)
DOCUMENT = (*"a $x $(id) E EE `id` \\ ${x:-b} $ run ' \" $((1+2))".split(), "", "E ", " E", "\tE", "a \\")
BESIDE = ("", "", "", " | wc", " > out", " 2>&1", " | grep a > out", " && run", "; run", " # E", " <<F", " a", " \\")
REDIRECTS = (
    " {x}> out",
    " {x}>out",
    *(" > out", " 2>/dev/null", " < file.txt", " >> out", " 2>&1", " >out 2>&1", " &> out", " <<< $x", ' <<<"a b"'),
    " >|out",
)
TAB, CONTINUED = "\t", " \\\n"
CHARACTERS = "'\"\\$`(){}[]<>|&;#!=~*?%^+-@, \t\n\naExi1"

_PATH = re.compile(r"/(?!dev/null)")
_FINE_PATHS = re.compile(r"(src/x|\./run\.sh|a/b|src/|\*/x)")


def harmless(text: str) -> bool:
    """Whether it names no path but those that are known, so that even what it hides could reach nothing."""
    return not _PATH.search(_FINE_PATHS.sub("", text))


class Maker:
    """Programs from one source of chance."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def program(self) -> str:
        kind = self._chance.random()
        if kind < 0.25:
            return self._dense()
        text = self._block(3)
        if kind < 0.5:
            return text
        if kind < 0.6:
            return self._spliced(text, self._block(2))
        for _ in range(self._chance.choice((1, 1, 1, 2, 3))):
            text = self._changed(text)
        return text

    def _dense(self) -> str:
        """Fragments side by side, in the places where tree-sitter keeps its own count of blanks, quotes and ends."""
        parts = [self._pick(FRAGMENTS) for _ in range(self._chance.randrange(1, 9))]
        return self._pick(PLACES).replace("[parts]", "".join(parts))

    def _block(self, depth: int) -> str:
        text = self._statement(depth)
        for _ in range(self._chance.choice((0, 0, 1, 2))):
            open_document = "<<" in text.rpartition("\n")[2]
            text += "\n" if open_document else self._pick(("\n", "\n", "; ", ";", " && ", " || ", "\n\n"))
            text += self._statement(depth)
        return text

    def _statement(self, depth: int) -> str:
        if depth <= 0 or self._chance.random() < 0.45:
            return self._simple(depth)
        if self._chance.random() < 0.12:
            return self._heredoc(depth - 1)
        form = self._pick(FORMS)
        made = {
            "[body]": lambda: self._block(depth - 1),
            "[other]": lambda: self._simple(depth - 1),
            "[words]": lambda: self._words(depth - 1),
            "[word]": lambda: self._word(depth - 1),
            "[var]": lambda: self._pick(VARIABLES),
            "[end]": lambda: self._pick(("; ", "\n", ";\n", " \n ")),
            "[pattern]": lambda: self._pick(PATTERNS),
            "[single]": lambda: self._pick(SINGLE),
            "[double]": lambda: self._pick(DOUBLE),
        }
        return re.sub(r"\[[a-z]+\]", lambda match: made[match[0]]() if match[0] in made else match[0], form)

    def _heredoc(self, depth: int) -> str:
        tag, dash = self._pick(("E", "'E'", '"E"', "E")), self._pick(("", "", "-"))
        lines = [self._pick(DOCUMENT) for _ in range(self._chance.randrange(4))]
        end = "\n".join(["", *lines, ("\t" if dash else "") + "E"])
        behind = self._pick(("", "\n" + self._simple(depth)))
        return f"{self._pick(PROGRAMS)} {self._pick(('', 'a '))}<<{dash}{tag}{self._pick(BESIDE)}{end}{behind}"

    def _simple(self, depth: int) -> str:
        chance = self._chance.random()
        if chance < 0.08:
            return f"{self._pick(VARIABLES)}={self._pick(('', self._word(depth)))}"
        prefix = f"{self._pick(VARIABLES)}={self._word(depth)} " if chance < 0.12 else ""
        name = self._pick(
            (*PROGRAMS, *PROGRAMS, *BUILTINS, "./run.sh", "'ls'", "l\\s", '"c"at', "missing", "timeout 5 ls")
        )
        text = f"{prefix}{name}{self._pick((' ', ' ', '  ', TAB, CONTINUED))}{self._words(depth)}".rstrip(" \t")
        if self._chance.random() < 0.2:
            text += self._pick(REDIRECTS)
        if self._chance.random() < 0.05:
            text += self._pick((" # done", " #", " # it's")) + "\n:"
        return text

    def _words(self, depth: int) -> str:
        return self._pick((" ", " ", " ", "  ", " \\\n ", "\t")).join(
            self._word(depth) for _ in range(self._chance.randrange(4))
        )

    def _word(self, depth: int) -> str:
        parts = [self._part(depth) for _ in range(self._chance.choice((1, 1, 1, 1, 2, 3)))]
        return "".join(parts)

    def _part(self, depth: int) -> str:
        if self._chance.random() < 0.3:
            return self._pick(TEXTS)
        if self._chance.random() < 0.02:
            return self._pick(ODD)
        form = self._pick(PARTS)
        return (
            form.replace("[text]", self._pick(TEXTS))
            .replace("[var]", self._pick(VARIABLES))
            .replace("[run]", self._simple(depth - 1) if depth > 0 and "[run]" in form else "id")
        )

    def _changed(self, text: str) -> str:
        at = self._chance.randrange(len(text) + 1)
        match self._chance.randrange(5):
            case 0:
                return text[:at] + text[at + self._chance.choice((1, 1, 2)) :]
            case 1:
                return text[:at] + self._pick(tuple(CHARACTERS)) + text[at:]
            case 2:
                return text[:at] + self._pick(ODD) + text[at:]
            case 3:
                return text[:at] + self._pick(tuple(CHARACTERS)) + text[at + 1 :]
            case _:
                end = min(len(text), at + self._chance.randrange(1, 6))
                return text[:end] + text[at:end] + text[end:]

    def _spliced(self, one: str, other: str) -> str:
        """The first part of one and the last of the other."""
        return one[: self._chance.randrange(len(one) + 1)] + other[self._chance.randrange(len(other) + 1) :]

    def _pick(self, choices: tuple[str, ...]) -> str:
        return self._chance.choice(choices)
