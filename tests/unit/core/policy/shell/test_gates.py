"""Texts that bash and tree-sitter read differently, or may: each is refused by its gate. Most the fuzz found."""

import pytest

from bot.core.policy.shell.analysis import facts_of


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("cat a\nl\\\ns /root", "a line that is continued inside a word"),
        ("echo a\\ \\\nb", "a line that is continued inside a word"),
        ("\\\nls", "a line that is continued inside a word"),
        (" #for \\\n", "a backslash at the end"),
        ("#\\", "a comment that ends in a backslash"),
        ("!\nE", "a line end inside a command"),
        ("cat <$ \n./run.sh", "the syntax"),
        ("\\;&#a", "a # that may be no comment"),
        ("ls a>x", "a redirect that touches a word"),
        ("ls {PATH}>x", "a redirect that touches a word"),
        ("]\\$", "a $ that is written otherwise"),
        ("for f in a; do$ cd; done", "a do that is not set off by a blank"),
        ('case"$x" in a) ls;; esac', "a case that is not set off by a blank"),
        ("[]", "a [ that is not set off by a blank"),
        ("$\\", "text that belongs to nothing"),
        ('""\\;', "words that touch"),
        ('"a"\\;b', "words that touch"),
        ("ls ``%", "a gap inside a word"),
        ("]#", "'#' in a word"),
        ('f="a $(: \\\n)"', "a string"),
        ('\n"&>#a$>& "', "a $ in a string"),
        ('echo "a `id`"', "backquotes"),
        ("a$", "a $ as a word"),
        ("$\nE", "an expansion"),
        ('echo "a $ $(id)"', "an expansion"),
        ('echo "$x $ $y"', "a $ that is written otherwise"),
        ('echo "50 $ or $"', "an expansion"),
        ("echo $10", "an expansion"),
        ("echo ${}", "an expansion that does more than read a variable"),
        ("echo ${x:-$(id)}", "an expansion that does more than read a variable"),
        ("echo ${x/a/$(id)}", "an expansion that does more than read a variable"),
        ("echo ${x:0:y}", "an expansion that does more than read a variable"),
        ("echo $[1]", "arithmetic on names"),
        ("y=$(t{e&t)", "& in a command substitution"),
        ("}", "a command whose name is computed"),
        ("\\{ ls; }", "{ as a command"),
        ("*E=", "an assignment"),
        ("ls a= > x$?  'a\nb'", "a redirect on several lines"),
        ("wc <me-}\\#", "a redirect to other than one file"),
        ("ls <&x", "the redirect <&"),
        ("ls >& '/tmp/$(id)'", "the redirect >&"),
        ('ls >& "a\\\\a"', "the redirect >&"),
        ("ls > a b", "a redirect to other than one file"),
        ("'['", "a test without an end"),
        ("[ -\t a ] && :", "- in a test"),
        ("[ a -o b ]", "a test that may evaluate its operands"),
        ("[[ $(id) = \n ]]", "a test on several lines"),
        ("[[ a < b ]]", "a test that may evaluate its operands"),
        ("id a <<E a\nE", "more than redirects behind a here-document"),
        ("cat <<E && ls\nE", "more than redirects behind a here-document"),
        ("head <<'E\n x\"> out\nE", "the delimiter of a here-document"),
        ("head a <<'E\n \\\"> out\nE", "the delimiter of a here-document"),
        ("cat <<E1\nE1", "the delimiter of a here-document"),
        ("sed <<E\na \\\nE", "a $ or backslash in a here-document"),
        ("head <<-E\n`id`\n$x\n\tE", "a $ or backslash in a here-document"),
        ("ls <<-E \\\n\n\tE", "more behind a here-document on its line"),
        ('h\\$ead a <<"E" 2>&1\n\tE\nE', "a # or backslash on the line of a here-document"),
        ("ca} <<E | wc\nE;", "a here-document without an end"),
        ("ls <<'E'\nE \nE", "the end of a here-document"),
        ("cat <<A <<B\n1\nA\n2\nB\n./run.sh", "the syntax"),
        ("(((ls)))", "(("),
        ("shopt -s extglob; ls !(a)", "the syntax"),
        ("select x in a; do ls; done", "select"),
    ],
)
def test_refused(code: str, says: str) -> None:
    unknown = [fact.value for fact in facts_of(code) if fact.kind == "unknown"]
    assert says in unknown


@pytest.mark.parametrize(
    ("code", "commands"),
    [
        ("ls \\\n  -l \\\n  a", ["ls -l a"]),
        ("cat a |\n  wc", ["cat a", "wc"]),
        ("cat <<E\na $x $(id) ${y:-z}\nE\nls", ["cat", "id", "ls"]),
        ("cat <<-'E' > out\n\t`id`\n\tE\nls", ["cat", "ls"]),
        ("cat <<E | wc -l > n\nE", ["cat", "wc -l"]),
        ("if ls;then pwd;fi", ["ls", "pwd"]),
        ("(ls;pwd)", ["ls", "pwd"]),
        ("x=$(if ls; then pwd; fi)", ["ls", "pwd"]),
        ("ls;# c", ["ls"]),
        ("echo \"a\nb\" 'c\nd'", ["echo 'a\nb' 'c\nd'"]),
        ('echo "$" "a$" "\\$x" "50 $."', ["echo '$' 'a$' '$x' '50 $.'"]),
        ("echo a#b a\\ b \\# ''", ["echo 'a#b' 'a b' '#' ''"]),
        ('"l"s', ["ls"]),
        ("! ls | wc", ["ls", "wc"]),
    ],
)
def test_understood(code: str, commands: list[str]) -> None:
    facts = facts_of(code)
    assert [fact.value for fact in facts if fact.kind == "unknown"] == []
    assert [fact.value for fact in facts if fact.kind == "cmd"] == commands
