"""Where settings come from: TOML files and FENCEPOST_… variables, each value remembered with its origin.

Layers, the later over the earlier: `config/default.toml`, a fencepost.toml, the variables. Nothing here knows which
settings exist but for the model that it is handed.
"""

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, TypeGuard, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError

PREFIX = "FENCEPOST_"
NOT_SETTINGS = frozenset({"FENCEPOST_STATE", "FENCEPOST_CACHE", "FENCEPOST_SANDBOX_IMAGE", "FENCEPOST_TEST_DOCKER"})
"""Variables of the scripts and of the tests, which are no settings of the bot."""

_HEADER = re.compile(r"\s*\[\s*([A-Za-z0-9_.\-\s]+?)\s*\]")
_KEY = re.compile(r"\s*([A-Za-z0-9_.\-]+)\s*=")

Key = tuple[str, ...]


class SettingsError(Exception):
    """A setting that cannot be used: `origin` is a file with line or a variable, "together" where
    several do not agree; `why` and `fix` are sentences.
    """

    def __init__(self, key: str, origin: str, why: str, fix: str) -> None:
        super().__init__(f"{key} ({origin}): {why} {fix}")
        self.key, self.origin, self.why, self.fix = key, origin, why, fix


@dataclass(frozen=True, slots=True)
class Value:
    """One leaf. `text` says that it is still a variable's text, to be read as the type of its field."""

    value: object
    origin: str
    text: bool = False


Layer = dict[Key, Value]


def toml_layer(path: Path) -> Layer:
    """The leaves of a TOML file."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            path.name, str(path), f"The file cannot be read: {error}.", "Name a readable one."
        ) from error
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(path.name, str(path), f"This is not TOML: {error}.", "Mend that line.") from error
    lines = _lines(text)
    layer: Layer = {}
    for key, value in _leaves(tree):
        line = lines.get(key)
        layer[key] = Value(value, f"{path}:{line}" if line else str(path))
    return layer


def variable_layer(environ: Mapping[str, str]) -> Layer:
    """The FENCEPOST_… variables, `__` between the parts of a key."""
    layer: Layer = {}
    for name in sorted(environ):
        if name.startswith(PREFIX) and name not in NOT_SETTINGS:
            key = tuple(name.removeprefix(PREFIX).lower().split("__"))
            layer[key] = Value(environ[name], f"variable {name}", text=True)
    return layer


def merged(layers: list[Layer]) -> Layer:
    """The last layer that names a key wins; lists are replaced, not joined."""
    return {key: value for layer in layers for key, value in layer.items()}


def tree_of(leaves: Layer, model: type[BaseModel]) -> dict[str, Any]:
    """The nested dictionary that `model` is validated from; SettingsError for a key that it does not have."""
    tree: dict[str, Any] = {}
    for key, leaf in leaves.items():
        annotation = _annotation(model, key, leaf)
        value = _parsed(annotation, key, leaf) if leaf.text else leaf.value
        node = tree
        for part in key[:-1]:
            node = node.setdefault(part, {})
        node[key[-1]] = value
    return tree


def dotted(key: Key) -> str:
    return ".".join(key)


def known_keys(model: type[BaseModel], prefix: Key = ()) -> Iterator[Key]:
    for name, field in model.model_fields.items():
        if _is_section(field.annotation):
            yield from known_keys(field.annotation, (*prefix, name))
        else:
            yield (*prefix, name)


def _is_section(annotation: Any) -> TypeGuard[type[BaseModel]]:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _annotation(model: type[BaseModel], key: Key, leaf: Value) -> Any:
    annotation: Any = model
    metadata: list[Any] = []
    for part in key:
        field = annotation.model_fields.get(part) if _is_section(annotation) else None
        if field is None:
            raise SettingsError(dotted(key), leaf.origin, "There is no such setting.", _did_you_mean(model, key))
        annotation, metadata = field.annotation, field.metadata
    if _is_section(annotation):
        fix = f"Set one of: {', '.join(dotted(k) for k in known_keys(annotation, key))}."
        raise SettingsError(dotted(key), leaf.origin, "This is a section, not a setting.", fix)
    return _with(annotation, metadata)


def _with(annotation: Any, metadata: list[Any]) -> Any:
    return Annotated[(annotation, *metadata)] if metadata else annotation


def _did_you_mean(model: type[BaseModel], key: Key) -> str:
    names = [dotted(k) for k in known_keys(model)]
    close = difflib.get_close_matches(dotted(key), names, n=1, cutoff=0.6)
    if close:
        return f"Did you mean {close[0]}? Otherwise remove it; all settings stand in config/default.toml."
    return "Remove it; all settings stand in config/default.toml."


def _parsed(annotation: Any, key: Key, leaf: Value) -> object:
    text = str(leaf.value)
    try:
        if element := _element(annotation):
            adapter: TypeAdapter[Any] = TypeAdapter(element)
            return [adapter.validate_strings(part.strip()) for part in text.split(",") if part.strip()]
        return TypeAdapter(annotation).validate_strings(text)
    except ValidationError as error:
        raise SettingsError(dotted(key), leaf.origin, why(error), f"Change or unset it; it is {text!r} now.") from None


def _element(annotation: Any) -> Any:
    """The type of a list setting's elements, None where the setting is no list."""
    while hasattr(annotation, "__metadata__"):
        annotation = annotation.__origin__
    if get_origin(annotation) in {Union, UnionType}:
        annotation = next((a for a in get_args(annotation) if get_origin(a) is tuple), None)
    return get_args(annotation)[0] if get_origin(annotation) is tuple else None


def why(error: ValidationError) -> str:
    """The first complaint as a sentence."""
    message = error.errors(include_url=False, include_input=False)[0]["msg"]
    return message.removeprefix("Value error, ").rstrip(".") + "."


def _leaves(tree: Mapping[str, Any], prefix: Key = ()) -> Iterator[tuple[Key, object]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*prefix, name))
        else:
            yield (*prefix, name), value


def _lines(text: str) -> dict[Key, int]:
    """The line of each plain `key = value`; quoted keys and inline tables are not found, and then the file is named."""
    found: dict[Key, int] = {}
    section: Key = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            section = tuple(part.strip() for part in header[1].split("."))
        elif key := _KEY.match(line):
            found.setdefault((*section, *key[1].split(".")), number)
    return found
