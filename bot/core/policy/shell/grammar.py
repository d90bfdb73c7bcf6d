"""From text to tree: bounded in size and time, free of errors, and made of node kinds that somebody has looked at.

tree-sitter takes quadratic time over some texts (16 KiB of `a|`: 2.5 s), so a text that repeats an operator more often
than any script does is not parsed.
"""

from collections import Counter
from functools import lru_cache

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from bot.core.policy.shell.opaque import Opaque

MOST_OF_ONE = 600
"""Times that one of the operator characters may occur in a text."""

MOST_NODES = 20_000
MOST_DEPTH = 60

_OPERATORS = "|&;()<>{}[]!=~$\"'`"

STATEMENTS = frozenset(
    "program list pipeline compound_statement subshell if_statement elif_clause else_clause while_statement"
    " for_statement case_statement case_item do_group negated_command redirected_statement command variable_assignment"
    " variable_assignments test_command comment".split()
)
REDIRECTS = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
EXPANSIONS = frozenset({"simple_expansion", "expansion", "command_substitution", "arithmetic_expansion"})
WORDS = frozenset({"word", "number", "raw_string", "string", "concatenation", *EXPANSIONS})
PARTS = frozenset(
    "command_name variable_name special_variable_name string_content file_descriptor heredoc_start heredoc_body"
    " heredoc_content heredoc_end unary_expression binary_expression parenthesized_expression test_operator"
    " extglob_pattern regex brace_expression".split()
)
KINDS = STATEMENTS | REDIRECTS | WORDS | PARTS
"""Every kind of node that may occur. What else the grammar has, or a later one brings, is not understood."""

_WORDY = {
    "declaration_command": "declare, export, local or readonly",
    "unset_command": "unset",
    "function_definition": "a function",
    "process_substitution": "a process substitution",
    "array": "an array",
    "subscript": "an element of an array",
    "ansi_c_string": "a string in $'…'",
    "c_style_for_statement": "a for statement in double parentheses",
}


@lru_cache(maxsize=1)
def _language() -> Language:
    return Language(tree_sitter_bash.language())


def parse(text: str) -> Node:
    """The root of the tree. Raises Opaque."""
    often = Counter(text)
    for char in _OPERATORS:
        if often[char] > MOST_OF_ONE:
            raise Opaque(f"more than {MOST_OF_ONE} times {char}")
    root = Parser(_language()).parse(text.encode()).root_node
    if root.descendant_count > MOST_NODES:
        raise Opaque("too much code")
    if root.has_error:
        raise Opaque("the syntax", _first_error(root))
    if root.type != "program":
        raise Opaque("the syntax")
    _check_kinds(root)
    return root


def _first_error(root: Node) -> int:
    """The line of the first error; 0 where it lies too deep to look for."""
    node = root
    for _ in range(MOST_DEPTH):
        if node.is_error or node.is_missing:
            break
        node = next((child for child in node.children if child.has_error or child.is_missing), root)
        if node is root:
            return 0
    return node.start_point.row + 1


def _check_kinds(root: Node) -> None:
    level, depth = [root], 0
    while level:
        if depth > MOST_DEPTH:
            raise Opaque(f"nested more than {MOST_DEPTH} deep")
        for node in level:
            if node.is_missing or node.is_error or (node.is_extra and node.type != "comment"):
                raise Opaque("the syntax", node)
            if node.is_named and node.type not in KINDS:
                raise Opaque(_WORDY.get(node.type, node.type.replace("_", " ")), node)
        level = [child for node in level for child in node.children]
        depth += 1
