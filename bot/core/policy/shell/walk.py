"""From statements to what they consist of: commands, redirects, assignments, and the variables that are read.

A statement that is not understood is noted, and its neighbours are still read: more is said to whoever decides, and
nothing is lost, since one thing that is not understood bars the whole text.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tree_sitter import Node

from bot.core.policy.shell import conditions, expansions, gates, heredocs, words
from bot.core.policy.shell.grammar import REDIRECTS, WORDS
from bot.core.policy.shell.opaque import Opaque, line_of
from bot.core.policy.shell.words import Word, text_of

RESERVED = frozenset(
    "if then else elif fi for in do done while until case esac select function time coproc { } ! [[ ]]".split()
)
_CONTAINERS = frozenset(
    "program list pipeline compound_statement subshell if_statement elif_clause else_clause while_statement do_group"
    " negated_command redirected_statement".split()
)
_TOKENS = frozenset("&& || ; | ( ) { } if then elif else fi while until do done !".split()) | {"\n"}
_ITEM_TOKENS = frozenset({")", "|", "(", ";;", ";&", ";;&", ";", "\n"})
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Command:
    """A command as bash runs it; `prefix` are the variables that it alone is given."""

    words: tuple[Word, ...]
    line: int
    prefix: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Redirect:
    """A file that is opened; `target` as it is written."""

    mode: Literal["read", "write"]
    target: Word
    line: int


@dataclass(frozen=True, slots=True)
class Assignment:
    """A variable that gets a value; `value` is None where it comes from outside the text."""

    name: str
    value: Word | None
    line: int


@dataclass(slots=True)
class Found:
    """All that a text consists of, in the order in which it stands there; `reads` are variables with their lines."""

    commands: list[Command] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    reads: list[tuple[str, int]] = field(default_factory=list)
    opaque: list[Opaque] = field(default_factory=list)


class Walk:
    """One walk over one tree that has passed the gates."""

    def __init__(self, source: bytes) -> None:
        self.found = Found()
        self._source = source

    def statements(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            try:
                self._statement(node)
            except Opaque as opaque:
                self.found.opaque.append(opaque)

    def _statement(self, node: Node) -> None:
        match node.type:
            case "comment":
                pass
            case "command":
                self._command(node)
            case "variable_assignment":
                self._assignment(node)
            case "variable_assignments":
                for child in node.children:
                    self._assignment(child)
            case "for_statement":
                self._for(node)
            case "case_statement":
                self._case(node)
            case "test_command":
                self._test(node)
            case kind if kind in REDIRECTS:
                self._redirect(node)
            case kind if kind in _CONTAINERS:
                self._tokens(node.children, _TOKENS)
                self.statements(child for child in node.children if child.is_named)
            case kind:
                raise Opaque(kind.replace("_", " "), node)

    @staticmethod
    def _tokens(nodes: Sequence[Node], known: frozenset[str]) -> None:
        for node in nodes:
            if not node.is_named and node.type not in known:
                raise Opaque(node.type.strip() or "a token", node)

    def _command(self, node: Node) -> None:
        found: list[Word] = []
        prefix: list[str] = []
        before = None
        for child in node.children:
            if before is not None:
                gates.gap(before, child, self._source)
            before = child
            if child.type == "variable_assignment":
                prefix.append(self._assignment(child, only_for=node))
            elif child.type == "command_name":
                found.append(self._name(child))
            elif child.type in REDIRECTS:
                self._redirect(child)
            else:
                found.append(self._word(child))
        if not found:
            raise Opaque("a command without a name", node)
        self.found.commands.append(Command(tuple(found), line_of(node), tuple(prefix)))

    def _name(self, node: Node) -> Word:
        if len(node.children) != 1:
            raise Opaque("the name of a command", node)
        name = self._word(node.children[0])
        if not name.literal:
            raise Opaque("a command whose name is computed", node)
        if name.text in RESERVED:
            raise Opaque(f"{name.text} as a command", node)
        return name

    def _assignment(self, node: Node, only_for: Node | None = None) -> str:
        parts = node.children
        shape = [part.type for part in parts[:2]]
        if node.type != "variable_assignment" or shape != ["variable_name", "="] or len(parts) > 3:
            raise Opaque("an assignment", node)
        name = text_of(parts[0])
        if not _NAME.fullmatch(name) or (len(parts) == 3 and parts[1].end_byte != parts[2].start_byte):
            raise Opaque("an assignment", node)
        value = self._word(parts[2]) if len(parts) == 3 else Word("")
        if not (only_for is not None and name == "IFS" and value.literal and _is_read(only_for)):
            self.found.assignments.append(Assignment(name, value, line_of(node)))
        return name

    def _for(self, node: Node) -> None:
        self._tokens(node.children, frozenset({"for", "in", ";", "\n"}))
        name, values, line = "", [], line_of(node)
        for child in node.children:
            if child.type == "variable_name":
                name = text_of(child)
            elif child.type in WORDS:
                values.append(self._word(child))
            elif child.is_named:
                self._statement(child)
        if not _NAME.fullmatch(name):
            raise Opaque("a for statement", node)
        several = any(child.type == "in" for child in node.children)
        self.found.assignments += [Assignment(name, value, line) for value in (values if several else [None])]

    def _case(self, node: Node) -> None:
        self._tokens(node.children, frozenset({"case", "in", "esac", ";", "\n"}))
        for child in node.children:
            if child.type in WORDS:
                self._word(child)
            elif child.type == "case_item":
                self._item(child)
            elif child.type == "comment" or not child.is_named:
                continue
            else:
                raise Opaque("a case statement", child)

    def _item(self, node: Node) -> None:
        self._tokens(node.children, _ITEM_TOKENS)
        closed = False
        for child in node.children:
            if child.type == ")":
                closed = True
            elif not child.is_named:
                continue
            elif closed:
                self.statements([child])
            else:
                conditions.pattern(child, self._expand)

    def _test(self, node: Node) -> None:
        if node.children[0].type == "[":
            found = conditions.single(node, self._source, self._expand)
            self.found.commands.append(Command(found, line_of(node)))
        else:
            conditions.double(node, self._expand)

    def _redirect(self, node: Node) -> None:
        if node.type == "heredoc_redirect":
            beside, inner = heredocs.parts(node, self._source)
            self.statements(beside)
            for expansion in inner:
                self._expand(expansion)
            return
        if b"\n" in self._source[node.start_byte : node.end_byte]:
            raise Opaque("a redirect on several lines", node)
        operator = next((child.type for child in node.children if not child.is_named), "")
        targets = [child for child in node.children if child.is_named and child.type != "file_descriptor"]
        if len(targets) != 1:
            raise Opaque("a redirect to other than one file", node)
        target = self._word(targets[0])
        if operator == "<<<":
            return
        if operator in {">&", "<&"} and target.literal and target.text.isdigit() and len(target.text) == 1:
            return
        if operator not in {"<", ">", ">>", ">|", "&>", "&>>"}:  # bash takes quotes from the word behind >& twice
            raise Opaque(f"the redirect {operator}", node)
        self.found.redirects.append(Redirect("read" if operator == "<" else "write", target, line_of(node)))

    def _word(self, node: Node) -> Word:
        return words.read(node, self._expand)

    def _expand(self, node: Node) -> None:
        if node.type == "command_substitution":
            self.statements(expansions.inner_statements(node))
        else:
            self.found.reads += [(name, line_of(node)) for name in expansions.variables(node)]


def _is_read(command: Node) -> bool:
    """Whether it is the builtin `read`, for which alone `IFS=` in front of it changes anything."""
    name = command.child_by_field_name("name")
    return name is not None and text_of(name) == "read"
