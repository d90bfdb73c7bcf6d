"""What a Python block does, as facts; the analysis on `ast` is allow-listed throughout.

Names are capabilities. Every node of the tree is looked at, whether or not it would run: decorators, defaults,
annotations (texts in them are read as code), fields of f-strings, patterns. To load a name is to use it, so
`max(xs, key=eval)` needs no call to be seen. Nobody follows values: an argument that is not literally there is
computed, and an attribute is judged by its name, whatever it is an attribute of. What is not understood is a fact of
kind `unknown`, which no rule of a policy covers.

    parsing     text → tree, within bounds        scopes, imports, block   what a name means where it stands
    nodes       which kinds of node there are     classes                  definitions and patterns
    attributes  names after a dot                 uses                     members and builtins, by their shape
"""

from bot.core.policy.decision import Fact
from bot.core.policy.python.block import Block
from bot.core.policy.python.nodes import import_facts, node_facts
from bot.core.policy.python.parsing import NotRead, parse
from bot.core.policy.python.said import UNKNOWN

MOST_FACTS = 500


def facts_of(code: str) -> tuple[Fact, ...]:
    """Each fact once, with the first line that it is true of, in the order of their lines."""
    try:
        tree = parse(code)
    except NotRead as error:
        return (Fact(kind=UNKNOWN, value=str(error), line=error.line),)
    block = Block(tree)
    found = [*import_facts(block), *(fact for node in block.nodes() for fact in node_facts(node, block))]
    first: dict[tuple[str, str], Fact] = {}
    for fact in sorted(found, key=lambda fact: fact.line):
        first.setdefault((fact.kind, fact.value), fact)
    if len(first) > MOST_FACTS:
        return (Fact(kind=UNKNOWN, value="more code than can be looked through"), *list(first.values())[:MOST_FACTS])
    return tuple(first.values())
