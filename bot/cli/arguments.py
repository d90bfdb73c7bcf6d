"""The command line as a whole: which commands there are, and how their options are read."""

import argparse
import importlib
from collections.abc import Callable, Sequence
from typing import NoReturn

from bot.cli.trouble import Misused

COMMANDS = {
    "demo": ("demo", "the web chat with demo users: no token, no account"),
    "run": ("run", "the bot with what the configuration enables"),
    "console": ("console", "one channel in this terminal"),
    "exec": ("execute", "run code in a sandbox, as the operator"),
    "blocks": ("blocks", "what would be extracted from a message"),
    "policy": ("policy", "try a policy: check, explain, test"),
    "channels": ("channels", "which channels there are, and what goes on in them"),
    "doctor": ("doctor", "check this machine and say what to do"),
    "image": ("image", "build the sandbox image"),
    "web": ("web", "users of the web chat"),
}


class Parser(argparse.ArgumentParser):
    """argparse that raises instead of printing usage and leaving."""

    def error(self, message: str) -> NoReturn:
        raise Misused(f"{self.prog} was called wrongly.", f"{message}.", f"{self.prog} --help says what it takes.")


def parse(words: Sequence[str]) -> Callable[[], int]:
    """The command, ready to be carried out. Raises Misused; `--help` and `--version` raise SystemExit(0)."""
    parser = Parser(prog="fencepost", description="Runs code fences in a hardened sandbox, once that was allowed.")
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    wanted = next((word for word in words if not word.startswith("-")), None)
    for name, (module, text) in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text)
        if name == wanted:
            importlib.import_module(f"bot.cli.{module}").arguments(command)
    args = parser.parse_args(words)
    if args.command is None:
        raise Misused("No command was given.", "fencepost does one thing at a time.", "fencepost --help lists them.")
    run: Callable[[argparse.Namespace], int] = args.run
    return lambda: run(args)


def with_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="answer as one JSON object")


def with_config(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", metavar="FILE", help="settings, instead of fencepost.toml in this directory")


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - slow, and needed only here

        try:
            text = version("fencepost")
        except PackageNotFoundError:
            text = "from a checkout"
        print(f"fencepost {text}")  # noqa: T201
        parser.exit()
