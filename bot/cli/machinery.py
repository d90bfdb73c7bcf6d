"""Settings and sandboxes for commands, with their failures as three lines."""

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.trouble import Misused, Trouble
from executor.errors import EngineUnavailable, ExecutorError, ImageMissing, InvalidExecution

if TYPE_CHECKING:
    from bot.settings import Loaded, Settings


def settings_of(args: Namespace) -> "Loaded":
    """The settings that a command goes by. Wrong ones are wrong usage."""
    from bot.settings import load  # noqa: PLC0415 - pydantic takes its time
    from bot.settings_layers import SettingsError  # noqa: PLC0415

    try:
        return load(Path(args.config) if args.config else None)
    except SettingsError as error:
        what = f"The setting {error.key} cannot be used ({error.origin})."
        raise Misused(what, error.why, error.fix) from error


@contextmanager
def explained(settings: "Settings") -> Iterator[None]:
    """Failures of the executor become Trouble."""
    try:
        yield
    except ExecutorError as error:
        raise trouble_of(error, settings) from error


def trouble_of(error: ExecutorError, settings: "Settings") -> Trouble:
    cause = str(error.__cause__ or "").strip().split("\n")[0]
    match error:
        case EngineUnavailable():
            why = f"{settings.docker.host} was asked{f': {cause}' if cause else ''}."
            return Trouble(str(error), why, "Start Docker, or say where it is: FENCEPOST_DOCKER__HOST=unix:///path.")
        case ImageMissing():
            return Trouble(str(error), "Sandboxes are made from it.", "fencepost image build makes it.")
        case InvalidExecution():
            return Misused(str(error), "A sandbox cannot run that.", "Change what is asked for.")
        case _:
            return Trouble(str(error), cause or "The engine's log may tell.", "fencepost doctor checks this machine.")
