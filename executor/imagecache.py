"""Copies of sandbox images as compressed tarballs, outside any engine.

Engines come and go with machines and CI runs; from a tarball the image is there in seconds instead of minutes. A copy
is named by the image's tag, which is a digest of the recipe, so it can be missing or damaged but never out of date.
"""

import fcntl
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import docker

KEPT = 3
_SUFFIXES = {"zstd": "zst", "gzip": "gz"}


def cache_folder(environ: Mapping[str, str], uid: int) -> Path:
    """`FENCEPOST_CACHE`, else /var/cache/fencepost for root and ~/.cache/fencepost for others."""
    if chosen := environ.get("FENCEPOST_CACHE"):
        return Path(chosen).absolute()
    if uid == 0:
        return Path("/var/cache/fencepost")
    return Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fencepost"


def tarballs(cache: Path, tag: str, architecture: str) -> list[tuple[str, Path]]:
    """Where copies of the image may be, each with the program that packs and unpacks it; the best first."""
    name = f"{tag.replace(':', '-')}-{architecture}.tar"
    return [(program, cache / f"{name}.{suffix}") for program, suffix in _SUFFIXES.items() if shutil.which(program)]


def load(client: Any, program: str, path: Path) -> bool:
    """Hand a tarball to the engine; False if it is damaged."""
    with subprocess.Popen([program, "-d", "-c", "-q", str(path)], stdout=subprocess.PIPE) as unpack:
        try:
            client.images.load(unpack.stdout)
        except (docker.errors.DockerException, OSError):
            unpack.kill()
    return unpack.returncode == 0


def store(client: Any, tag: str, program: str, path: Path) -> None:
    """Write the engine's image to `path`, which appears when it is whole. Raises OSError, as when the disk is full."""
    part = path.with_name(f".{path.name}.part")
    threads = ["-T0"] if program == "zstd" else []
    try:
        with part.open("wb") as file:
            command = [program, "-1", *threads, "-q", "-c"]
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=file) as pack:
                assert pack.stdin is not None  # noqa: S101 - asked for in the line above
                for chunk in client.images.get(tag).save(named=tag):
                    pack.stdin.write(chunk)
        if pack.returncode:
            raise OSError(f"{program} ended with status {pack.returncode}")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def prune(cache: Path, kept: int = KEPT) -> None:
    """Remove all but the newest copies."""
    copies = sorted(cache.glob("*.tar.*"), key=lambda path: path.stat().st_mtime)
    for old in copies[:-kept]:
        old.unlink(missing_ok=True)


@contextmanager
def locked(cache: Path) -> Iterator[None]:
    """One at a time: what another process makes meanwhile is there when this one gets its turn."""
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
