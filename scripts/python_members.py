"""Write the table of Python's public members anew: `python -m scripts.python_members [IMAGE]`, with an engine at hand.

`main` runs on this side: it hands this very file and the reviewed lists to an interpreter in a container of the sandbox
image, without network, and stores what that prints. `members` is what runs inside, on the standard library and the
image's own packages alone.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import json
import sys
import types
from pathlib import Path
from typing import Any

TABLES = Path("bot/core/policy/tables")
REVIEW = "python_review.json"
Review = dict[str, Any]


def members(review: Review) -> dict[str, Any]:
    """Everything that policy wants to know about this interpreter, in an order that never changes."""
    named = sorted({*review["pure"], *review["data"], *review["only"]})
    packages = sorted({name.partition(".")[0] for name in review["data"]})
    return {
        "python": list(sys.version_info[:2]),
        "packages": {name: importlib.import_module(name).__version__ for name in packages},
        "builtins": sorted({*dir(builtins), "copyright", "credits", "exit", "help", "license", "quit"}),
        "members": {name: public(name, review) for name in named},
        "private": {name: private(name) for name in named if name not in review["data"] and name != "matplotlib"},
    }


def public(name: str, review: Review) -> list[str]:
    """Names without an underscore in front that are no modules, are the module's own and were not dropped."""
    module = importlib.import_module(name)
    if name in review["only"]:
        return sorted(each for each in review["only"][name] if hasattr(module, each))
    listed = getattr(module, "__all__", None)
    names = dir(module) if listed is None else listed
    dropped = review["drop"].get(name, {})
    return sorted(
        {
            each
            for each in names
            if not each.startswith("_")
            and each not in dropped
            and not isinstance(getattr(module, each, None), types.ModuleType)
            and hasattr(module, each)
            and (listed is not None or own(getattr(module, each), name))
        }
    )


def own(value: object, name: str) -> bool:
    """Whether something that is listed nowhere as public belongs to the module, as far as it says whose it is."""
    home = getattr(value, "__module__", None)
    if not isinstance(home, str) or not isinstance(value, type | types.FunctionType | types.BuiltinFunctionType):
        return True
    return home.lstrip("_").partition(".")[0] in {name.partition(".")[0], "builtins"}


def private(name: str) -> list[str]:
    """Names with one underscore in front that objects of the module's classes may have: block code keeps off them."""
    module = importlib.import_module(name)
    found = {
        each
        for value in vars(module).values()
        if isinstance(value, type)
        for each in dir(value)
        if each.startswith("_") and not each.startswith("__")
    }
    for source in sources(module):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
                found.add(node.attr)
    return sorted(found)


def sources(module: types.ModuleType) -> list[Path]:
    """The files that the module is made of; none for one that is written in C."""
    path = getattr(module, "__file__", None)
    if path is None or not path.endswith(".py"):
        return []
    file = Path(path)
    return sorted(file.parent.glob("*.py")) if file.name == "__init__.py" else [file]


def inside(image: str, client: Any) -> dict[str, Any]:
    """The table as the image's interpreter makes it, in a container that reaches nothing."""
    printed = client.containers.run(
        image,
        ["python3", "-I", "-c", Path(__file__).read_text(encoding="utf-8"), (TABLES / REVIEW).read_text("utf-8")],
        network_mode="none",
        remove=True,
        environment={"MPLCONFIGDIR": "/tmp/matplotlib"},  # noqa: S108 (the container's own)
    )
    table: dict[str, Any] = json.loads(printed)
    return table


def written(table: dict[str, Any]) -> str:
    """As it lies in the repository: one line for each module, so that a change of an image reads well."""
    lines = []
    for key, value in table.items():
        if isinstance(value, dict) and key != "packages":
            rows = ",\n".join(f"    {json.dumps(name)}: {json.dumps(each)}" for name, each in value.items())
            lines.append(f"  {json.dumps(key)}: {{\n{rows}\n  }}")
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> int:
    import docker  # noqa: PLC0415 (not there inside)

    from executor.images import content_tag  # noqa: PLC0415

    table = inside(sys.argv[1] if len(sys.argv) > 1 else content_tag(), docker.from_env())
    (TABLES / "python_members.json").write_text(written(table), encoding="utf-8")
    return 0


if __name__ == "__main__":
    if sys.argv[0] == "-c":
        print(json.dumps(members(json.loads(sys.argv[1]))))  # noqa: T201
    else:
        sys.exit(main())
