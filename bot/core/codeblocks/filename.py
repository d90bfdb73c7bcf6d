"""The first line of a block may name the file it is stored as: `# filename: reports/totals.py`.

The line stays in the code. The path is relative to the workspace and never leaves it; the sandbox checks that again
where links come into play.
"""

from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.core.codeblocks.hint import quote

_KEYWORD = "filename:"
_PATH_BYTES = 512
_PART_BYTES = 255


@dataclass(frozen=True, slots=True)
class Filename:
    """`path` is None where `problem`, which continues "The file name on line 2", says why not.

    `offset` counts the lines of code before the one that names it: 0, or more where blank lines come first.
    """

    path: str | None
    problem: str | None
    offset: int


def read_filename(code: str, comment: str) -> Filename | None:
    """What the first line that is not blank names, None if it names nothing. `comment` is the language's sign."""
    offset, rest = 0, code
    while True:
        line, newline, rest = rest.partition("\n")
        if line.strip() or not newline:
            break
        offset += 1
    line = line.strip()
    if not line.startswith(comment):
        return None
    text = line.removeprefix(comment).lstrip()
    if not text.lower().startswith(_KEYWORD):
        return None
    name = text[len(_KEYWORD) :].strip()
    problem = _problem(name)
    return Filename(None if problem else str(PurePosixPath(name)), problem, offset)


def _problem(name: str) -> str | None:
    shown = quote(name)
    if not name:
        return "is missing"
    if not name.isprintable():
        return f"{shown} holds a character that cannot be seen"
    if name.startswith(("/", "~")) or name[1:2] == ":":
        return f"{shown} is not inside the workspace; write it like data/x.py"
    if "\\" in name:
        return f"{shown} has a backslash; folders are written with /"
    parts = name.split("/")
    if ".." in parts:
        return f"{shown} leads out of the workspace"
    if name.endswith("/") or not PurePosixPath(name).name:
        return f"{shown} is a folder"
    sizes = [len(part.encode("utf-8", "surrogatepass")) for part in parts]
    if max(sizes) > _PART_BYTES or sum(sizes) + len(sizes) - 1 > _PATH_BYTES:
        return f"{shown} is too long"
    return None
