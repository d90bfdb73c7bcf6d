"""What an admin sets for a channel."""

from typing import Literal

from pydantic import Field

from bot.core.limits import MEMORY_CEILING_MB, TIMEOUT_CEILING_S
from bot.core.model import Model

Trigger = Literal["mention", "always", "off"]


class ChannelLimits(Model):
    """Limits of executions in this channel; sizes and times as in `executor.types.Limits`.

    `slots` executions run at once, `queue` more may wait, of which `per_user` (running ones counted) of one person.
    """

    timeout_s: float = Field(default=10.0, gt=0, le=TIMEOUT_CEILING_S)
    memory_mb: int = Field(default=512, ge=16, le=MEMORY_CEILING_MB)
    slots: int = Field(default=4, ge=1, le=64)
    queue: int = Field(default=20, ge=0, le=1000)
    per_user: int = Field(default=3, ge=1, le=1000)


class ChannelConfig(Model):
    """The settings of one channel.

    `trigger` says which messages are taken up: those that mention the bot, always (any fence in a language of the
    channel), or off (buttons and commands only). `sources` names bots (`platform:id`) whose messages may carry code;
    people always may. `echo` shows the value of a Python program's last expression where it printed nothing.
    """

    schema_version: Literal[1] = 1
    trigger: Trigger = "mention"
    languages: tuple[str, ...] = ("python", "bash", "sh")
    sources: tuple[str, ...] = ()
    echo: bool = True
    limits: ChannelLimits = ChannelLimits()
