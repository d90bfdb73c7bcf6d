#!/usr/bin/env python3
"""The Docker engine that `make demo` and `make test` use: one that already answers, else one of our own.

Our own is a plain `dockerd` with its folders apart from the system's (`FENCEPOST_STATE`, by default /var/lib/fencepost
for root and ~/.local/state/fencepost for others), so that it neither needs an init system nor touches a Docker that is
there. It has no default bridge. It is detached, outlives the make run that started it, and is ended by `stop`, which
ends nothing else.

Only the standard library is needed, except for engines that are not on a local socket (tcp with TLS, ssh): those are
asked through the Docker SDK of the virtual environment.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

PACKAGES = ("docker.io", "debootstrap", "debian-archive-keyring", "iptables")
START_SECONDS = 60.0
SETTLE_SECONDS = 5.0
STOP_SECONDS = 30.0
SOCKET_PATH_BYTES = 100  # the kernel's sun_path holds 108


class Answer(Enum):
    """What an address said when it was asked whether a Docker engine is behind it."""

    YES = "yes"
    NO = "no"
    DENIED = "denied"


class Trouble(Exception):
    """Ends the command; three lines for a person: what happened, why, and what to do."""

    def __init__(self, what: str, why: str, fix: str) -> None:
        super().__init__(f"error: {what}\n  why: {why}\n  fix: {fix}")


@dataclass(frozen=True)
class Folder:
    """Where our own engine lives."""

    root: Path

    @property
    def socket(self) -> Path:
        return self.root / "docker.sock"

    @property
    def pidfile(self) -> Path:
        return self.root / "dockerd.pid"

    @property
    def log(self) -> Path:
        return self.root / "dockerd.log"

    @property
    def address(self) -> str:
        return f"unix://{self.socket}"


@dataclass(frozen=True)
class Machine:
    """What decides how an engine can be had here; `become_root` is the prefix of a command, None if there is none."""

    system: str
    debian: bool
    dockerd: bool
    become_root: tuple[str, ...] | None


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
    parser = argparse.ArgumentParser(prog="scripts/engine.py", description="Find, start or stop the Docker engine.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("up", help="find an engine, or install and start one; print its address")
    commands.add_parser("address", help="print the address of the engine that answers; exit 1 where none does")
    commands.add_parser("env", help="print the address as shell exports")
    commands.add_parser("owned", help="exit 0 if our own engine runs, 1 if not")
    commands.add_parser("stop", help="stop our own engine; any other is left alone")
    start = commands.add_parser("exec", help="run a program with the engine's address in its environment")
    start.add_argument("program", nargs=argparse.REMAINDER)
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
            program = options.program[1:] if options.program[:1] == ["--"] else options.program
            os.execvpe(program[0], program, {**os.environ, **exports(answering(folder))})  # noqa: S606 - no shell is wanted
    return 0


# --- finding an engine


def up(folder: Folder) -> str:
    """The address of an engine that answers, having installed and started one where that is needed and possible."""
    found, denied = ask(candidates(folder))
    if found:
        return found
    refuse_chosen_address()
    machine = this_machine()
    if advice := obstacle(machine, denied):
        raise advice
    with locked(folder):
        found, denied = ask(candidates(folder))  # another run may have started it while this one waited for the lock
        if not found and not machine.dockerd:
            install()
            found, denied = settle(folder)
        return found or start(folder, machine, alone=not denied)


def answering(folder: Folder) -> str:
    found, _ = ask(candidates(folder))
    if found:
        return found
    refuse_chosen_address()
    raise Trouble("no Docker engine answers", "none was started yet, or it was stopped", "run `make engine`")


def refuse_chosen_address() -> None:
    """Where the user names an engine, no other takes its place."""
    if address := chosen_address(os.environ):
        raise Trouble(
            f"no Docker engine answers at {address}",
            "FENCEPOST_DOCKER__HOST or DOCKER_HOST names it, so no other is tried",
            "start that engine, or unset the variable",
        )


def candidates(folder: Folder) -> list[str]:
    """Addresses to ask, in order of precedence."""
    if address := chosen_address(os.environ):
        return [address]
    return addresses(folder, Path.home(), os.environ, context_address(Path.home() / ".docker", os.environ))


def chosen_address(environ: Mapping[str, str]) -> str | None:
    return environ.get("FENCEPOST_DOCKER__HOST") or environ.get("DOCKER_HOST") or None


def addresses(folder: Folder, home: Path, environ: Mapping[str, str], context: str | None) -> list[str]:
    """The Docker context in use, the system's socket, the usual places of rootless and desktop engines, and our own."""
    runtime = environ.get("XDG_RUNTIME_DIR")
    found = [
        context,
        "unix:///var/run/docker.sock",
        f"unix://{runtime}/docker.sock" if runtime else None,
        f"unix://{home}/.docker/run/docker.sock",
        folder.address,
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
        import docker  # noqa: PLC0415 - see the head of this module
    except ImportError:
        raise Trouble(
            f"cannot ask the engine at {address}",
            "the Docker SDK is not installed in this Python",
            "run `make venv`, then .venv/bin/python scripts/engine.py",
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


# --- what this machine allows


def this_machine() -> Machine:
    return Machine(
        system=platform.system(),
        debian=is_debian(Path("/etc/os-release")) and shutil.which("apt-get") is not None,
        dockerd=shutil.which("dockerd", path=root_path()) is not None,
        become_root=become_root(),
    )


def is_debian(os_release: Path) -> bool:
    """Debian, Ubuntu and what calls itself like them."""
    try:
        lines = os_release.read_text().splitlines()
    except OSError:
        return False
    fields = dict(line.split("=", 1) for line in lines if "=" in line)
    names = f"{fields.get('ID', '')} {fields.get('ID_LIKE', '')}".replace('"', "").split()
    return bool({"debian", "ubuntu"} & set(names))


def become_root() -> tuple[str, ...] | None:
    if os.geteuid() == 0:
        return ()
    sudo = shutil.which("sudo")
    if sudo and subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode == 0:
        return (sudo, "-n")
    return None


def obstacle(machine: Machine, denied: list[str]) -> Trouble | None:
    """Why no engine can be started here, with what a person can do about it; None if one can."""
    if machine.system == "Linux" and machine.become_root is not None and (machine.dockerd or machine.debian):
        return None
    if denied:
        return Trouble(
            f"the Docker engine at {denied[0]} refuses this user",
            "its socket may be used by root and the group docker only",
            "sudo usermod -aG docker $USER, log in again, and repeat",
        )
    if machine.system == "Darwin":
        return Trouble(
            "no Docker engine answers",
            "on macOS it has to be installed by hand",
            "install and start Docker Desktop, OrbStack or colima, and repeat",
        )
    if machine.system == "Linux" and (machine.debian or machine.dockerd):
        return Trouble(
            "no Docker engine answers",
            "installing or starting one needs root, and sudo asks for a password here",
            f"sudo apt-get install {' '.join(PACKAGES)}, sudo usermod -aG docker $USER, log in again, and repeat",
        )
    return Trouble(
        "no Docker engine answers",
        f"one can be installed for you on Debian and Ubuntu only, and this is {machine.system} of another kind",
        "install Docker Engine 20.10 or newer, start it, and repeat; or name one in DOCKER_HOST",
    )


def state_folder(environ: Mapping[str, str], uid: int) -> Path:
    if chosen := environ.get("FENCEPOST_STATE"):
        return Path(chosen).absolute()
    if uid == 0:
        return Path("/var/lib/fencepost")
    base = environ.get("XDG_STATE_HOME") or f"{environ.get('HOME', '/tmp')}/.local/state"  # noqa: S108 - HOME is always set
    return Path(base) / "fencepost"


def root_path() -> str:
    return f"{os.environ.get('PATH', os.defpath)}:/usr/local/sbin:/usr/sbin:/sbin"


def root_environ() -> dict[str, str]:
    """For root's programs: they are found, and no setting meant for docker's client reaches the engine."""
    return {name: value for name, value in os.environ.items() if not name.startswith("DOCKER_")} | {"PATH": root_path()}


# --- our own engine


def install() -> None:
    done = subprocess.run([Path(__file__).with_name("apt-install"), *PACKAGES], check=False)
    if done.returncode:
        raise Trouble("no Docker engine could be installed", "see above", "install Docker Engine by hand, then repeat")


def settle(folder: Folder) -> tuple[str | None, list[str]]:
    """What answers after the installation: on most machines the package starts an engine, which takes it a moment."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while True:
        found, denied = ask(candidates(folder))
        started = Path("/run/systemd/system").is_dir() or Path("/var/run/docker.pid").exists()
        if found or denied or not started or time.monotonic() > deadline:
            return found, denied
        time.sleep(0.1)


def start(folder: Folder, machine: Machine, alone: bool) -> str:
    """Start our own engine and wait until it answers.

    Beside another (one that refuses this user) it keeps its hands off the firewall: each would undo the other's rules.
    """
    if len(os.fsencode(folder.socket)) > SOCKET_PATH_BYTES:
        raise Trouble(
            "the state folder's path is too long",
            f"{folder.socket} cannot name a socket",
            "set FENCEPOST_STATE to a shorter one",
        )
    prefix = machine.become_root or ()
    if our_pid(folder) is None:
        folder.pidfile.unlink(
            missing_ok=True
        )  # left by a machine that went down; its number may be another program's now
    say(f"engine: starting our own, log in {folder.log}")
    with folder.log.open("ab") as log:
        process = subprocess.Popen(
            [*prefix, *dockerd_command(folder, alone and firewall_works(prefix))],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env=root_environ(),
            start_new_session=True,
        )
    if answers_in_time(folder, process, [*prefix, "chown", str(os.geteuid()), str(folder.socket)]):
        return folder.address
    raise Trouble(
        "our own Docker engine did not start",
        last_complaint(folder.log),
        f"read {folder.log}; in a container, it has to be a privileged one",
    )


def firewall_works(become_root: tuple[str, ...]) -> bool:
    """Whether the engine can write firewall rules; in some containers and on some kernels nobody can."""
    command = [*become_root, "iptables", "--wait", "--table", "nat", "--list-rules"]
    try:
        return subprocess.run(command, capture_output=True, check=False, env=root_environ()).returncode == 0
    except OSError:
        return False


def dockerd_command(folder: Folder, firewall: bool) -> list[str]:
    """Without a firewall the engine starts all the same: sandboxes have no network, only the network grant needs one.

    Namespaces of its own keep it apart from a system Docker that shares the machine's containerd.
    """
    return [
        "dockerd",
        f"--host={folder.address}",
        f"--data-root={folder.root / 'data'}",
        f"--exec-root={folder.root / 'run'}",
        f"--pidfile={folder.pidfile}",
        "--bridge=none",
        *([] if firewall else ["--iptables=false", "--ip6tables=false"]),
        "--containerd-namespace=fencepost",
        "--containerd-plugins-namespace=fencepost-plugins",
    ]


def answers_in_time(folder: Folder, process: subprocess.Popen[bytes], take_over: list[str]) -> bool:
    """Wait until our engine answers us; `take_over` gives its socket, which is root's at first, to this user."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        match ping(folder.address):
            case Answer.YES:
                return True
            case Answer.DENIED:
                subprocess.run(take_over, check=False)
            case Answer.NO:
                time.sleep(0.05)
    return False


def last_complaint(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines()[-40:]
    told = [line for line in lines if "level=error" in line or "level=fatal" in line or "failed" in line]
    return (told or lines or ["its log is empty"])[-1][-300:]


def stop(folder: Folder) -> None:
    """End our own engine, with its sandboxes, and wait until it is gone."""
    with locked(folder):
        pid = our_pid(folder)
        if pid is None:
            say("engine: ours does not run")
            return
        subprocess.run([*(become_root() or ()), "kill", "-TERM", str(pid)], check=False)
        deadline = time.monotonic() + STOP_SECONDS
        while our_pid(folder) is not None:
            if time.monotonic() > deadline:
                raise Trouble(
                    f"our engine (process {pid}) is still stopping", "it waits for containers", f"see {folder.log}"
                )
            time.sleep(0.05)
    say("engine: stopped")


def our_pid(folder: Folder) -> int | None:
    """The process of our own engine: the one that the pid file names, if it was really started with that pid file."""
    try:
        pid = int(folder.pidfile.read_text())
        command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (OSError, ValueError):
        return None
    return pid if os.fsencode(f"--pidfile={folder.pidfile}") in command else None


@contextmanager
def locked(folder: Folder) -> Iterator[None]:
    """One at a time: two make runs that start together get the same engine."""
    folder.root.mkdir(parents=True, exist_ok=True, mode=0o711)
    with (folder.root / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def show(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
