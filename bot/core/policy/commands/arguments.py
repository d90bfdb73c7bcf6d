"""Arguments held against a shape: each with its role, or nothing where one of them is not understood."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.policy.commands import roles
from bot.core.policy.commands.table import Entry, Role, Shape
from bot.core.policy.decision import Argument, Computed
from bot.core.policy.patterns import text_matches

_DIGITS = "<n>"


@dataclass(frozen=True, slots=True)
class Part:
    """An operand, or the value of a flag."""

    role: Role
    word: Argument


def flag_matches(pattern: str, text: str) -> bool:
    """`-n*` is for what begins so, `-<n>` for a dash and digits; everything else for itself, never abbreviated."""
    if pattern.endswith(_DIGITS):
        stem = pattern.removesuffix(_DIGITS)
        rest = text.removeprefix(stem)
        return text.startswith(stem) and rest.isascii() and rest.isdigit()
    return text_matches(pattern, text)


def by_entry(entry: Entry, argv: Sequence[Argument]) -> tuple[Part, ...] | None:
    """Arguments behind the command's name, and behind its subcommand where it has some."""
    if not entry.subs:
        return by_shape(entry, argv)
    sub = argv[0] if argv else None
    shape = entry.subs.get(sub) if isinstance(sub, str) else None
    return None if shape is None else by_shape(shape, argv[1:])


def by_shape(shape: Shape, argv: Sequence[Argument]) -> tuple[Part, ...] | None:
    """Every operand and value with its role; None where anything is not understood."""
    return _Reader(shape).read(argv)


class _Refused(Exception):
    pass


class _Reader:
    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self._values: list[Part] = []
        self._operands: list[Argument] = []
        self._flags: list[str] = []
        self._open = True
        """Whether a word may still be a flag."""

    def read(self, argv: Sequence[Argument]) -> tuple[Part, ...] | None:
        try:
            wanted: Role | None = None
            for word in argv:
                if wanted is not None:
                    self._value(wanted, word)
                    wanted = None
                else:
                    wanted = self._next(word)
            if wanted is not None:
                return None
            return (*self._values, *self._as_operands())
        except _Refused:
            return None

    def _next(self, word: Argument) -> Role | None:
        """Takes one word; the role of the next one, where this is a flag that wants a value."""
        if isinstance(word, Computed):
            self._computed(word)
        elif word == "--" and self._open:
            self._open = False
        elif self._open and len(word) > 1 and word[0] in "-+" and not self._is_operand(word):
            return self._flag(word)
        else:
            self._operands.append(word)
            self._open = self._open and not self._shape.stop
        return None

    def _is_operand(self, word: str) -> bool:
        return word[0] == "+" and ("plus" in self._shape.operands or self._shape.args == "any")

    def _computed(self, word: Computed) -> None:
        shape = self._shape
        behind = shape.computed_behind and bool(self._operands)
        if not (shape.args == "any" or shape.computed or behind or not self._open or roles.is_no_flag(word)):
            raise _Refused
        self._operands.append(word)

    def _flag(self, word: str) -> Role | None:
        shape = self._shape
        if shape.args == "any":
            return None
        name, equals, value = word.partition("=")
        self._flags.append(name)
        if word in shape.valued:
            return shape.valued[word]
        if any(flag_matches(pattern, word) for pattern in shape.flags):
            return None
        if word.startswith("--"):
            if not equals or name not in shape.valued:
                raise _Refused
            self._value(shape.valued[name], value)
            return None
        return self._letters(word)

    def _letters(self, word: str) -> Role | None:
        """`-la`, `-rnk2`, `-euo`: letters, the last of which may want a value, here or in the next word."""
        for index, letter in enumerate(word[1:], start=1):
            role = self._shape.valued.get(f"{word[0]}{letter}")
            if role is not None:
                self._flags.append(f"{word[0]}{letter}")
                if rest := word[index + 1 :]:
                    self._value(role, rest)
                    return None
                return role
            if letter not in self._shape.letters or word[0] == "+":
                raise _Refused
            self._flags.append(f"-{letter}")
        return None

    def _value(self, role: Role, word: Argument) -> None:
        if not (role == "text" if isinstance(word, Computed) and word.words == "one" else _is_good(role, word)):
            raise _Refused
        self._values.append(Part(role, word))

    def _as_operands(self) -> list[Part]:
        shape, named = self._shape, shape_operands(self._shape, self._flags)
        if shape.needs and not set(shape.needs) & set(self._flags):
            raise _Refused
        if not shape.least <= len(self._operands) <= (shape.most if named else 0):
            raise _Refused
        parts = [Part(named[min(index, len(named) - 1)], word) for index, word in enumerate(self._operands)]
        if not all(
            roles.may_be(part.role, part.word) if isinstance(part.word, Computed) else roles.fits(part.role, part.word)
            for part in parts
        ):
            raise _Refused
        return parts


def shape_operands(shape: Shape, flags: Sequence[str]) -> tuple[Role, ...]:
    """The roles by position; the first falls away where a flag has said it."""
    return shape.operands[1:] if set(shape.instead_of_first) & set(flags) else shape.operands


def _is_good(role: Role, word: Argument) -> bool:
    return isinstance(word, str) and roles.fits(role, word)
