"""What is kept of an execution: small enough to be saved with the channel's state.

The full output and the files are blobs; here stand excerpts and references.
"""

from pydantic import Field

from bot.core.model import Model
from executor.types import LimitName, Outcome


class FileRef(Model):
    """A file in the blob store, named by the sha256 of its content (64 hex); `bytes` is its size."""

    name: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    bytes: int = Field(ge=0)
    media_type: str = "application/octet-stream"


class LimitReport(Model):
    name: LimitName
    value: float


class BlockReport(Model):
    """How one block ended.

    `text` is what it wrote, both streams in order of arrival, cut to `limits.EXCERPT_CHARS` with a marker line in
    between; `cut` says so, and `full` then names the blob with the whole of it. `value` is the text of the last
    expression's value, `out_of_input` says that the program failed because it read past the end of its input.
    """

    outcome: Outcome
    exit_code: int | None = None
    signal: int | None = None
    text: str = ""
    error_line: str = ""
    cut: bool = False
    full: FileRef | None = None
    total_bytes: int = 0
    duration_ms: float = 0.0
    cpu_ms: float = 0.0
    peak_memory_bytes: int = 0
    limit: LimitReport | None = None
    value: str | None = None
    out_of_input: bool = False
