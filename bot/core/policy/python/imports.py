"""Imports: which modules and members a block names, and under which names it has them."""

import ast
from dataclasses import dataclass, field

from bot.core.policy.python.tables import Tables

SUBMODULES = frozenset({"concurrent.futures", "importlib.metadata", "os.path", "urllib.request", "xml.etree"})
"""Modules below others of which there is no table, and that are not to pass for members."""

_FAMILIES = {
    "asyncio": "asyncio",
    "httpx": "requests",
    "matplotlib": "data",
    "numpy": "data",
    "pandas": "data",
    "pathlib": "pathlib",
    "requests": "requests",
}
"""Modules whose objects have methods that are looked at, by package."""
_HARMLESS_FUTURES = frozenset({"annotations", "division", "generator_stop", "print_function", "unicode_literals"})


@dataclass(frozen=True, slots=True)
class Imported:
    """One import: a fact of kind `import`, `member` or `unknown`."""

    kind: str
    value: str
    node: ast.AST


@dataclass(slots=True)
class Imports:
    """`modules` and `members` are by the names that the block has for them; `known` are all paths that are modules,
    `paths` those that were imported, `times` how often a name is bound by an import, `found` what there is to say.
    """

    modules: dict[str, str] = field(default_factory=dict)
    members: dict[str, str] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    paths: set[str] = field(default_factory=set)
    families: set[str] = field(default_factory=set)
    found: list[Imported] = field(default_factory=list)
    times: dict[str, int] = field(default_factory=dict)

    def add(self, path: str, node: ast.AST) -> None:
        parts = path.split(".")
        self.known.update(".".join(parts[:count]) for count in range(1, len(parts) + 1))
        self.paths.update(".".join(parts[:count]) for count in range(1, len(parts) + 1))
        self.found.append(Imported("import", path, node))
        if family := _FAMILIES.get(parts[0]):
            self.families.add(family)

    def name(self, table: dict[str, str], name: str, path: str, node: ast.AST) -> None:
        before = self.modules.get(name, self.members.get(name, path))
        if before != path:
            self.found.append(Imported("unknown", f"a name for both {before} and {path}", node))
        table[name] = path
        self.times[name] = self.times.get(name, 0) + 1


def imported(tree: ast.Module, tables: Tables) -> Imports:
    """Every import of the block, wherever it stands."""
    imports = Imports(known={*tables.members, *SUBMODULES})
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                imports.add(alias.name, node)
                top = alias.name.partition(".")[0]
                imports.name(imports.modules, alias.asname or top, alias.name if alias.asname else top, node)
        elif isinstance(node, ast.ImportFrom):
            _from(node, imports)
    for name in {*imports.modules, *imports.members}:
        if name in tables.builtins and name not in tables.pure:
            imports.found.append(Imported("unknown", f"an import under the name of {name}", _first(tree)))
    return imports


def _from(node: ast.ImportFrom, imports: Imports) -> None:
    if node.level or node.module is None:
        imports.found.append(Imported("unknown", "an import from beside itself", node))
        return
    if node.module == "__future__":
        if strange := {alias.name for alias in node.names} - _HARMLESS_FUTURES:
            imports.found.append(Imported("unknown", f"another language: {min(strange)}", node))
        return
    for alias in node.names:
        path = f"{node.module}.{alias.name}"
        if alias.name == "*":
            imports.add(node.module, node)
            imports.found.append(Imported("unknown", f"an import of whatever {node.module} has", node))
        elif path in imports.known:
            imports.add(path, node)
            imports.name(imports.modules, alias.asname or alias.name, path, node)
        else:
            imports.add(node.module, node)
            imports.name(imports.members, alias.asname or alias.name, path, node)
            imports.found.append(Imported("member", path, node))


def _first(tree: ast.Module) -> ast.AST:
    return tree.body[0]
