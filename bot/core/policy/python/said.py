"""Making facts: each with the line of what it is about."""

import ast

from bot.core.policy.decision import Fact

Facts = tuple[Fact, ...]
UNKNOWN = "unknown"


def fact(kind: str, value: str, node: ast.AST) -> Fact:
    return Fact(kind=kind, value=value, line=getattr(node, "lineno", 0))


def unknown(what: str, node: ast.AST) -> Fact:
    return fact(UNKNOWN, what, node)
