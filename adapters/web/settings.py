"""What the web chat is told at start; it is valid or it does not exist."""

import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path

CHANNEL_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}")


@dataclass(frozen=True, slots=True)
class WebChannel:
    """A channel of the page; its key in the core is `web:local/<id>`. `about` says in a line what it is for."""

    id: str
    name: str = ""
    about: str = ""

    def __post_init__(self) -> None:
        if not CHANNEL_ID.fullmatch(self.id):
            raise ValueError(f"a web channel's id is lower-case letters, digits, - and _, not {self.id!r}")

    @property
    def title(self) -> str:
        return self.name or self.id


DEMO_CHANNELS = (
    WebChannel("general", about="Paste a fence to run it; what the policy does not cover asks a lead."),
    WebChannel("data", about="Numbers, tables and pictures."),
    WebChannel("ops", about="Strict: everything asks."),
)


@dataclass(frozen=True, slots=True)
class WebSettings:
    """`port` 0 takes a free one. `allowed_hosts` are further names under which the page may be asked for (a proxy's,
    a container's); on a loopback address and in demo mode any other name is refused, so that a page of somebody else
    cannot reach this one by a name of its own that points here. `cookies_over_tls` marks the login cookie Secure.
    """

    data_dir: Path
    channels: tuple[WebChannel, ...] = DEMO_CHANNELS
    host: str = "127.0.0.1"
    port: int = 8137
    demo: bool = False
    demo_for_everyone: bool = False
    allowed_hosts: tuple[str, ...] = ()
    cookies_over_tls: bool = False
    heartbeat_s: float = 15.0
    slow_client_s: float = 10.0

    def __post_init__(self) -> None:
        if not self.channels:
            raise ValueError("web: there is no channel; name at least one")
        if len({channel.id for channel in self.channels}) < len(self.channels):
            raise ValueError("web: two channels have the same id")
        if self.demo and not self.is_loopback and not self.demo_for_everyone:
            raise ValueError(
                f"web.host {self.host!r} is reachable by others and the demo asks nobody for a password; "
                "take 127.0.0.1, or allow it expressly"
            )

    @property
    def is_loopback(self) -> bool:
        return is_loopback(self.host)

    @property
    def checks_hosts(self) -> bool:
        return self.is_loopback or self.demo or bool(self.allowed_hosts)


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
