"""A minimal Debian 12 as a tar stream, made by debootstrap from the packages of the mirror that this machine uses.

The way to a base image where no image registry answers. Needs root, or sudo without a password, since the files of a
system belong to root.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from executor.errors import ExecutorError

SUITE = "bookworm"
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
DEBIAN_SUITE = re.compile(r"(bookworm|trixie|forky|duke|sid|stable|testing|unstable|oldstable)(-security)?$")
ONE_LINE = re.compile(r"deb\s+(?:\[[^]]*\]\s+)?(\S+)\s+(\S+)\s+(.*)")
_LEFT_OUT = ("./dev/*", "./etc/hostname", "./etc/resolv.conf", "./var/cache/apt/archives/*.deb")  # this machine's
_TAR = ("tar", "--numeric-owner", "--one-file-system", *(f"--exclude={pattern}" for pattern in _LEFT_OUT))


class BootstrapMissing(ExecutorError):
    """This machine lacks something that making a Debian system takes; the message says what to install or to allow."""


class BootstrapFailed(ExecutorError):
    """debootstrap gave up; the message is its last complaint."""


@dataclass(frozen=True, slots=True)
class Mirrors:
    """Addresses of Debian's archives; None leaves the choice to debootstrap (`main`) or leaves it out (`security`)."""

    main: str | None = None
    security: str | None = None


@contextmanager
def minimal_system(scratch: Path) -> Iterator[IO[bytes]]:
    """The system as a tar stream; `scratch` is a folder for half a gigabyte on a disk that allows device files."""
    become_root = _preconditions()
    mirrors = configured_mirrors()
    folder = Path(tempfile.mkdtemp(prefix="debian-", dir=scratch))
    root = folder / "root"
    try:
        _run([*become_root, *debootstrap_command(root, mirrors)])
        sources = "".join(f"{line}\n" for line in source_lines(root, mirrors))
        _run([*become_root, "tee", str(root / "etc/apt/sources.list")], sources)
        with subprocess.Popen([*become_root, *_TAR, "-C", str(root), "-c", "."], stdout=subprocess.PIPE) as tar:
            assert tar.stdout is not None  # noqa: S101 - asked for in the line above
            yield tar.stdout
        if tar.returncode:
            raise BootstrapFailed(f"tar ended with {tar.returncode}")
    finally:
        _remove(folder, become_root)


def debootstrap_command(root: Path, mirrors: Mirrors) -> list[str]:
    secure = ["--include=ca-certificates"] if (mirrors.main or "").startswith("https:") else []
    address = [mirrors.main] if mirrors.main else []
    return ["debootstrap", "--variant=minbase", f"--keyring={KEYRING}", *secure, SUITE, str(root), *address]


def source_lines(root: Path, mirrors: Mirrors) -> list[str]:
    """The new system's package sources: what debootstrap wrote, and the security archive if this machine knows one."""
    lines = (root / "etc/apt/sources.list").read_text().splitlines()
    return [*lines, *([f"deb {mirrors.security} {SUITE}-security main"] if mirrors.security else [])]


def configured_mirrors(apt: Path = Path("/etc/apt")) -> Mirrors:
    """The Debian archives that this machine's apt is configured with; none of them on other systems."""
    main = security = None
    for address, suite in _sources(apt):
        name = DEBIAN_SUITE.match(suite)
        if name is None or not address.startswith(("http:", "https:", "file:")):
            continue
        if name.group(2):
            security = security or address
        else:
            main = main or address
    return Mirrors(main, security)


def _sources(apt: Path) -> Iterator[tuple[str, str]]:
    """Pairs of address and suite, from the one-line and from the deb822 files, where they offer the component main."""
    for path in [apt / "sources.list", *sorted((apt / "sources.list.d").glob("*.list"))]:
        for line in _text(path).splitlines():
            entry = ONE_LINE.match(line.strip())
            if entry and "main" in entry.group(3).split():
                yield entry.group(1), entry.group(2)
    for path in sorted((apt / "sources.list.d").glob("*.sources")):
        for stanza in re.split(r"\n\s*\n", _text(path)):
            lines = [line for line in stanza.splitlines() if not line.startswith("#")]
            fields = {key.strip().lower(): value.split() for key, _, value in (line.partition(":") for line in lines)}
            if "deb" in fields.get("types", []) and "main" in fields.get("components", []):
                yield from (
                    (address, suite) for address in fields.get("uris", []) for suite in fields.get("suites", [])
                )


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def _preconditions() -> list[str]:
    """The prefix that makes a command root's."""
    if not shutil.which("debootstrap", path=_path()):
        raise BootstrapMissing("debootstrap is not installed: apt-get install debootstrap")
    if not KEYRING.is_file():
        raise BootstrapMissing("Debian's signing keys are not installed: apt-get install debian-archive-keyring")
    if os.geteuid() == 0:
        return []
    if (
        shutil.which("sudo")
        and subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0
    ):
        return ["sudo", "-n"]
    raise BootstrapMissing("making a Debian system needs root, and sudo asks for a password: run this as root once")


def _run(command: list[str], text: str | None = None) -> None:
    environ = {**os.environ, "PATH": _path(), "LC_ALL": "C"}
    done = subprocess.run(
        command,
        input=text or "",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=environ,
        check=False,
    )
    if done.returncode:
        complaints = [
            line for line in done.stdout.splitlines() if line.startswith(("E:", "W:"))
        ] or done.stdout.splitlines()
        raise BootstrapFailed(f"{' '.join(command[:3])} … failed: {complaints[-1] if complaints else 'without a word'}")


def _remove(folder: Path, become_root: list[str]) -> None:
    """A failed debootstrap can leave /proc and /sys mounted below: never descend into another file system."""
    for mount in ("proc", "sys"):
        subprocess.run([*become_root, "umount", str(folder / "root" / mount)], capture_output=True, check=False)
    subprocess.run([*become_root, "rm", "-rf", "--one-file-system", str(folder)], check=False)


def _path() -> str:
    return f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
