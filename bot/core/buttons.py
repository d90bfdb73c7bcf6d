"""The value of a button, which is all that comes back with a click: `v1:<request id>:<verb>:<8 hex of the binding>`.

It names the bytes that were drawn, so a click is never taken for other ones, and it needs no state to be read. Short
enough for Discord's custom_id (100 characters).
"""

import re
from dataclasses import dataclass

from bot.core.events import Verb

VERSION = "v1"

_VALUE = re.compile(rf"{VERSION}:(?P<request>[^\s:]{{1,64}}):(?P<verb>[a-z_]{{1,20}}):(?P<binding>[0-9a-f]{{8}})")


@dataclass(frozen=True, slots=True)
class ButtonValue:
    request: str
    verb: Verb
    binding: str


def button_value(request: str, verb: Verb, binding: str) -> str:
    """`binding` is the first 8 hex of the request's. ValueError where the value could not be read back."""
    value = f"{VERSION}:{request}:{verb.value}:{binding}"
    if not _VALUE.fullmatch(value):
        raise ValueError(f"not a value that a click could bring back: {value!r}")
    return value


def parse_button_value(text: str) -> ButtonValue | None:
    """What `button_value` wrote; None for everything else."""
    match = _VALUE.fullmatch(text)
    if match is None or match["verb"] not in set(Verb):
        return None
    return ButtonValue(match["request"], Verb(match["verb"]), match["binding"])
