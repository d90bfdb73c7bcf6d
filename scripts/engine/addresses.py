"""Where a Docker engine may be, and whether one answers there."""

import json
import os
import socket
from collections.abc import Mapping
from enum import Enum
from pathlib import Path

from scripts.engine.trouble import Trouble


class Answer(Enum):
    """What an address said when it was asked whether a Docker engine is behind it."""

    YES = "yes"
    NO = "no"
    DENIED = "denied"


def candidates(own: str) -> list[str]:
    """Addresses to ask, in order of precedence; `own` is that of our own engine."""
    if address := chosen_address(os.environ):
        return [address]
    return addresses(own, Path.home(), os.environ, context_address(Path.home() / ".docker", os.environ))


def chosen_address(environ: Mapping[str, str]) -> str | None:
    return environ.get("FENCEPOST_DOCKER__HOST") or environ.get("DOCKER_HOST") or None


def addresses(own: str, home: Path, environ: Mapping[str, str], context: str | None) -> list[str]:
    """The Docker context in use, the system's socket, the usual places of rootless and desktop engines, and our own."""
    runtime = environ.get("XDG_RUNTIME_DIR")
    found = [
        context,
        "unix:///var/run/docker.sock",
        f"unix://{runtime}/docker.sock" if runtime else None,
        f"unix://{home}/.docker/run/docker.sock",
        own,
    ]
    return list(dict.fromkeys(address for address in found if address))


def context_address(folder: Path, environ: Mapping[str, str]) -> str | None:
    """The address of the Docker context in use, from the docker client's files; None for the default one."""
    name = environ.get("DOCKER_CONTEXT")
    try:
        name = name or json.loads((folder / "config.json").read_text()).get("currentContext")
        for meta in (folder / "contexts" / "meta").glob("*/meta.json"):
            context = json.loads(meta.read_text())
            if context["Name"] == name:
                return str(context["Endpoints"]["docker"]["Host"]) or None
    except (OSError, ValueError, KeyError, AttributeError):
        return None
    return None


def ask(choices: list[str]) -> tuple[str | None, list[str]]:
    """The first address with an engine behind it, and those that refused us."""
    denied: list[str] = []
    for address in choices:
        answer = ping(address)
        if answer is Answer.YES:
            return address, denied
        if answer is Answer.DENIED:
            denied.append(address)
    return None, denied


def refuse_chosen_address() -> None:
    """Where the user names an engine, no other takes its place."""
    if address := chosen_address(os.environ):
        raise Trouble(
            f"no Docker engine answers at {address}",
            "FENCEPOST_DOCKER__HOST or DOCKER_HOST names it, so no other is tried",
            "start that engine, or unset the variable",
        )


def ping(address: str, timeout: float = 5.0) -> Answer:
    if not address.startswith("unix://"):
        return ping_remote(address, timeout)
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(timeout)
            connection.connect(address.removeprefix("unix://"))
            connection.sendall(b"GET /_ping HTTP/1.0\r\nHost: docker\r\n\r\n")
            return Answer.YES if b" 200 " in connection.recv(64) else Answer.NO
    except PermissionError:
        return Answer.DENIED
    except OSError:
        return Answer.NO


def ping_remote(address: str, timeout: float) -> Answer:
    try:
        import docker  # noqa: PLC0415 - see the head of this package
    except ImportError:
        raise Trouble(
            f"cannot ask the engine at {address}",
            "the Docker SDK is not installed in this Python",
            "run `make venv`, then repeat",
        ) from None
    try:
        client = docker.from_env(
            environment={**os.environ, "DOCKER_HOST": address},
            timeout=timeout,
            use_ssh_client=address.startswith("ssh://"),
        )
        return Answer.YES if client.ping() else Answer.NO
    except (docker.errors.DockerException, OSError):
        return Answer.NO


def exports(address: str) -> dict[str, str]:
    return {"DOCKER_HOST": address, "FENCEPOST_DOCKER__HOST": address}
