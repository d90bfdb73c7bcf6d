"""A command and its arguments, by the table: what each argument is, or None where the table does not understand them.

This is the one reading of a command: facts of its files and hosts are made from it, and it is what a rule covers that
names the command, so that whatever is covered has had its facts made.
"""

from collections.abc import Callable, Mapping, Sequence

from bot.core.policy.commands import awk, find, jq, sed, wrappers
from bot.core.policy.commands.arguments import Part, by_entry
from bot.core.policy.commands.table import entry_of, plain_name
from bot.core.policy.decision import Argument

_PARSERS: Mapping[str, Callable[[Sequence[Argument]], tuple[Part, ...] | None]] = {
    "sed": sed.parts,
    "awk": awk.parts,
    "jq": jq.parts,
    "find": find.parts,
}


def parts_of(argv: Sequence[Argument]) -> tuple[Part, ...] | None:
    """`argv` with the command's name."""
    name = argv[0] if argv else None
    entry = entry_of(name) if isinstance(name, str) else None
    if not isinstance(name, str) or entry is None:
        return None
    match entry.parser:
        case None:
            return by_entry(entry, argv[1:])
        case "condition":
            return ()  # analysis lets only safe conditions become facts
        case "wrapper":
            return () if wrappers.inner(plain_name(name), argv[1:]) else None
        case parser:
            return _PARSERS[parser](argv[1:])


def inner_of(argv: Sequence[Argument]) -> tuple[Argument, ...] | None:
    """The command that this one runs, where it is one of the wrappers in a plain shape."""
    name = argv[0] if argv else None
    entry = entry_of(name) if isinstance(name, str) else None
    if not isinstance(name, str) or entry is None or entry.parser != "wrapper":
        return None
    return wrappers.inner(plain_name(name), argv[1:])
