"""Facts of a bash text: what runs, which files and hosts it opens, which variables it reads and sets.

A command's own files and hosts come from the one reading of its arguments that also covers it (`commands.reading`). A
path is held against the working directory, which is the workspace until a `cd` makes it unknown.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence

from bot.core.policy.commands import paths, roles
from bot.core.policy.commands.reading import inner_of, parts_of
from bot.core.policy.commands.table import plain_name
from bot.core.policy.decision import Argument, Computed, Fact
from bot.core.policy.shell import conditions, gates, grammar
from bot.core.policy.shell.opaque import Opaque
from bot.core.policy.shell.walk import Assignment, Command, Found, Redirect, Walk
from bot.core.policy.shell.words import Word
from bot.core.policy.text import gate

MOST_FACTS = 500
MOST_WRAPPED = 3
"""Wrappers inside one another, as in `nice timeout 5 ls`."""

MOST_VALUES = 20
"""Texts that one word is tried with, for the variables in it."""

_SOCKET = re.compile(r"/dev/(?:tcp|udp)/([^/]+)/([^/]+)")
_MOVES = frozenset({"cd", "pushd", "popd"})
_VARIABLE = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})", re.ASCII)
_QUOTES = re.compile(r"[\"'\\]")


def facts_of(text: str) -> tuple[Fact, ...]:
    """What a text does, in the order of its lines; pure and total, and bounded in time."""
    try:
        found = _found(text)
    except Opaque as opaque:
        return (_unknown(opaque.what or "not analysed", opaque.line),)
    facts = list(dict.fromkeys(_facts(found)))
    if len(facts) > MOST_FACTS:
        return (_unknown("too much code", 0), *facts[:MOST_FACTS])
    return tuple(sorted(facts, key=lambda fact: fact.line))


def _found(text: str) -> Found:
    if gate("bash", text):
        raise Opaque("")  # said by whoever shows what the gate has found
    source = text.encode()
    root = grammar.parse(text)
    gates.check(root, source)
    walk = Walk(source)
    walk.statements([root])
    return walk.found


def _unknown(what: str, line: int) -> Fact:
    return Fact(kind="unknown", value=what, line=line)


def _facts(found: Found) -> Iterator[Fact]:
    yield from (_unknown(opaque.what, opaque.line) for opaque in found.opaque)
    assigned = {each.name: [*_literals(found.assignments, each.name)] for each in found.assignments}
    moves = any(_name(command.words[0].text) in _MOVES for command in found.commands)
    bound = set(assigned)
    for command in found.commands:
        argv = tuple(_argument(word) for word in command.words)
        for fact in _of_command(command, argv, assigned, moves=moves):
            yield fact
            if fact.kind == "assign":
                bound.add(fact.value)
    for assignment in found.assignments:
        yield Fact(kind="assign", value=assignment.name, line=assignment.line)
    for name, line in found.reads:
        if name not in bound:
            yield Fact(kind="env", value=name, line=line)
    for redirect in found.redirects:
        yield _of_redirect(redirect, moves=moves)


def _argument(word: Word) -> Argument:
    match word.fold:
        case "literal":
            return word.text
        case "one" | "glob" | "many":
            return Computed(dyn=word.text, words=word.fold)


def _name(word: str) -> str:
    return plain_name(word).rpartition("/")[2]


def _of_command(
    command: Command, argv: tuple[Argument, ...], values: dict[str, list[str]], *, moves: bool
) -> Iterator[Fact]:
    line = command.line
    try:
        conditions.check_command(command.words, line)
    except Opaque as opaque:
        yield _unknown(opaque.what, opaque.line)
    current: tuple[Argument, ...] | None = argv
    for _ in range(MOST_WRAPPED):
        if current is None:
            return
        yield command_fact(current, line)
        yield from _effects(current, values, line, moves=moves)
        current = inner_of(current)
    if current is not None:
        yield _unknown("a command in too many wrappers", line)


def command_fact(argv: tuple[Argument, ...], line: int) -> Fact:
    """`value` is as a shell would read it: what is computed stands as it was written."""
    value = " ".join(word.dyn if isinstance(word, Computed) else shlex.quote(word) for word in argv)
    return Fact(kind="cmd", value=value, line=line, argv=argv)


def _effects(argv: Sequence[Argument], values: dict[str, list[str]], line: int, *, moves: bool) -> Iterator[Fact]:
    name = argv[0] if isinstance(argv[0], str) else ""
    if moves and _name(name) == "git":
        yield _unknown("git behind cd: whose settings it would follow", line)
    parts = parts_of(argv)
    if name == "read" and parts is None:
        yield _unknown("which variables read sets", line)
    if name == "read" and parts is not None and all(part.role != "variable" for part in parts):
        yield Fact(kind="assign", value="REPLY", line=line)
    for part in parts or ():
        if isinstance(part.word, Computed):
            if part.role == "read":
                yield from _known_values(part.word, values, line)
            continue
        match part.role:
            case "write":
                yield _path_fact("write", part.word, line, moves=moves)
            case "output" if part.word != "-":
                yield _path_fact("write", part.word, line, moves=moves)
            case "variable":
                yield Fact(kind="assign", value=part.word, line=line)
            case "url":
                yield Fact(kind="net", value=roles.host_of(part.word) or part.word, line=line)
            case _:
                pass


def _known_values(word: Computed, values: dict[str, list[str]], line: int) -> Iterator[Fact]:
    """Files that variables are seen to name and that no command's own operand may: they are read all the same."""
    texts = [_QUOTES.sub("", word.dyn)]
    for name in dict.fromkeys(one or other for one, other in _VARIABLE.findall(word.dyn)):
        texts = [_filled(text, name, value) for text in texts for value in values.get(name, ())][:MOST_VALUES]
    for text in texts:
        if "$" not in text and text and not paths.readable(text):
            path = paths.absolute(text)
            yield Fact(kind="read", value=path, line=line) if path else _unknown("a path with ..", line)


def _filled(text: str, name: str, value: str) -> str:
    return re.sub(rf"\$(?:{name}(?!\w)|{{{name}}})", value.replace("\\", r"\\"), text, flags=re.ASCII)


def _literals(assignments: Iterable[Assignment], name: str) -> Iterator[str]:
    for each in assignments:
        if each.name == name and each.value is not None and each.value.fold in {"literal", "glob"}:
            yield each.value.text


def _of_redirect(redirect: Redirect, *, moves: bool) -> Fact:
    if not redirect.target.literal:
        return _unknown("a redirect to a computed file", redirect.line)
    socket = _SOCKET.fullmatch(redirect.target.text)
    if socket:
        return Fact(kind="net", value=f"{socket[1].lower()}:{socket[2]}", line=redirect.line)
    return _path_fact(redirect.mode, redirect.target.text, redirect.line, moves=moves)


def _path_fact(kind: str, text: str, line: int, *, moves: bool) -> Fact:
    path = paths.absolute(text)
    if path is None:
        return _unknown("a path with ..", line)
    if moves and not text.startswith("/"):
        return _unknown("a relative path behind cd", line)
    return Fact(kind=kind, value=path, line=line)
