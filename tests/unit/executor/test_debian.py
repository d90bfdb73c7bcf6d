"""Which archives a Debian system is made from."""

from pathlib import Path

import pytest

from executor.debian import Mirrors, configured_mirrors, debootstrap_command, source_lines

MAIN = "http://mirror.example/debian"
SECURITY = "http://mirror.example/debian-security"

DEB822 = f"""\
Types: deb deb-src
# a remark: with a colon
URIs: {MAIN}
Suites: trixie trixie-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: {SECURITY}
Suites: trixie-security
Components: main
"""
ONE_LINE = f"""\
# deb http://other.example/debian bookworm main
deb-src http://other.example/debian bookworm main
deb [arch=amd64 signed-by=/k.gpg] {MAIN} bookworm main non-free
deb {SECURITY} bookworm-security main
"""


def apt(folder: Path, text: str, name: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return folder


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (DEB822, "sources.list.d/debian.sources"),
        (ONE_LINE, "sources.list"),
        (ONE_LINE, "sources.list.d/x.list"),
    ],
)
def test_the_machines_own_archives_are_taken(tmp_path: Path, text: str, name: str) -> None:
    assert configured_mirrors(apt(tmp_path, text, name)) == Mirrors(MAIN, SECURITY)


@pytest.mark.parametrize(
    "text",
    [
        "deb http://ubuntu.example/ubuntu noble main",  # another system
        "deb http://tools.example/apt cloud-sdk-bookworm main",  # another archive
        "deb http://mirror.example/debian bookworm contrib",  # not the whole system
        "deb http://mirror.example/debian bookworm-updates main",  # updates alone do not make a system
        "deb mirror+file:/etc/apt/mirrors/debian.list bookworm main",  # debootstrap cannot read these
        "",
    ],
)
def test_what_holds_no_debian_is_not_taken(tmp_path: Path, text: str) -> None:
    assert configured_mirrors(apt(tmp_path, text, "sources.list")) == Mirrors()


def test_a_machine_without_apt_leaves_the_choice_to_debootstrap(tmp_path: Path) -> None:
    assert configured_mirrors(tmp_path / "nowhere") == Mirrors()
    assert debootstrap_command(Path("/r"), Mirrors())[-2:] == ["bookworm", "/r"]


def test_packages_are_checked_against_debians_keys() -> None:
    command = debootstrap_command(Path("/r"), Mirrors(MAIN))
    assert "--keyring=/usr/share/keyrings/debian-archive-keyring.gpg" in command
    assert "--no-check-gpg" not in command
    assert command[-3:] == ["bookworm", "/r", MAIN]


def test_an_archive_over_tls_needs_certificates_inside() -> None:
    assert "--include=ca-certificates" in debootstrap_command(Path("/r"), Mirrors("https://mirror.example/debian"))
    assert "--include=ca-certificates" not in debootstrap_command(Path("/r"), Mirrors(MAIN))


def test_the_new_system_gets_security_updates_where_their_archive_is_known(tmp_path: Path) -> None:
    apt(tmp_path, f"deb {MAIN} bookworm main\n", "etc/apt/sources.list")
    assert source_lines(tmp_path, Mirrors(MAIN)) == [f"deb {MAIN} bookworm main"]
    assert source_lines(tmp_path, Mirrors(MAIN, SECURITY))[1:] == [f"deb {SECURITY} bookworm-security main"]
