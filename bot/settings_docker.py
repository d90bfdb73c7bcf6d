"""Which engine is meant where no setting names one: DOCKER_HOST, else the first socket that there is."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

DEFAULT_SOCKET = "/var/run/docker.sock"


def default_host(environ: Mapping[str, str], sockets: Iterator[Path] | None = None) -> str:
    if host := environ.get("DOCKER_HOST"):
        return host
    found = (path for path in sockets or known_sockets(environ, os.geteuid()) if path.is_socket())
    return f"unix://{next(found, Path(DEFAULT_SOCKET))}"


def check_host(text: str) -> None:
    """ValueError where this is no address that an engine can be asked at."""
    parts = urlsplit(text)
    if parts.scheme == "unix" and parts.netloc + parts.path:
        return
    if parts.scheme in {"tcp", "http"} and parts.hostname and parts.port != 0:  # `port` raises for one that is none
        return
    raise ValueError("An engine's address is unix:///path or tcp://host:port")


def known_sockets(environ: Mapping[str, str], uid: int) -> Iterator[Path]:
    """The system's, those of rootless and desktop engines, and that of the engine which `make engine` starts."""
    home = Path(environ.get("HOME") or Path.home())
    yield Path(DEFAULT_SOCKET)
    if runtime := environ.get("XDG_RUNTIME_DIR"):
        yield Path(runtime) / "docker.sock"
    yield home / ".docker/run/docker.sock"
    state = Path(environ.get("XDG_STATE_HOME") or home / ".local/state") / "fencepost"
    own = Path(environ.get("FENCEPOST_STATE") or ("/var/lib/fencepost" if uid == 0 else state))
    yield own / "engine/docker.sock"
