"""How a rule names commands: by the table (`"ls"`, `"@print"`), in a shape of its own, or word for word.

The table's own shape is the one that was reviewed. A shape of a rule's own keeps what the table knows of operands; for
a command that writes, reaches out, sets variables or runs others it is refused, since its facts come from the table's
shape. To deny or ask, a name is enough, and a shape is taken widely: a computed word may be anything.
"""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Discriminator, Tag, model_validator

from bot.core.model import Model
from bot.core.policy.commands.arguments import by_shape, flag_matches
from bot.core.policy.commands.reading import parts_of
from bot.core.policy.commands.table import Entry, Role, Shape, plain_name, sets, table
from bot.core.policy.decision import Argument, Computed, Fact

ANY = "*"

_NAME = re.compile(r"[A-Za-z0-9_.:\[][A-Za-z0-9_.+-]*|/[A-Za-z0-9_.+/-]+", re.ASCII)
_FLAG = re.compile(r"[-+][^\s*]*\*?", re.ASCII)
_PLAIN_ROLES: frozenset[Role] = frozenset(
    {"text", "number", "revision", "read", "name", "folder", "plus", "header", "option"}
)
_RUNNERS = frozenset(
    "bash sh dash env sudo su doas xargs eval exec source . builtin trap time timeout nice nohup setsid stdbuf ssh"
    " watch parallel python python3 node perl ruby find awk sed git make tar busybox coproc alias enable hash"
    " command".split()
)
"""Commands that run what their arguments say: a rule that allowed any would allow everything."""


def _names(value: Any) -> Any:
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


def _flags(flags: tuple[str, ...]) -> tuple[str, ...]:
    for flag in flags:
        if not _FLAG.fullmatch(flag):
            raise ValueError(f"is no flag: {flag!r}; '*' stands only at its end")
    return flags


Words = Annotated[tuple[str, ...], BeforeValidator(_names)]


class CommandShape(Model):
    """`name` with these `flags` (`-n*`, `-<n>`) and at most so many `operands`; or `args = "any"`; or just `argv`."""

    name: Words = ()
    sub: str | None = None
    args: Literal["any"] | None = None
    flags: Annotated[tuple[str, ...], AfterValidator(_flags)] = ()
    operands: int | None = None
    argv: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _means_something(self) -> "CommandShape":
        if bool(self.argv) == bool(self.name):
            raise ValueError("has either name or argv")
        if self.argv and (self.sub or self.args or self.flags or self.operands is not None):
            raise ValueError("has nothing but argv, which is word for word")
        if self.args and (self.flags or self.operands is not None):
            raise ValueError('has either args = "any" or flags and operands')
        for name in self.name:
            if not _NAME.fullmatch(name):
                raise ValueError(f"is not the name of a command: {name!r}")
        return self


def _named(text: str) -> str:
    if text != ANY and text not in sets() and not _NAME.fullmatch(text):
        raise ValueError(f"is the name of a command, '*', or one of {', '.join(sorted(sets()))}")
    return text


def _form(value: Any) -> str:
    return "name" if isinstance(value, str) else "shape"


CommandPattern = Annotated[
    Annotated[str, AfterValidator(_named), Tag("name")] | Annotated[CommandShape, Tag("shape")], Discriminator(_form)
]


def fault(pattern: str | CommandShape) -> str | None:
    """Why an allow rule may not say this; None where it may."""
    if isinstance(pattern, str):
        if pattern == ANY:
            return "allows every command; name those that are meant"
        known = pattern in sets() or pattern in table()
        return None if known else f"the command table has no {pattern!r}; give its flags and operands"
    for name in pattern.name:
        entry = table().get(name)
        if name in _RUNNERS and not (pattern.sub and not pattern.args):
            return f"{name} runs what its arguments say, so only the table's shapes of it or an exact argv are allowed"
        if entry is not None and not _is_plain(entry, pattern.sub):
            return f"{name} has effects that only the table's shape tells; say {name!r} or an exact argv"
        if entry is not None and pattern.args and entry.args is None:
            return f"some flags of {name} do more than read; name the flags that are meant"
    return None


def _is_plain(entry: Entry, sub: str | None) -> bool:
    """Whether no operand of it makes a fact of its own."""
    known = entry.subs.get(sub or "")
    shapes = [known] if known is not None else [*entry.subs.values()] or [entry]
    roles = {role for shape in shapes for role in (*shape.operands, *shape.valued.values())}
    return entry.parser is None and roles <= _PLAIN_ROLES


def covers(pattern: str | CommandShape, fact: Fact) -> bool:
    name = fact.argv[0] if fact.argv else None
    if not isinstance(name, str):
        return False
    if isinstance(pattern, str):
        plain = plain_name(name)
        return plain in sets().get(pattern, {pattern}) and parts_of(fact.argv) is not None
    if pattern.argv:
        return fact.argv == pattern.argv
    if plain_name(name) not in pattern.name or fault(pattern):
        return False
    rest = fact.argv[1:]
    if pattern.sub is not None:
        if not rest or rest[0] != pattern.sub:
            return False
        rest = rest[1:]
    return by_shape(_shape(pattern, table().get(plain_name(name))), rest) is not None


def _shape(pattern: CommandShape, entry: Entry | None) -> Shape:
    """A rule's own shape, with the roles of operands that the table knows; of an unknown command they are files."""
    known: Shape | None = entry.subs.get(pattern.sub or "", entry) if entry is not None else None
    operands = known.operands if known is not None else ("read",)
    if pattern.args:
        return Shape(args="any", operands=operands or ("text",))
    most = pattern.operands if pattern.operands is not None else 0
    return Shape(flags=pattern.flags, operands=operands or ("read",), most=most)


def hits(pattern: str | CommandShape, fact: Fact) -> bool:
    words = fact.argv
    name = words[0] if words else None
    if not isinstance(name, str):
        return True
    called = {name, plain_name(name), name.rpartition("/")[2]}
    if isinstance(pattern, str):
        return pattern == ANY or bool(called & sets().get(pattern, {pattern}))
    if pattern.argv:
        return len(words) >= len(pattern.argv) and all(map(_may_be, pattern.argv, words))
    if not called & set(pattern.name):
        return False
    rest = words[1:]
    return (pattern.sub is None or any(_may_be(pattern.sub, word) for word in rest)) and (
        not pattern.flags or any(_may_flag(flag, word) for flag in pattern.flags for word in rest)
    )


def _may_be(text: str, word: Argument) -> bool:
    return isinstance(word, Computed) or word == text


def _may_flag(flag: str, word: Argument) -> bool:
    """A flag may stand among joined letters, or be abbreviated, or have its value in the same word."""
    if isinstance(word, Computed):
        return True
    if len(flag) == 2 and word.startswith(flag[0]) and not word.startswith("--"):
        return flag[1] in word[1:]
    stem = word.partition("=")[0]
    return flag_matches(flag, word) or (len(stem) > 2 and stem.startswith("--") and flag.rstrip("*").startswith(stem))
