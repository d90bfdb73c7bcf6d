"""Settings and sandboxes for commands, with their failures as three lines."""

import logging
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.trouble import Misused, Trouble
from executor.errors import EngineUnavailable, ExecutorError, ImageMissing, InvalidExecution

if TYPE_CHECKING:
    from bot.settings import Loaded, Settings
    from bot.settings_layers import SettingsError


def settings_of(args: Namespace) -> "Loaded":
    """The settings that a command goes by. Wrong ones are wrong usage."""
    from bot.settings import load  # noqa: PLC0415 - pydantic takes its time
    from bot.settings_layers import SettingsError  # noqa: PLC0415

    try:
        return load(Path(args.config) if args.config else None)
    except SettingsError as error:
        raise Misused(_unusable(error), error.why, error.fix) from error


def _unusable(error: "SettingsError") -> str:
    if error.origin == "together":
        return "The settings cannot be used together."
    if Path(error.origin).name == error.key:
        return f"{error.origin} cannot be used."
    return f"The setting {error.key} cannot be used ({error.origin})."


def quiet_logs() -> None:
    """A command that speaks for itself says nothing in the log's words."""
    logging.getLogger().addHandler(logging.NullHandler())


@contextmanager
def explained(settings: "Settings") -> Iterator[None]:
    """Failures of the executor become Trouble."""
    try:
        yield
    except ExecutorError as error:
        raise trouble_of(error, settings) from error


def trouble_of(error: ExecutorError, settings: "Settings") -> Trouble:
    cause = str(error.__cause__ or "").strip().split("\n")[-1].rstrip(".")
    match error:
        case EngineUnavailable():
            why = f"{settings.docker.host} was asked{f': {cause}' if cause else ''}."
            return Trouble(str(error), why, "Start Docker, or say where it is: FENCEPOST_DOCKER__HOST=unix:///path.")
        case ImageMissing():
            return Trouble(str(error), "Sandboxes are made from it.", "fencepost image build makes it.")
        case InvalidExecution():
            return Misused(str(error), "A sandbox cannot run that.", "Change what is asked for.")
        case _:
            why = f"{cause}." if cause else "The engine's log may tell."
            return Trouble(str(error), why, "fencepost doctor checks this machine.")


@contextmanager
def opening(settings: "Settings") -> Iterator[None]:
    """Around the opening of a bot: what keeps it from starting becomes Trouble."""
    from adapters.storage.lock import DataDirInUse  # noqa: PLC0415 - only a bot needs these
    from bot.core.policy.load import PolicyError  # noqa: PLC0415
    from bot.ports import PlatformUnavailable, StoreUnavailable  # noqa: PLC0415

    try:
        yield
    except PolicyError as error:
        raise Misused(
            "The policy cannot be used.", error.problems[0], "fencepost policy test FILE tries it."
        ) from error
    except ValueError as error:
        raise Misused(
            "The settings cannot be used.", f"{error}.", "config/default.toml says what they may be."
        ) from error
    except DataDirInUse as error:
        raise Trouble("Another Fencepost is running.", str(error), "Use that one, or a folder of its own.") from error
    except (StoreUnavailable, PlatformUnavailable) as error:
        why = f"{error}"
        raise Trouble("What was kept cannot be opened.", why, f"See to {settings.data}; fencepost doctor.") from error


def check_port(host: str, port: int) -> None:
    """Misused where the web chat could not listen there."""
    import socket  # noqa: PLC0415

    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        what = f"The web chat cannot listen on {host}:{port}."
        raise Misused(what, f"{error.strerror or error}.", "Set FENCEPOST_WEB__PORT to another one.") from error
