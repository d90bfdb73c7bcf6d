"""The grammar is the one that was looked at: its kinds of node, and the shape of what the walk relies on."""

import hashlib

import pytest
import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from bot.core.policy.shell import grammar
from bot.core.policy.shell.opaque import Opaque

LANGUAGE = Language(tree_sitter_bash.language())
KINDS = sorted(
    {
        f"{LANGUAGE.node_kind_is_named(number)} {LANGUAGE.node_kind_for_id(number)}"
        for number in range(LANGUAGE.node_kind_count)
        if LANGUAGE.node_kind_is_visible(number)
    }
)


def shape(node: Node) -> str:
    inner = "".join(f" {shape(child)}" for child in node.children)
    return f"({node.type}{inner})" if node.is_named else node.type


def test_the_kinds_of_node_are_those_that_were_looked_at() -> None:
    """A new grammar needs a new look: read what has changed, run `make fuzz`, then write the new digest here."""
    assert hashlib.sha256("\n".join(KINDS).encode()).hexdigest()[:16] == "0541a0c9334e8a39"
    assert {f"True {kind}" for kind in grammar.KINDS} <= set(KINDS)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (
            "a=1 ls -l *.py",
            "(program (command (variable_assignment (variable_name) = (number)) (command_name (word)) (word) (word)))",
        ),
        (
            "ls > x 2>&1",
            "(program (redirected_statement (command (command_name (word))) (file_redirect > (word)) (file_redirect (file_descriptor) >& (number))))",  # noqa: E501
        ),
        (
            "cat <<E\n$x\nE",
            "(program (redirected_statement (command (command_name (word))) (heredoc_redirect << (heredoc_start) (heredoc_body (simple_expansion $ (variable_name)) (heredoc_content)) (heredoc_end))))",  # noqa: E501
        ),
        ("[ ! -f x ]", "(program (test_command [ (unary_expression ! (unary_expression (test_operator) (word))) ]))"),
        (
            'echo "a $x"',
            '(program (command (command_name (word)) (string " (string_content) (simple_expansion $ (variable_name)) ")))',  # noqa: E501
        ),
        ("ls | wc", "(program (pipeline (command (command_name (word))) | (command (command_name (word)))))"),
        ("! ls", "(program (negated_command ! (command (command_name (word)))))"),
        (
            "for f in a; do ls; done",
            "(program (for_statement for (variable_name) in (word) ; (do_group do (command (command_name (word))) ; done)))",  # noqa: E501
        ),
        (
            "x=$(ls)",
            "(program (variable_assignment (variable_name) = (command_substitution $( (command (command_name (word))) ))))",  # noqa: E501
        ),
        (
            "case a in b) ls;; esac",
            "(program (case_statement case (word) in (case_item (word) ) (command (command_name (word))) ;;) esac))",
        ),
    ],
)
def test_shapes(code: str, expected: str) -> None:
    assert shape(Parser(LANGUAGE).parse(code.encode()).root_node) == expected


@pytest.mark.parametrize(
    ("code", "says", "line"),
    [
        ("ls\nif ls; then", "the syntax", 2),
        ("f() { ls; }", "a function", 1),
        ("\n\nexport A=1", "declare, export, local or readonly", 3),
        ("unset PATH", "unset", 1),
        ("cat <(ls)", "a process substitution", 1),
        ("a=(1 2)", "an array", 1),
        ("a[0]=1", "an element of an array", 1),
        ("echo $'a'", "a string in $'…'", 1),
        ("for ((i=0;i<3;i++)); do ls; done", "a for statement in double parentheses", 1),
        ("ls;" * 601, "more than 600 times ;", 0),
        ("a\n" * 8000, "too much code", 0),
        ("(" * 61 + "ls" + ")" * 61, "nested more than 60 deep", 0),
    ],
)
def test_what_is_refused(code: str, says: str, line: int) -> None:
    with pytest.raises(Opaque) as caught:
        grammar.parse(code)
    assert (caught.value.what, caught.value.line) == (says, line)
