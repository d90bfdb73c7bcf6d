"""How often a password may be tried: counted by name and address, bounded in memory."""

from collections import OrderedDict
from dataclasses import dataclass

MOST_KEYS = 10_000


@dataclass(frozen=True, slots=True)
class Rate:
    times: int
    within_s: float


PER_PAIR = Rate(5, 60.0)
PER_ADDRESS = Rate(30, 60.0)
PER_NAME = Rate(60, 600.0)
"""High enough that nobody locks somebody else out by accident, low enough against guesses from many addresses."""


class Throttle:
    """A try counts before it is made, so that many at once count as many; one that succeeds is given back."""

    def __init__(self) -> None:
        self._tries: OrderedDict[tuple[str, ...], list[float]] = OrderedDict()

    def take(self, name: str, address: str, now: float) -> float:
        """Seconds to wait before the next try; 0 when this one may be made."""
        rates = _keys(name, address)
        wait = max(self._wait(key, rate, now) for key, rate in rates)
        if wait <= 0:
            for key, _ in rates:
                self._tries.setdefault(key, []).append(now)
                self._tries.move_to_end(key)
            while len(self._tries) > MOST_KEYS:
                self._tries.popitem(last=False)
        return max(wait, 0.0)

    def give_back(self, name: str, address: str) -> None:
        for key, _ in _keys(name, address):
            tries = self._tries.get(key)
            if tries:
                tries.pop()

    def _wait(self, key: tuple[str, ...], rate: Rate, now: float) -> float:
        tries = [at for at in self._tries.get(key, ()) if at > now - rate.within_s]
        if key in self._tries:
            self._tries[key] = tries
        return tries[0] + rate.within_s - now if len(tries) >= rate.times else 0.0


def _keys(name: str, address: str) -> tuple[tuple[tuple[str, ...], Rate], ...]:
    return ((("pair", name, address), PER_PAIR), (("address", address), PER_ADDRESS), (("name", name), PER_NAME))
