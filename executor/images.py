"""The sandbox image's recipe and the name that follows from it.

The image is named by the content of its recipe (`config/images`), so a checkout knows without asking anyone which image
it needs, a changed recipe never runs with an old image, and two checkouts share one where they agree.
`executor.imagebuild` makes it.
"""

import hashlib
from pathlib import Path

REPOSITORY = "fencepost-sandbox"
RECIPE = Path(__file__).resolve().parent.parent / "config" / "images"

_MADE_BY = 1
"""Raised when what `executor.imagebuild` does beside the recipe changes what is in the image."""


def content_tag(folder: Path = RECIPE) -> str:
    """The image's full name: `fencepost-sandbox:` and 12 hexadecimal digits of the recipe's file names and contents.

    Raises ValueError where there is no recipe.
    """
    files = recipe_files(folder)
    if not files:
        raise ValueError(f"no recipe of the sandbox image in {folder}")
    digest = hashlib.sha256(f"{_MADE_BY}\n".encode())
    for name, content in files.items():
        digest.update(f"{name}\n{len(content)}\n".encode())
        digest.update(content)
    return f"{REPOSITORY}:{digest.hexdigest()[:12]}"


def recipe_files(folder: Path) -> dict[str, bytes]:
    """The recipe's files by name; hidden ones and editors' copies are not part of it."""
    paths = sorted(path for path in folder.glob("*") if path.is_file())
    return {
        path.name: path.read_bytes() for path in paths if not path.name.startswith((".", "#")) and path.name[-1] != "~"
    }
