"""Requests to hosts: the URL stands in the code, and nothing beside it says where to go instead."""

import ast

from bot.core.policy.python.arguments import Arguments
from bot.core.policy.python.block import Block
from bot.core.policy.python.literals import host, text
from bot.core.policy.python.said import Facts, fact

_HARMLESS = frozenset({"timeout", "params", "headers", "json", "data", "allow_redirects", "stream", "follow_redirects"})
VERBS = ("get", "post", "put", "patch", "delete", "head", "options")


def requested(node: ast.AST, block: Block) -> Facts | None:
    """`requests.get(URL, timeout=10)` and its like; where a host sends on to another, the profile's network decides."""
    call = block.call_of(node)
    if call is None:
        return None
    arguments = Arguments.of(call, "url", *(() if node_verb(node, block) != "post" else ("data", "json")))
    if arguments is None or not arguments.has_only({"url", *_HARMLESS, "auth"}):
        return None
    auth = arguments.get("auth")
    if auth is not None and not isinstance(auth, ast.Tuple):  # an object would get to see the request
        return None
    return reached(arguments.get("url"), call)


def node_verb(node: ast.AST, block: Block) -> str:
    return (block.member(node) or "").rpartition(".")[2]


def opened(node: ast.AST, block: Block) -> Facts | None:
    """`urllib.request.urlopen(URL)`."""
    call = block.call_of(node)
    arguments = None if call is None else Arguments.of(call, "url", "data", "timeout")
    if call is None or arguments is None or not arguments.has_only({"url", "data", "timeout"}):
        return None
    return reached(arguments.get("url"), call)


def reached(url: ast.AST | None, call: ast.Call) -> Facts | None:
    written = text(url)
    name = None if written is None else host(written)
    return None if name is None else (fact("net", name, call),)
