"""The one way out of the analysis: this is not understood."""

from tree_sitter import Node


class Opaque(Exception):
    """`what` is a phrase that follows "not understood:". `line` counts from 1, 0 is the whole text."""

    def __init__(self, what: str, where: Node | int = 0) -> None:
        super().__init__(what)
        self.what = what
        self.line = where if isinstance(where, int) else line_of(where)


def line_of(node: Node) -> int:
    return node.start_point.row + 1
