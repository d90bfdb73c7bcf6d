"""Arguments of one call by their names, where the call spells each of them out."""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Arguments:
    """`positions` name the positional ones in their order."""

    named: Mapping[str, ast.expr]

    @classmethod
    def of(cls, call: ast.Call, *positions: str) -> Self | None:
        """None where something is unpacked, given twice, or beyond the named positions."""
        if len(call.args) > len(positions) or any(isinstance(each, ast.Starred) for each in call.args):
            return None
        named = dict(zip(positions, call.args, strict=False))
        for keyword in call.keywords:
            if keyword.arg is None or keyword.arg in named:
                return None
            named[keyword.arg] = keyword.value
        return cls(named)

    def get(self, name: str) -> ast.expr | None:
        return self.named.get(name)

    def has_only(self, names: Iterable[str]) -> bool:
        return self.named.keys() <= set(names)
