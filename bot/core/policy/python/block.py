"""One block of code, ready to be asked: what does this name mean, what stands around this node, which text is this."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from bot.core.policy.python.imports import Imports, imported
from bot.core.policy.python.scopes import Scopes, scopes
from bot.core.policy.python.tables import Tables, tables

Meant = Literal["bound", "module", "member", "builtin", "unbound"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """`name` is the dotted one of a module or member, else the name as it stands."""

    kind: Meant
    name: str


class Block:
    """A tree with its names and parents; nothing in it changes."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.tables: Tables = tables()
        self.parents: dict[ast.AST, ast.AST] = {
            child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)
        }
        self.scopes: Scopes = scopes(tree)
        self.imports: Imports = imported(tree, self.tables)

    @cached_property
    def classes(self) -> Mapping[str, ast.ClassDef]:
        """Classes by name, where nothing else binds the name and no builtin could be meant."""
        found = {each.name: each for each in self.nodes() if isinstance(each, ast.ClassDef)}
        return {
            name: each
            for name, each in found.items()
            if self.scopes.bindings.get(name) == 1 and name not in self.tables.builtins
        }

    @cached_property
    def functions(self) -> frozenset[str]:
        """Names of functions of the block, where nothing else binds the name."""
        found = {each.name for each in self.nodes() if isinstance(each, ast.FunctionDef)}
        return frozenset(name for name in found if self.scopes.bindings.get(name) == 1)

    def nodes(self) -> Iterator[ast.AST]:
        return ast.walk(self.tree)

    def parent(self, node: ast.AST) -> ast.AST | None:
        return self.parents.get(node)

    def meaning(self, node: ast.Name) -> Meaning:
        name = node.id
        if name in self.imports.modules:
            return Meaning("module", self.imports.modules[name])
        if name in self.imports.members:
            return Meaning("member", self.imports.members[name])
        where = self.scopes.of[node].has(name)
        if where == "own":
            return Meaning("bound", name)
        if name in self.tables.builtins:
            return Meaning("builtin", name)
        return Meaning("bound" if where == "module" else "unbound", name)

    def module(self, node: ast.AST) -> str | None:
        """The module that an expression is, such as `os.path`."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        meaning = self.meaning(node)
        if meaning.kind != "module":
            return None
        path = meaning.name
        for part in reversed(parts):
            path = f"{path}.{part}"
            if path not in self.imports.known:
                return None
        return path

    def member(self, node: ast.AST) -> str | None:
        """The member of a module, or the builtin as `builtins.open`, that an expression is."""
        if isinstance(node, ast.Name):
            meaning = self.meaning(node)
            if meaning.kind == "builtin":
                return f"builtins.{meaning.name}"
            return meaning.name if meaning.kind == "member" else None
        if isinstance(node, ast.Attribute) and self.module(node) is None:
            module = self.module(node.value)
            return None if module is None else f"{module}.{node.attr}"
        return None

    def call_of(self, node: ast.AST) -> ast.Call | None:
        """The call whose function this expression is."""
        parent = self.parent(node)
        return parent if isinstance(parent, ast.Call) and parent.func is node else None

    def class_around(self, node: ast.AST) -> ast.ClassDef | None:
        around = self.parent(node)
        while around is not None and not isinstance(around, ast.ClassDef):
            around = self.parent(around)
        return around

    def uses(self, family: str) -> bool:
        """Whether anything of this family of modules was imported."""
        return family in self.imports.families

    @cached_property
    def written(self) -> frozenset[str]:
        """Attributes that the block itself gives to something: assigned, or defined in a class."""
        found = {node.attr for node in self.nodes() if isinstance(node, ast.Attribute) and not _is_load(node)}
        for node in self.nodes():
            if isinstance(node, ast.ClassDef):
                found.update(name for each in node.body for name in _names_of(each))
        return frozenset(found)

    @cached_property
    def renamed(self) -> bool:
        """Whether the attribute `name` of anything is written: of a field of a dataclass it would become code."""
        return any(
            isinstance(node, ast.Attribute) and node.attr == "name" and not _is_load(node) for node in self.nodes()
        )

    @cached_property
    def private(self) -> frozenset[str]:
        """Private attributes of what was imported."""
        return frozenset().union(*(self.tables.private.get(module, ()) for module in self.imports.paths))


def _is_load(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Load)


def _names_of(statement: ast.stmt) -> list[str]:
    """Names that a statement of a class body binds, where it is as plain as they are."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [each.id for each in targets if isinstance(each, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case _:
            pass
    return []
