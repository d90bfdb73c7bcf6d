"""From text to tree, within bounds: what cannot be read, or is too deep to be looked at, is said and not looked at.

Annotations that are texts are read as the code that they stand for, since libraries evaluate them.
"""

import ast
import sys
import warnings

from bot.core.policy.python.tables import tables

MOST_DEPTH = 200
"""Levels of the tree. A page of ordinary code has 25."""

MOST_TEXTS_IN_TEXTS = 3


class NotRead(Exception):
    """The code has no tree that could be judged. The text says why; `line` counts from 1, 0 is the whole of it."""

    def __init__(self, why: str, line: int = 0) -> None:
        super().__init__(why)
        self.line = line


def parse(code: str) -> ast.Module:
    """Raises NotRead."""
    if sys.version_info[:2] < tables().python:
        image = ".".join(map(str, tables().python))
        raise NotRead(f"code for Python {image}, which is newer than the analysis")
    tree = _parsed(code, "exec")
    if not isinstance(tree, ast.Module):  # pragma: no cover (what "exec" means)
        raise NotRead("no module")
    for _ in range(MOST_TEXTS_IN_TEXTS):
        if not _expand(tree):
            break
    else:
        raise NotRead("annotations in annotations")
    _measure(tree)
    return tree


def _parsed(code: str, mode: str) -> ast.AST:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree: ast.AST = ast.parse(code, mode=mode)
    except SyntaxError as error:
        line = error.lineno or 0
        raise NotRead("what is not valid Python", line if 0 < line <= code.count("\n") + 1 else 0) from None
    except (ValueError, RecursionError, MemoryError):
        raise NotRead("what is nested too deeply or cannot be read") from None
    _measure(tree)
    return tree


def _measure(tree: ast.AST) -> None:
    level = [tree]
    for _ in range(MOST_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    raise NotRead("what is nested too deeply", getattr(level[0], "lineno", 0))


def _expand(tree: ast.AST) -> bool:
    """Replace texts in annotations by the expressions that they hold; whether there were any."""
    found = False
    for owner in list(ast.walk(tree)):
        for field in ("annotation", "returns"):
            annotation = getattr(owner, field, None)
            if isinstance(annotation, ast.AST):
                expander = _Expander()
                setattr(owner, field, expander.visit(annotation))
                found = found or expander.found
    return found


class _Expander(ast.NodeTransformer):
    """Texts below one annotation; those that `Literal[…]` lists are values."""

    def __init__(self) -> None:
        self.found = False

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        name = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
        return node if name == "Literal" else self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if not isinstance(node.value, str):
            return node
        self.found = True
        try:
            tree = _parsed(node.value, "eval")
        except NotRead as error:
            raise NotRead("an annotation that is no expression", node.lineno) from error
        if not isinstance(tree, ast.Expression):  # pragma: no cover (what "eval" means)
            raise NotRead("an annotation that is no expression", node.lineno)
        for each in ast.walk(tree.body):
            if isinstance(each, ast.expr):
                each.lineno, each.end_lineno = node.lineno, node.end_lineno
        return tree.body
