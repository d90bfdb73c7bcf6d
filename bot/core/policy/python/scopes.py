"""Which names a block binds, and where: so that what a name means is known where it is used.

A name of a function's own never means anything but what the function bound. A name of a module or class, where nothing
was bound to it yet, means the builtin of that name: `f = eval` above `eval = 1` is the real one.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

ScopeKind = Literal["module", "class", "function", "comprehension"]
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(slots=True, eq=False)
class Scope:
    """`bound` are names that something here binds, `shared` those that `global` takes from the module, `outer` those
    that `nonlocal` takes from the function around.
    """

    kind: ScopeKind
    parent: "Scope | None" = None
    bound: set[str] = field(default_factory=set)
    shared: set[str] = field(default_factory=set)
    outer: set[str] = field(default_factory=set)

    def chain(self) -> Iterator["Scope"]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def has(self, name: str) -> Literal["own", "module", "no"]:
        """`own`: a function bound it, nothing else can be meant. `module`: module or class bind it somewhere."""
        found: Literal["module", "no"] = "no"
        for scope in self.chain():
            if scope.kind == "module":
                return "module" if name in scope.bound else found
            if scope.kind == "class":
                if scope is self and name in scope.shared | scope.bound:
                    found = "module"
                    if name in scope.bound:
                        return found
                    return "module" if name in self.module.bound else "no"
                continue
            if name in scope.shared:
                return "module" if name in self.module.bound else "no"
            if name in scope.bound and name not in scope.outer:
                return "own"
        return found  # pragma: no cover (the last of a chain is a module)

    @property
    def module(self) -> "Scope":
        return [*self.chain()][-1]


@dataclass(slots=True)
class Scopes:
    """`of` has the scope in which each node is evaluated, `bindings` how often the block binds a name, anywhere."""

    of: dict[ast.AST, Scope]
    bindings: dict[str, int]


def scopes(tree: ast.Module) -> Scopes:
    """Walks without recursion, so that depth costs nothing."""
    top = Scope("module")
    found = Scopes({}, {})
    shared: set[str] = set()
    todo: list[tuple[ast.AST, Scope]] = [(tree, top)]
    while todo:
        node, scope = todo.pop()
        found.of[node] = scope
        if isinstance(node, ast.Global):
            scope.shared.update(node.names)
            shared.update(node.names)
        elif isinstance(node, ast.Nonlocal):
            scope.outer.update(node.names)
        else:
            for name in bound_by(node):
                scope.bound.add(name)
                found.bindings[name] = found.bindings.get(name, 0) + 1
        todo.extend(_inside(node, scope))
    top.bound.update(shared & found.bindings.keys())
    return found


def bound_by(node: ast.AST) -> tuple[str, ...]:
    """Names that this very node binds or unbinds."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
            return (name,)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.alias(name=name, asname=asname):
            return (asname or name.partition(".")[0],)
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return (name,)
        case ast.MatchMapping(rest=str(name)):
            return (name,)
        case _:
            pass
    return ()


def _inside(node: ast.AST, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
    """The children of a node, each with the scope in which it is evaluated."""
    if isinstance(node, _FUNCTIONS):
        inner = Scope("function", scope)
        arguments = node.args
        outside = [*arguments.defaults, *(each for each in arguments.kw_defaults if each is not None)]
        if not isinstance(node, ast.Lambda):
            outside += [*node.decorator_list, *([node.returns] if node.returns else [])]
        parameters = _parameters(arguments)
        outside += [each.annotation for each in parameters if each.annotation is not None]
        yield from ((each, scope) for each in outside)
        yield from ((each, inner) for each in parameters)
        yield from ((each, inner) for each in (node.body if isinstance(node.body, list) else [node.body]))
    elif isinstance(node, ast.ClassDef):
        inner = Scope("class", scope)
        body = set(node.body)
        yield from ((each, inner if each in body else scope) for each in ast.iter_child_nodes(node))
    elif isinstance(node, _COMPREHENSIONS):
        inner = Scope("comprehension", scope)
        for number, each in enumerate(node.generators):
            yield each.iter, inner if number else scope
            yield from ((part, inner) for part in (each.target, *each.ifs))
        yield from ((each, inner) for each in ast.iter_child_nodes(node) if not isinstance(each, ast.comprehension))
    elif isinstance(node, ast.NamedExpr):
        yield node.target, next(each for each in scope.chain() if each.kind != "comprehension")
        yield node.value, scope
    elif not isinstance(node, ast.arg):  # its annotation was handed out by the function
        yield from ((each, scope) for each in ast.iter_child_nodes(node))


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    single = [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *single]
