"""What holds around each channel: what the composition root says of it, and whether the whole bot is halted."""

from collections.abc import Callable
from dataclasses import replace

from bot.core.keys import ChannelKey
from bot.core.site import Site

SiteOf = Callable[[ChannelKey], Site]


class Sites:
    """`halted_by` is the store's, read at the start and kept up by whoever changes it there."""

    def __init__(self, site_of: SiteOf) -> None:
        self._site_of = site_of
        self.halted_by: str | None = None

    def __call__(self, channel: ChannelKey) -> Site:
        return replace(self._site_of(channel), halted=self.halted_by)
