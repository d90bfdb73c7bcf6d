"""The command table: frozen, reviewed data for the programs of the sandbox image and bash's own builtins."""

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from bot.core.model import Model

Role = Literal[
    "text", "number", "format", "plus", "option", "variable", "revision",
    "read", "name", "folder", "write", "output", "url", "header",
]  # fmt: skip
"""What an operand is to its command. `roles` says which texts are good for each."""

ParserName = Literal["condition", "sed", "awk", "jq", "find", "wrapper"]
SetName = Literal["print", "git", "files", "fetch"]


class Shape(Model):
    """Which arguments are understood.

    `args = "any"` is for commands no flag of which writes, runs, reads another file or changes anything. Else
    `letters` are short flags that may be joined, `flags` patterns (`-n*`, `-<n>`), `valued` flags with a value of that
    role. `operands` are roles by position, the last one for all that follow, at least `least` and at most `most`; a
    flag of `instead_of_first` takes the place of the first. One of `needs` has to be there. `computed` words may stand
    anywhere, or with `computed_behind` behind the first operand, where with `stop` no more flags are looked for.
    """

    args: Literal["any"] | None = None
    letters: str = ""
    flags: tuple[str, ...] = ()
    valued: Mapping[str, Role] = {}
    operands: tuple[Role, ...] = ()
    least: int = 0
    most: int = 99
    instead_of_first: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    computed: bool = False
    computed_behind: bool = False
    stop: bool = False


class Entry(Shape):
    """One command. `program` ones may be called by /bin or /usr/bin too; `subs` are subcommands with their shapes."""

    set: SetName
    program: bool = False
    parser: ParserName | None = None
    subs: Mapping[str, Shape] = {}


class _Table(Model):
    commands: Mapping[str, Entry]


_FOLDERS = ("/bin/", "/usr/bin/")


@lru_cache(maxsize=1)
def table() -> Mapping[str, Entry]:
    """Every command by its name."""
    text = files("bot.core.policy").joinpath("tables/commands.json").read_text("utf-8")
    return _Table.model_validate_json(json.dumps({"commands": json.loads(text)})).commands


def plain_name(word: str) -> str:
    """`ls` for `/bin/ls`, where that is the image's own; any other path stays as it is."""
    for folder in _FOLDERS:
        name = word.removeprefix(folder)
        if name != word and (entry := table().get(name)) is not None and entry.program:
            return name
    return word


def entry_of(word: str) -> Entry | None:
    return None if "/" in (name := plain_name(word)) else table().get(name)


@lru_cache(maxsize=1)
def sets() -> Mapping[str, frozenset[str]]:
    """`@print` and its like, with the names of their commands."""
    found: dict[str, set[str]] = {}
    for name, entry in table().items():
        found.setdefault(f"@{entry.set}", set()).add(name)
    return {name: frozenset(commands) for name, commands in found.items()}
