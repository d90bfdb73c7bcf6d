"""Our own engine: installed, started, found again and stopped."""

import fcntl
import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scripts.engine.addresses import Answer, ask, candidates, ping
from scripts.engine.machine import PACKAGES, Machine, become_root, root_environ
from scripts.engine.trouble import Trouble, say

START_SECONDS = 60.0
SETTLE_SECONDS = 5.0
STOP_SECONDS = 30.0
SOCKET_PATH_BYTES = 100  # the kernel's sun_path holds 108


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
    def run(self) -> Path:
        return self.root / "run"

    @property
    def pidfiles(self) -> list[tuple[Path, str]]:
        """Those of dockerd and of its containerd, each with the argument by which the process is known."""
        containerd = self.run / "containerd"
        return [
            (self.pidfile, f"--pidfile={self.pidfile}"),
            (containerd / "containerd.pid", str(containerd / "containerd.toml")),
        ]

    @property
    def log(self) -> Path:
        return self.root / "dockerd.log"

    @property
    def address(self) -> str:
        return f"unix://{self.socket}"


def state_folder(environ: Mapping[str, str], uid: int) -> Path:
    if chosen := environ.get("FENCEPOST_STATE"):
        return Path(chosen).absolute()
    if uid == 0:
        return Path("/var/lib/fencepost")
    base = environ.get("XDG_STATE_HOME") or f"{environ.get('HOME', '/tmp')}/.local/state"  # noqa: S108 - HOME is always set
    return Path(base) / "fencepost"


def install() -> None:
    done = subprocess.run([Path(__file__).parent.parent / "apt-install", *PACKAGES], check=False)
    if done.returncode:
        raise Trouble("no Docker engine could be installed", "see above", "install Docker Engine by hand, then repeat")


def settle(folder: Folder) -> tuple[str | None, list[str]]:
    """What answers after the installation: on most machines the package starts an engine, which takes it a moment."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while True:
        found, denied = ask(candidates(folder.address))
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
    forget_the_dead(folder, prefix)
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


def forget_the_dead(folder: Folder, become_root: tuple[str, ...]) -> None:
    """Remove pid files of a machine that went down: their numbers may be other programs' now, which dockerd would take
    for its own, and end. A dockerd that was killed is there for a moment longer, and its containerd, which dies with
    it, for another: a start meanwhile would end with "pid file found".
    """
    deadline = time.monotonic() + SETTLE_SECONDS
    while any(running(pidfile, mark) for pidfile, mark in folder.pidfiles) and time.monotonic() < deadline:
        time.sleep(0.02)
    stale = [str(pidfile) for pidfile, mark in folder.pidfiles if running(pidfile, mark) is None]
    if stale:
        subprocess.run([*become_root, "rm", "-f", *stale], check=False)


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
        f"--exec-root={folder.run}",
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
        if left := mounts_below(folder.root, Path("/proc/mounts").read_text()):
            subprocess.run([*(become_root() or ()), "umount", *left], capture_output=True, check=False)
    say("engine: stopped")


def mounts_below(folder: Path, mounts: str) -> list[str]:
    """What dockerd leaves mounted when it ends, the innermost first; with it the folder could not be removed."""
    points = [line.split()[1] for line in mounts.splitlines()]
    return [point for point in reversed(points) if Path(point).is_relative_to(folder)]


def our_pid(folder: Folder) -> int | None:
    """The process of our own engine, None if it does not run."""
    pidfile, mark = folder.pidfiles[0]
    return running(pidfile, mark)


def running(pidfile: Path, mark: str) -> int | None:
    """The process that a pid file names, if one of its arguments is `mark`: a number alone may be another program's."""
    try:
        pid = int(pidfile.read_text())
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (OSError, ValueError):
        return None
    return pid if os.fsencode(mark) in arguments else None


@contextmanager
def locked(folder: Folder) -> Iterator[None]:
    """One at a time: two make runs that start together get the same engine."""
    folder.root.mkdir(parents=True, exist_ok=True, mode=0o711)
    with (folder.root / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
