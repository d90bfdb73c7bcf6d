"""The commands: see --help."""

import argparse
import os
import sys

from scripts.engine.addresses import ask, candidates, exports, refuse_chosen_address
from scripts.engine.machine import obstacle, this_machine
from scripts.engine.own import Folder, install, locked, our_pid, settle, start, state_folder, stop
from scripts.engine.trouble import Trouble, say


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    try:
        return run(options)
    except Trouble as trouble:
        say(str(trouble))
        return 1
    except KeyboardInterrupt:
        return 130


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts.engine", description="Find, start or stop the Docker engine.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("up", help="find an engine, or install and start one; print its address")
    commands.add_parser("address", help="print the address of the engine that answers; exit 1 where none does")
    commands.add_parser("env", help="print the address as shell exports")
    commands.add_parser("owned", help="exit 0 if our own engine runs, 1 if not")
    commands.add_parser("stop", help="stop our own engine; any other is left alone")
    start = commands.add_parser("exec", help="run a program with the engine's address in its environment")
    start.add_argument("program")
    start.add_argument("arguments", nargs=argparse.REMAINDER)
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> int:
    folder = Folder(state_folder(os.environ, os.geteuid()) / "engine")
    match options.command:
        case "up":
            show(up(folder))
        case "address":
            show(answering(folder))
        case "env":
            for name, value in exports(answering(folder)).items():
                show(f"export {name}={value}")
        case "owned":
            return 0 if our_pid(folder) else 1
        case "stop":
            stop(folder)
        case _:
            environ = {**os.environ, **exports(answering(folder))}
            os.execvpe(options.program, [options.program, *options.arguments], environ)  # noqa: S606 - no shell is wanted
    return 0


def up(folder: Folder) -> str:
    """The address of an engine that answers, having installed and started one where that is needed and possible."""
    found, denied = ask(candidates(folder.address))
    if found:
        return found
    refuse_chosen_address()
    machine = this_machine()
    if advice := obstacle(machine, denied):
        raise advice
    with locked(folder):
        # Another run may have started it while this one waited for the lock.
        found, denied = ask(candidates(folder.address))
        if not found and not machine.dockerd:
            install()
            found, denied = settle(folder)
        return found or start(folder, machine, alone=not denied)


def answering(folder: Folder) -> str:
    found, _ = ask(candidates(folder.address))
    if found:
        return found
    refuse_chosen_address()
    raise Trouble("no Docker engine answers", "none was started yet, or it was stopped", "run `make engine`")


def show(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
