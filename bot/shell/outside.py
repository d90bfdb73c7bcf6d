"""All that the shell's effects reach, as one value."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.ports import Blobs, Clock, Gateway, Sandboxes, Store


@dataclass(frozen=True, slots=True)
class Outside:
    """`gateways` are by platform."""

    store: Store
    blobs: Blobs
    sandboxes: Sandboxes
    gateways: Mapping[str, Gateway]
    clock: Clock
