"""What the use of a member or builtin comes to: facts of its own where it is understood, else the one that names it."""

import ast
from collections.abc import Callable, Mapping

from bot.core.policy.python import commands, environment, files, network, readers, shapes
from bot.core.policy.python.block import Block
from bot.core.policy.python.said import Facts, fact, unknown

Understand = Callable[[ast.AST, Block], Facts | None]
"""The facts of this use; None where it has no shape that is known."""

UNDERSTOOD: Mapping[str, Understand] = {
    "builtins.open": files.opened,
    "io.open": files.opened,
    "builtins.type": shapes.type_of,
    "builtins.getattr": shapes.attribute_by_name,
    "builtins.hasattr": shapes.attribute_by_name,
    "dataclasses.dataclass": shapes.dataclass,
    "dataclasses.field": shapes.fields,
    "dataclasses.fields": shapes.fields,
    **{f"enum.{name}": shapes.enumeration for name in ("Enum", "Flag", "IntEnum", "IntFlag", "ReprEnum", "StrEnum")},
    "functools.wraps": shapes.wraps,
    "functools.update_wrapper": shapes.update_wrapper,
    "matplotlib.use": shapes.backend,
    "matplotlib.rcParams": readers.setting,
    "matplotlib.pyplot.rcParams": readers.setting,
    "matplotlib.pyplot.style": readers.style_used,
    "matplotlib.pyplot.savefig": readers.figure_saved,
    "matplotlib.pyplot.imread": readers.picture_read,
    "numpy.ndarray": shapes.array_class,
    "struct.pack_into": shapes.without_arrays,
    "os.environ": environment.environ,
    "os.getenv": environment.read,
    "os.listdir": files.looked_at,
    **{f"os.path.{name}": files.looked_at for name in ("exists", "isfile", "isdir", "getsize")},
    "pandas.set_option": readers.option_set,
    "pandas.option_context": readers.option_set,
    **{
        f"pandas.read_{kind}": readers.frame_read
        for kind in ("csv", "excel", "feather", "fwf", "json", "orc", "parquet", "stata", "table")
    },
    **{f"numpy.{name}": readers.array_read for name in ("load", "loadtxt", "genfromtxt", "fromfile")},
    **{f"numpy.{name}": readers.array_written for name in ("save", "savez", "savez_compressed", "savetxt")},
    **{f"subprocess.{name}": commands.started for name in commands.CALLS},
    **{f"{library}.{verb}": network.requested for library in ("requests", "httpx") for verb in network.VERBS},
    "urllib.request.urlopen": network.opened,
}


def use(node: ast.AST, name: str, block: Block) -> Facts:
    """`name` is dotted; builtins are members of `builtins`."""
    module, _, last = name.rpartition(".")
    if last.startswith("_"):
        return () if last in {"__name__", "__doc__", "__version__"} else (unknown(f"the private {name}", node),)
    understand = UNDERSTOOD.get(name)
    facts = None if understand is None else understand(node, block)
    if facts is not None:
        return facts
    if understand is not None and block.tables.is_member(module, last):  # pure in its own shape only
        return (unknown(f"{name}, as it is used", node),)
    return (fact("builtin", last, node),) if module == "builtins" else (fact("member", name, node),)
