"""The table of Python's members is that of the sandbox image as it is now."""

import json

import pytest

from scripts.python_members import TABLES, inside, written
from tests.conftest import Engine

pytestmark = pytest.mark.docker


def test_the_table_is_the_images(engine: Engine) -> None:
    table = inside(engine.image, engine.client)
    assert written(table) == (TABLES / "python_members.json").read_text(encoding="utf-8"), (
        "python -m scripts.python_members"
    )


def test_everything_that_was_reviewed_is_there(engine: Engine) -> None:
    """A name that the image does not have was misspelt, or is gone."""
    review = json.loads((TABLES / "python_review.json").read_text(encoding="utf-8"))
    table = json.loads((TABLES / "python_members.json").read_text(encoding="utf-8"))
    assert {name: set(each) - set(table["members"][name]) for name, each in review["only"].items() if each} == {
        name: set() for name in review["only"]
    }
    assert set(review["builtins"]["pure"]) <= set(table["builtins"])
    del engine
