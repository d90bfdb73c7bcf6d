"""Ending in order when the terminal or the service manager says so."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def on_end(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` at the first of SIGINT, SIGTERM and SIGHUP. The next one is passed over, so that an impatient second
    Ctrl-C leaves nothing behind; the one after that ends the process where it stands.
    """
    loop = asyncio.get_running_loop()
    seen = 0

    def ending() -> None:
        nonlocal seen
        seen += 1
        if seen == 1:
            stop()
        else:
            for number in _ENDING:
                loop.remove_signal_handler(number)
                signal.signal(number, signal.SIG_DFL)

    for number in _ENDING:
        loop.add_signal_handler(number, ending)
    try:
        yield
    finally:
        for number in _ENDING:
            loop.remove_signal_handler(number)
