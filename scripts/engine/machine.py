"""What this machine allows: how an engine can be had on it, and by whom."""

import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from scripts.engine.trouble import Trouble

PACKAGES = ("docker.io", "debootstrap", "debian-archive-keyring", "iptables")


@dataclass(frozen=True)
class Machine:
    """What decides how an engine can be had here; `become_root` is the prefix of a command, None if there is none."""

    system: str
    debian: bool
    dockerd: bool
    become_root: tuple[str, ...] | None


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


def root_path() -> str:
    return f"{os.environ.get('PATH', os.defpath)}:/usr/local/sbin:/usr/sbin:/sbin"


def root_environ() -> dict[str, str]:
    """For root's programs: they are found, and no setting meant for docker's client reaches the engine."""
    return {name: value for name, value in os.environ.items() if not name.startswith("DOCKER_")} | {"PATH": root_path()}
