"""The image's name follows from its recipe, and from nothing else."""

import re
from pathlib import Path

import pytest

from executor.images import RECIPE, content_tag


def recipe(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def test_the_shipped_recipe_has_a_tag() -> None:
    assert re.fullmatch(r"fencepost-sandbox:[0-9a-f]{12}", content_tag())
    assert (RECIPE / "Dockerfile").is_file()


def test_equal_recipes_share_a_tag_wherever_they_lie(tmp_path: Path) -> None:
    one = recipe(tmp_path / "one", Dockerfile="FROM a", packages="git")
    other = recipe(tmp_path / "other", packages="git", Dockerfile="FROM a")
    assert content_tag(one) == content_tag(other)


@pytest.mark.parametrize(
    "files",
    [
        {"Dockerfile": "FROM b", "packages": "git"},
        {"Dockerfile": "FROM a", "package": "git"},
        {"Dockerfile": "FROM a"},
        {"Dockerfile": "FROM a", "packages": "git", "more": ""},
        {"Dockerfile": "FROM apackages", "packages": "git"},
        {"Dockerfile": "git", "packages": "FROM a"},
    ],
)
def test_any_other_name_or_content_is_another_image(tmp_path: Path, files: dict[str, str]) -> None:
    one = recipe(tmp_path / "one", Dockerfile="FROM a", packages="git")
    assert content_tag(recipe(tmp_path / "other", **files)) != content_tag(one)


def test_what_editors_leave_does_not_count(tmp_path: Path) -> None:
    folder = recipe(tmp_path, Dockerfile="FROM a")
    tag = content_tag(folder)
    recipe(folder, **{".Dockerfile.swp": "x", "Dockerfile~": "x", "#Dockerfile#": "x"})
    (folder / "folder").mkdir()
    assert content_tag(folder) == tag


def test_no_recipe_is_an_error_that_names_the_place(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=str(tmp_path / "nowhere")):
        content_tag(tmp_path / "nowhere")
