"""From a text to a policy in force: read, checked, its examples tried; or one error that says what to mend, and where.

A revision with any fault is refused whole; whoever loads it keeps the last good one.
"""

import json
import tomllib
from collections.abc import Mapping
from datetime import date, time
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from bot.core.model import Model
from bot.core.policy.check import Misfit, Place
from bot.core.policy.commands.pattern import CommandShape
from bot.core.policy.lines import line_of
from bot.core.policy.rules import Examples, Grant, Group, Match, Policy, Rule
from bot.core.policy.trial import first_failure


class PolicyError(ValueError):
    """The text is no policy. `problems` are sentences, each with file, line where it is known, and key."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def parse_policy(text: str, name: str) -> Policy:
    """Read TOML; `name` is how errors call it. Raises PolicyError."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError((f"{name}: not TOML: {error}",)) from error
    return _whole(data, text, name)


def load_policies(texts: Mapping[str, str]) -> dict[str, Policy]:
    """Several texts by name, such as the presets. Raises PolicyError."""
    return {name: parse_policy(text, name) for name, text in texts.items()}


def _whole(data: Mapping[str, Any], text: str, name: str) -> Policy:
    try:
        policy = Policy.model_validate_json(json.dumps(data, default=_as_json))
    except ValidationError as error:
        problems = [_problem(details, data, text, name) for details in error.errors(include_url=False)]
        raise PolicyError(tuple(problems)) from error
    failure = first_failure(policy)
    if failure is not None:
        raise PolicyError((_said(failure.place, str(failure), data, text, name),))
    return policy


def _as_json(value: date | time) -> str:
    """All that TOML has and JSON lacks; a datetime is a date."""
    return value.isoformat()


def _problem(details: ErrorDetails, data: Mapping[str, Any], text: str, name: str) -> str:
    place: Place = tuple(details["loc"])
    cause = details.get("ctx", {}).get("error")
    if isinstance(cause, Misfit):
        return _said(cause.place, str(cause), data, text, name)
    match details["type"]:
        case "extra_forbidden":
            known = ", ".join(_known(place[:-1]))
            return _said(place, f"is unknown; known here: {known}", data, text, name)
        case "missing":
            return _said(place, "is required", data, text, name)
        case "value_error":
            return _said(place, str(cause), data, text, name)
        case _:
            message = details["msg"]
            return _said(place, f"is wrong: {message[:1].lower()}{message[1:]}", data, text, name)


_TABLES: Mapping[str, type[Model]] = {
    "match": Match,
    "shape": CommandShape,
    "examples": Examples,
    "rule": Rule,
    "profiles": Grant,
    "approvers": Group,
}


def _known(table: Place) -> list[str]:
    """The keys that may stand in this table."""
    inner = [part for part in table if isinstance(part, str) and part in _TABLES]
    model = _TABLES[inner[-1]] if inner else Policy
    return sorted(model.model_fields)


def _said(place: Place, sentence: str, data: Mapping[str, Any], text: str, name: str) -> str:
    line = line_of(text, place)
    where = f"{name}, line {line}" if line else name
    owner, key = _owner(place, data)
    return f"{where}: {owner}{key}{sentence}"


def _owner(place: Place, data: Mapping[str, Any]) -> tuple[str, str]:
    """Whose key it is, as people name it: `rule 'x': `; and the key itself."""
    rest = place
    owner = ""
    if len(place) > 1 and place[0] == "rule" and isinstance(place[1], int):
        rule = data["rule"][place[1]]
        named = rule.get("id") if isinstance(rule, dict) else None
        owner = f"rule {named!r}: " if isinstance(named, str) else f"rule {place[1] + 1}: "
        rest = place[2:]
    key = ".".join(part for part in rest if isinstance(part, str) and part != "[key]")
    return owner, f"{key!r} " if key else ""
