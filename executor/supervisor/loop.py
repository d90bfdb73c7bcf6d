"""Waits for descriptors. What happens when is the business of those who register here; nothing here waits for them."""

import contextlib
import selectors
from collections.abc import Callable
from typing import Final

_READ: Final = selectors.EVENT_READ
_WRITE: Final = selectors.EVENT_WRITE


class Loop:
    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()

    def when_readable(self, descriptor: int, callback: Callable[[], None]) -> None:
        self._selector.register(descriptor, _READ, callback)

    def when_writable(self, descriptor: int, callback: Callable[[], None]) -> None:
        self._selector.register(descriptor, _WRITE, callback)

    def forget(self, descriptor: int) -> None:
        """No matter whether it is registered, or closed (-1)."""
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(descriptor)

    def turn(self, timeout: float | None) -> bool:
        """Call back for whatever is ready, waiting until then. Whether anything was."""
        ready = self._selector.select(timeout)
        for key, _ in ready:
            current = self._selector.get_map().get(key.fd)
            if current is not None and current.data is key.data:  # an earlier callback may have forgotten it
                key.data()
        return bool(ready)
