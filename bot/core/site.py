"""What holds around a channel while one event is stepped: read-only, handed in by the shell, never saved with the
state.
"""

from dataclasses import dataclass

from bot.core.config import ChannelConfig
from bot.core.languages import LanguageTable
from bot.core.policy.rules import Policy


@dataclass(frozen=True, slots=True)
class Site:
    """`policy` is the channel's, without its remembered rules, and `policy_name` what people call it; `image` is the
    digest of the sandbox image.

    `halted` names whoever halted the whole bot, None while it runs. `channel_name` is how people call the channel.
    """

    config: ChannelConfig
    policy: Policy
    policy_name: str
    languages: LanguageTable
    image: str = ""
    channel_name: str = ""
    halted: str | None = None

    def display(self, language: str) -> str:
        """How people call a language; its own name where the table has lost it since."""
        known = self.languages.find(language)
        return known.display if known else language
