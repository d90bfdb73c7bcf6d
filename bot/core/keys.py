"""Names of places and people.

A channel is `platform:workspace/channel`, a user `platform:id`; both are opaque outside the adapter of that platform.
"""

import re
from dataclasses import dataclass

_PART = re.compile(r"[^\s:/]+")


@dataclass(frozen=True, slots=True, order=True)
class ChannelKey:
    """A place of talk: a Slack channel, a Discord channel of a guild, a channel of the web page, the console."""

    platform: str
    workspace: str
    channel: str

    def __post_init__(self) -> None:
        for part in (self.platform, self.workspace, self.channel):
            if not _PART.fullmatch(part):
                raise ValueError(f"a channel key is platform:workspace/channel without blanks, not {part!r}")

    def __str__(self) -> str:
        return f"{self.platform}:{self.workspace}/{self.channel}"

    @classmethod
    def parse(cls, text: str) -> "ChannelKey":
        """Read back what `str` wrote; ValueError names the text otherwise."""
        platform, colon, rest = text.partition(":")
        workspace, slash, channel = rest.partition("/")
        if not (colon and slash):
            raise ValueError(f"not a channel key (platform:workspace/channel): {text!r}")
        return cls(platform, workspace, channel)


@dataclass(frozen=True, slots=True)
class Actor:
    """Whoever caused an event, with what the platform said of them at that moment.

    `id` is `platform:id`. `standing` holds marks such as `web_roles:lead`, `slack_usergroups:S012AB` or
    `discord_roles:998877`, looked up for this very event and never cached; None means that the look-up failed, and
    then the actor may decide nothing. `admin` is whether the platform lets them administer the channel.
    """

    id: str
    name: str
    standing: frozenset[str] | None = frozenset()
    admin: bool = False
    is_bot: bool = False
