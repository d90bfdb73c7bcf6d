"""The Docker engine and the sandbox image for tests marked `docker`.

`make test` starts both and says so by FENCEPOST_TEST_DOCKER=required: their absence then fails those tests. Without it,
as in `pytest tests/unit` or on a machine without Docker, those tests are skipped.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import docker
import pytest

from executor.images import content_tag
from scripts.engine.addresses import ask, candidates
from scripts.engine.own import Folder, state_folder


@dataclass(frozen=True)
class Engine:
    """A Docker engine that answers, a client of it, and the tag of the sandbox image that it has."""

    address: str
    client: Any
    image: str


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("docker"):
            item.add_marker(pytest.mark.usefixtures("engine"))


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    folder = Folder(state_folder(os.environ, os.geteuid()) / "engine")
    address, _ = ask(candidates(folder.address))
    if address is None:
        absent("no Docker engine answers: run `make engine`")
    client = docker.DockerClient(base_url=address, timeout=60)
    try:
        image = content_tag()
        if not client.images.list(name=image):
            absent(f"the engine has no image {image}: run `make image`")
        yield Engine(address, client, image)
    finally:
        client.close()


def absent(why: str) -> NoReturn:
    if os.environ.get("FENCEPOST_TEST_DOCKER") == "required":
        pytest.fail(why, pytrace=False)
    pytest.skip(why)
