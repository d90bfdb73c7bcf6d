"""Rings when something in the store has changed; whoever listens looks into the store for what it was."""

import asyncio


class Bell:
    def __init__(self) -> None:
        self._next = asyncio.Event()

    def ring(self) -> None:
        self._next.set()
        self._next = asyncio.Event()

    @property
    def next(self) -> asyncio.Event:
        """The next ring. Take it before looking, wait for it after: a change in between is not missed."""
        return self._next
