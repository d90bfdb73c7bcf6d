"""Buffers in memory, which stand where a file could: `io.StringIO()` itself, or a name that was just given one."""

import ast

from bot.core.policy.python.block import Block

_BUFFERS = frozenset({"io.StringIO", "io.BytesIO"})


def is_buffer(node: ast.AST | None, block: Block) -> bool:
    if isinstance(node, ast.Call):
        return block.member(node.func) in _BUFFERS
    if not isinstance(node, ast.Name) or block.scopes.bindings.get(node.id) != 1:
        return False
    return block.meaning(node).kind == "bound" and _was_made_before(node, block)


def _was_made_before(node: ast.Name, block: Block) -> bool:
    """Whether a statement before this one, in the same list of statements, made the buffer."""
    statement: ast.AST | None = node
    while statement is not None:
        around = block.parent(statement)
        if isinstance(around, ast.With) and any(_makes(item, node.id, block) for item in around.items):
            return statement in around.body
        body = getattr(around, "body", None)
        if isinstance(body, list) and isinstance(statement, ast.stmt) and statement in body:
            before = body[: body.index(statement)]
            if any(_assigns(each, node.id, block) for each in before):
                return True
        if isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            return False
        statement = around
    return False


def _assigns(statement: ast.stmt, name: str, block: Block) -> bool:
    match statement:
        case ast.Assign(targets=[ast.Name(id=target)], value=ast.Call() as value):
            return target == name and is_buffer(value, block)
        case _:
            pass
    return False


def _makes(item: ast.withitem, name: str, block: Block) -> bool:
    target = item.optional_vars
    return isinstance(target, ast.Name) and target.id == name and is_buffer(item.context_expr, block)
