"""What will run, as it was when it was asked for: taken once, shown, bound, and never fetched again."""

from pydantic import Field

from bot.core.model import Model
from bot.core.reports import FileRef


class CodeBlock(Model):
    """A block as it will be run: the snapshot that was shown. `filename` and `stdin` as in `executor.types.Code`."""

    language: str
    code: str
    filename: str | None = None
    args: tuple[str, ...] = ()
    stdin: str | None = None


class Snapshot(Model):
    """Everything that will run, taken when it was asked for and never fetched again."""

    blocks: tuple[CodeBlock, ...] = Field(min_length=1)
    files: tuple[FileRef, ...] = ()
    timeout_s: float | None = None
    memory_mb: int | None = None

    @property
    def has_input(self) -> bool:
        """Whether something goes in beside the code, so that the same code could do something else."""
        return bool(self.files) or any(block.args or block.stdin is not None for block in self.blocks)
