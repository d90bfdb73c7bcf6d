"""Which way to the image is taken, told by an engine that keeps a record instead of images."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docker
import pytest

from executor import imagebuild, imagecache
from executor.imagebuild import BASE, ImageBuildFailed, obtain
from executor.images import content_tag


class RecordingEngine:
    """Answers like `docker.DockerClient`, its `api` and its `images`, as far as the image's making goes.

    A tarball of it is the gzip of a tag. `log` is what it was told to do.
    """

    def __init__(self, *present: str, registry: bool = True, build_fails: bool = False) -> None:
        self.present = set(present)
        self.registry = registry
        self.build_fails = build_fails
        self.log: list[str] = []
        self.timeout = 60
        self.images = self.api = self

    def info(self) -> dict[str, str]:
        return {"Architecture": "x86_64"}

    def get(self, tag: str) -> Any:
        if tag not in self.present:
            raise docker.errors.ImageNotFound(tag)
        self.asked = tag
        return self

    def save(self, named: str) -> Iterator[bytes]:
        yield named.encode()

    def load(self, stream: Any) -> None:
        self.log.append("load")
        self.present.add(stream.read().decode())

    def get_registry_data(self, tag: str) -> None:
        if not self.registry:
            raise docker.errors.APIError("no such host")

    def pull(self, tag: str) -> None:
        self.log.append(f"pull {tag}")
        self.present.add(tag)

    def build(self, **options: Any) -> Iterator[dict[str, str]]:
        self.log.append(f"build on {options['buildargs']['BASE']}")
        yield {"stream": "Step 1/2 : FROM base\n"}
        if self.build_fails:
            yield {"stream": "E: no such package\n"}
            yield {"error": "The command returned a non-zero code: 100"}
        self.present.add(options["tag"])

    def prune(self, filters: dict[str, Any]) -> None:
        assert filters["dangling"]
        self.log.append("prune")


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    folder = tmp_path / "recipe"
    folder.mkdir()
    (folder / "Dockerfile").write_text("FROM a")
    return folder


def steps(engine: RecordingEngine, recipe: Path, cache: Path) -> list[str]:
    said: list[str] = []
    assert obtain(engine, said.append, recipe, cache) == content_tag(recipe)
    assert content_tag(recipe) in engine.present
    return said


def test_an_image_that_is_there_costs_one_question(recipe: Path, tmp_path: Path) -> None:
    engine = RecordingEngine(content_tag(recipe))
    assert steps(engine, recipe, tmp_path / "cache") == []
    assert engine.log == []
    assert not (tmp_path / "cache").exists()


def test_it_is_built_on_the_registrys_base_and_a_copy_is_kept(recipe: Path, tmp_path: Path) -> None:
    engine = RecordingEngine()
    said = steps(engine, recipe, tmp_path / "cache")
    assert engine.log == [f"pull {BASE}", f"build on {BASE}", "prune"]
    assert any("keeping a copy" in line for line in said)

    later = RecordingEngine(registry=False)
    steps(later, recipe, tmp_path / "cache")
    assert later.log == ["load"]


def test_a_base_that_is_there_is_not_pulled(recipe: Path, tmp_path: Path) -> None:
    engine = RecordingEngine(BASE, registry=False)
    steps(engine, recipe, tmp_path / "cache")
    assert engine.log == [f"build on {BASE}", "prune"]


def test_a_damaged_copy_is_removed_and_the_image_built(recipe: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    for program, path in imagecache.tarballs(cache, content_tag(recipe), "x86_64"):
        path.write_bytes(gzip.compress(b"fencepost-sandbox:another") if program == "gzip" else b"not compressed")
    engine = RecordingEngine()
    said = steps(engine, recipe, cache)
    assert f"build on {BASE}" in engine.log
    assert any("damaged" in line for line in said)


def test_a_copy_that_cannot_be_kept_is_told_and_no_failure(recipe: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for _, path in imagecache.tarballs(cache, content_tag(recipe), "x86_64"):
        path.with_name(f".{path.name}.part").mkdir(parents=True)  # a folder is in the way
    said = steps(RecordingEngine(), recipe, cache)
    assert any("no copy kept" in line for line in said)


def test_a_failed_build_says_where_it_ended_and_leaves_nothing(recipe: Path, tmp_path: Path) -> None:
    engine = RecordingEngine(build_fails=True)
    with pytest.raises(ImageBuildFailed, match=r"(?s)Step 1/2.*E: no such package.*non-zero code: 100"):
        obtain(engine, lambda _: None, recipe, tmp_path / "cache")
    assert engine.log[-1] == "prune"
    assert not list((tmp_path / "cache").glob("*.tar.*"))


def test_a_silent_registry_is_not_waited_for_and_the_engine_keeps_its_patience(recipe: Path, tmp_path: Path) -> None:
    engine = RecordingEngine()
    asked: list[int] = []
    engine.get_registry_data = lambda tag: asked.append(engine.timeout)  # type: ignore[method-assign]
    steps(engine, recipe, tmp_path / "cache")
    assert asked == [imagebuild.REGISTRY_SECONDS]
    assert engine.timeout == 60
