"""Which languages a sandbox runs, and how: data, handed to the supervisor with every block.

`command` is the argv with `{file}` where the path of the code goes; arguments follow it. Of Python's command only the
program matters: the supervisor runs the code itself, in an interpreter that is already there. `filename` is what a
block without a name of its own is called. Which of them an image has is found out inside and reported by it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from executor.errors import InvalidExecution


@dataclass(frozen=True, slots=True)
class Language:
    """One row of the table."""

    command: tuple[str, ...]
    filename: str

    def __post_init__(self) -> None:
        if not self.command or "{file}" not in self.command[1:]:
            raise ValueError(f"the command of a language needs a program and {{file}}: {self.command}")


Languages = Mapping[str, Language]

_BASH = ("bash", "--noprofile", "--norc", "{file}")
"""For sh too: what policy has read as bash must not be run by a shell that reads it otherwise."""

DEFAULT_LANGUAGES: Languages = MappingProxyType(
    {
        "python": Language(("python3", "{file}"), "main.py"),
        "bash": Language(_BASH, "main.sh"),
        "sh": Language(_BASH, "main.sh"),
        "javascript": Language(("node", "{file}"), "main.js"),
    }
)


def language(table: Languages, name: str) -> Language:
    """InvalidExecution where the table has no such name."""
    try:
        return table[name]
    except KeyError:
        raise InvalidExecution(f"This sandbox does not run {name}; it runs {', '.join(sorted(table))}.") from None
