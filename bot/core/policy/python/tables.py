"""What is known about the image's Python: data made inside the image, and what people said about it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "tables"


@dataclass(frozen=True, slots=True)
class Tables:
    """`members` are public and pure, by module; `private` attributes of objects of a module that block code keeps off.

    `introspection` are attributes that lead from any object to frames, code or modules; `methods` those that reach
    further than a value, by the family of modules whose objects have them.
    """

    python: tuple[int, int]
    builtins: frozenset[str]
    pure: frozenset[str]
    stdin: frozenset[str]
    standard: frozenset[str]
    data: frozenset[str]
    members: Mapping[str, frozenset[str]]
    private: Mapping[str, frozenset[str]]
    introspection: frozenset[str]
    methods: Mapping[str, frozenset[str]]

    def is_member(self, module: str, name: str) -> bool:
        return name in self.members.get(module, ())


@cache
def tables() -> Tables:
    review = json.loads((FOLDER / "python_review.json").read_text(encoding="utf-8"))
    made = json.loads((FOLDER / "python_members.json").read_text(encoding="utf-8"))
    return Tables(
        python=(made["python"][0], made["python"][1]),
        builtins=frozenset(made["builtins"]),
        pure=frozenset(review["builtins"]["pure"]) | _exceptions(made["builtins"]),
        stdin=frozenset(review["builtins"]["input"]),
        standard=frozenset(review["pure"]),
        data=frozenset(review["data"]),
        members={name: frozenset(each) for name, each in made["members"].items()},
        private={name: frozenset(each) for name, each in made["private"].items()},
        introspection=frozenset(review["introspection"]),
        methods={family: frozenset(each) for family, each in review["methods"].items()},
    )


def _exceptions(builtins: list[str]) -> frozenset[str]:
    """Builtin names of exceptions and warnings, which do nothing but be raised."""
    others = {
        "StopIteration",
        "StopAsyncIteration",
        "SystemExit",
        "KeyboardInterrupt",
        "GeneratorExit",
        "ExceptionGroup",
    }
    ends = ("Error", "Exception", "Warning", "ExceptionGroup")
    return frozenset(name for name in builtins if name in others or (name.endswith(ends) and name[0].isupper()))
