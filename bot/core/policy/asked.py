"""Limits that the fence line asks for: facts where they exceed the channel's own, refused above the ceilings."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from bot.core.config import ChannelLimits
from bot.core.limits import MEMORY_CEILING_MB, TIMEOUT_CEILING_S
from bot.core.policy.decision import Fact, Profile
from bot.core.policy.facts import LIMIT
from bot.core.policy.fields import ANY
from bot.core.snapshot import Snapshot

MEMORY_FLOOR_MB = 16


@dataclass(frozen=True, slots=True)
class Asked:
    """One limit as asked for; `usual` is the channel's own."""

    what: Literal["timeout", "memory"]
    amount: float
    usual: float

    @property
    def fact(self) -> Fact:
        unit = "s" if self.what == "timeout" else "MB"
        return Fact(kind=LIMIT, value=f"{self.what} {plain(self.amount)} {unit}")

    @property
    def words(self) -> str:
        if self.what == "timeout":
            return f"a timeout of {plain(self.amount)} s (usual here: {plain(self.usual)} s)"
        return f"{plain(self.amount)} MB of memory (usual here: {plain(self.usual)} MB)"


def plain(amount: float) -> str:
    """Exactly this number, without an exponent or zeros behind the point."""
    text = format(Decimal(repr(amount)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def asked(snapshot: Snapshot, usual: ChannelLimits | Profile) -> tuple[Asked, ...]:
    """What is asked for beyond the channel's own limits, or beyond what a profile grants."""
    found = []
    if snapshot.timeout_s is not None and snapshot.timeout_s > usual.timeout_s:
        found.append(Asked("timeout", snapshot.timeout_s, usual.timeout_s))
    if snapshot.memory_mb is not None and snapshot.memory_mb > usual.memory_mb:
        found.append(Asked("memory", snapshot.memory_mb, usual.memory_mb))
    return tuple(found)


def impossible(snapshot: Snapshot) -> tuple[str, ...]:
    """Why what is asked for cannot be had by anybody's leave."""
    reasons = []
    timeout, memory = snapshot.timeout_s, snapshot.memory_mb
    if timeout is not None and not 0 < timeout <= TIMEOUT_CEILING_S:  # so that nan is none either
        reasons.append(f"a timeout is above 0 and at most {TIMEOUT_CEILING_S:g} s, not {plain(timeout)} s")
    if memory is not None and not MEMORY_FLOOR_MB <= memory <= MEMORY_CEILING_MB:
        reasons.append(f"memory is from {MEMORY_FLOOR_MB} to {MEMORY_CEILING_MB} MB, not {memory} MB")
    return tuple(reasons)


def covers(patterns: Iterable[str], limit: Asked) -> bool:
    """Whether a pattern allows this much: `timeout 60 s` allows up to 60 s."""
    return any(_is_about(pattern, limit) and limit.amount <= _amount(pattern, float("inf")) for pattern in patterns)


def hits(patterns: Iterable[str], limit: Asked) -> bool:
    """Whether a pattern that asks or denies is about this: `timeout 60 s` is about 60 s and more."""
    return any(_is_about(pattern, limit) and limit.amount >= _amount(pattern, 0.0) for pattern in patterns)


def _is_about(pattern: str, limit: Asked) -> bool:
    return pattern == ANY or pattern.startswith(f"{limit.what} ")


def _amount(pattern: str, otherwise: float) -> float:
    words = pattern.split(" ")
    return float(words[1]) if len(words) == 3 else otherwise
