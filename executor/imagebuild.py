"""Get the sandbox image, by the quickest of the ways that work here: `python -m executor.imagebuild`.

1. The engine has it.
2. A tarball of an earlier build has it (`executor.imagecache`).
3. It is built from `config/images/Dockerfile`: on debian:12-slim where the engine has that or an image registry
   answers, else on a minimal Debian 12 made by debootstrap (`executor.debian`). The packages are the same.

The engine is spoken to over its API: no docker client is needed, and the engine may be on another machine.
"""

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import docker

from executor import debian, imagecache
from executor.errors import EngineUnavailable, ExecutorError
from executor.images import RECIPE, content_tag

BASE = "debian:12-slim"
OWN_BASE = "fencepost-debian:12"
REGISTRY_SECONDS = 20
BUILD_SECONDS = 1800
NEEDS_DEBOOTSTRAP = 4
"""Exit status of the command where installing debootstrap and Debian's keys would help."""

Say = Callable[[str], None]


class ImageBuildFailed(ExecutorError):
    """The image cannot be made from its recipe; the message holds the end of the build's log."""


def obtain(client: Any, say: Say, recipe: Path = RECIPE, cache: Path | None = None) -> str:
    """See that the engine behind `client`, a `docker.DockerClient`, has the recipe's image; returns its tag.

    Takes seconds from a tarball, one to two minutes from packages; `say` is told of every step. Raises
    ImageBuildFailed, `debian.BootstrapMissing` or `debian.BootstrapFailed`.
    """
    tag = content_tag(recipe)
    if _present(client, tag):
        return tag
    cache = cache or imagecache.cache_folder(os.environ, os.geteuid())
    with imagecache.locked(cache):
        if _present(client, tag):
            return tag
        copies = imagecache.tarballs(cache, tag, client.info()["Architecture"])
        if not _load(client, tag, copies, say):
            _build(client, tag, recipe, cache, say)
            _store(client, tag, copies, say)
    return tag


def _present(client: Any, tag: str) -> bool:
    try:
        client.images.get(tag)
    except docker.errors.ImageNotFound:
        return False
    return True


def _load(client: Any, tag: str, copies: list[tuple[str, Path]], say: Say) -> bool:
    for program, path in copies:
        if path.is_file():
            say(f"image: loading {path}")
            if imagecache.load(client, program, path) and _present(client, tag):
                return True
            say("image: that copy is damaged; removing it")
            path.unlink(missing_ok=True)
    return False


def _store(client: Any, tag: str, copies: list[tuple[str, Path]], say: Say) -> None:
    """A copy is a convenience: a full disk is told, and no reason to fail."""
    for program, path in copies[:1]:
        say(f"image: keeping a copy in {path}")
        try:
            imagecache.store(client, tag, program, path)
            imagecache.prune(path.parent)
        except OSError as error:
            say(f"image: no copy kept: {error}")


def _build(client: Any, tag: str, recipe: Path, cache: Path, say: Say) -> None:
    started = time.monotonic()
    base = BASE if _has_base(client, say) else _own_base(client, cache, say)
    say("image: installing the sandbox's packages (about a minute)")
    proxies = {name: os.environ[name] for name in ("http_proxy", "https_proxy", "no_proxy") if name in os.environ}
    try:
        _follow(
            client.api.build(
                path=str(recipe),
                tag=tag,
                buildargs={"BASE": base, **proxies},
                network_mode="host",  # an engine of our own has no bridge
                rm=True,
                forcerm=True,
                decode=True,
                timeout=BUILD_SECONDS,
            )
        )
    finally:
        client.images.prune(filters={"dangling": True, "label": "fencepost.stage=build"})
        if base == OWN_BASE:
            client.images.remove(base, force=True)
    say(f"image: {tag} made in {time.monotonic() - started:.0f} s")


def _follow(steps: Iterable[Mapping[str, Any]]) -> None:
    """Wait for the end of the build; raises with its last lines if it fails."""
    lines: list[str] = []
    for step in steps:
        lines = [*lines, *filter(str.strip, str(step.get("stream", "")).splitlines())][-15:]
        if "error" in step:
            raise ImageBuildFailed("\n  ".join(["the sandbox image could not be built:", *lines, str(step["error"])]))


def _has_base(client: Any, say: Say) -> bool:
    """Whether debian:12-slim is there or could be pulled. The engine asks the registry, by its own proxies."""
    if _present(client, BASE):
        return True
    patience = client.api.timeout
    client.api.timeout = REGISTRY_SECONDS
    try:
        client.images.get_registry_data(BASE)
    except (docker.errors.DockerException, OSError):
        return False
    finally:
        client.api.timeout = patience
    say(f"image: pulling {BASE}")
    try:
        client.images.pull(BASE)
    except docker.errors.DockerException:
        return False
    return True


def _own_base(client: Any, cache: Path, say: Say) -> str:
    say("image: no image registry answers; making a minimal Debian 12 with debootstrap (about half a minute)")
    repository, version = OWN_BASE.split(":")
    with debian.minimal_system(cache) as tar:
        client.api.import_image(tar, repository=repository, tag=version, stream_src=True)
    return OWN_BASE


def main() -> int:
    """Get the image from the engine that DOCKER_HOST names, print its tag; progress and errors go to stderr."""

    def say(text: str) -> None:
        sys.stderr.write(f"{text}\n")

    try:
        sys.stdout.write(f"{obtain(_client(), say)}\n")
    except debian.BootstrapMissing as missing:
        say(f"error: {missing}")
        return NEEDS_DEBOOTSTRAP
    except ExecutorError as error:
        say(f"error: {error}")
        return 1
    except (docker.errors.DockerException, OSError) as error:
        say(f"error: the image could not be made: {error}")
        return 1
    return 0


def _client() -> Any:
    address = os.environ.get("FENCEPOST_DOCKER__HOST") or os.environ.get("DOCKER_HOST", "")
    environ = {**os.environ, **({"DOCKER_HOST": address} if address else {})}
    try:
        return docker.from_env(environment=environ, timeout=600, use_ssh_client=address.startswith("ssh://"))
    except docker.errors.DockerException as error:
        raise EngineUnavailable(f"no Docker engine answers at {address or 'the default address'}: {error}") from error


if __name__ == "__main__":
    sys.exit(main())
