from pathlib import Path

import pytest

from adapters.storage.memory import MemoryBlobs
from bot.core.limits import EXCERPT_CHARS
from bot.core.reports import FileRef
from bot.ports import StoreUnavailable
from bot.shell.reporting import error_line, report_of
from executor.types import Artifact, BlockResult, Code, ExecutionResult, LimitHit, Outcome, Output

PYTHON = (Code("python", "x"), Code("bash", "y"))


class Full(MemoryBlobs):
    async def put(self, data: bytes, name: str, media_type: str = "") -> FileRef:
        raise StoreUnavailable("the disk is full")

    async def put_file(self, path: Path, name: str, media_type: str = "") -> FileRef:
        raise StoreUnavailable("the disk is full")


def result(text: str, **more: object) -> ExecutionResult:
    return ExecutionResult((BlockResult(Outcome.COMPLETED, 0, output=Output(text, **more)),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("chars", "cut"), [(EXCERPT_CHARS - 1, False), (EXCERPT_CHARS, False), (EXCERPT_CHARS + 1, True)]
)
async def test_output_is_cut_at_the_limit_and_kept_whole_beside(chars: int, cut: bool) -> None:
    blobs = MemoryBlobs()
    text = "é" * chars
    [block] = (await report_of(result(text), PYTHON, blobs)).blocks
    assert block.cut is cut
    assert (block.text == text) is not cut
    assert len(block.text) <= EXCERPT_CHARS + 100
    if block.full is not None:
        assert await blobs.get(block.full.sha256) == text.encode()
    assert (block.full is not None) is cut


async def test_what_was_spooled_is_taken_over(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    spool.write_text("everything")
    blobs = MemoryBlobs()
    [block] = (await report_of(result("ever… ing", truncated=True, spool=spool), PYTHON, blobs)).blocks
    assert block.full is not None
    assert await blobs.get(block.full.sha256) == b"everything"
    assert not spool.exists()


async def test_a_full_disk_costs_files_and_not_the_report(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    spool.write_text("everything")
    given = ExecutionResult(
        result("ever… ing", truncated=True, spool=spool).blocks, (Artifact("a.png", b"x"),), artifacts_left=2
    )
    report = await report_of(given, PYTHON, Full())
    assert report.blocks[0].cut
    assert report.blocks[0].full is None
    assert (report.files, report.files_left) == ((), 3)
    assert not spool.exists()


async def test_everything_that_the_sandbox_measured_is_reported() -> None:
    block = BlockResult(
        Outcome.TIMED_OUT, 124, 9, Output("x", stderr=""), 10_000.5, 9_000.5, 1024, LimitHit("timeout_s", 10)
    )
    report = await report_of(ExecutionResult((block,), (Artifact("d/b\udcff.csv", b""),)), PYTHON, MemoryBlobs())
    [kept] = report.blocks
    assert (kept.outcome, kept.exit_code, kept.signal, kept.duration_ms) == (Outcome.TIMED_OUT, 124, 9, 10_000.5)
    assert (kept.cpu_ms, kept.peak_memory_bytes, kept.total_bytes) == (9_000.5, 1024, 0)
    assert kept.limit is not None
    assert (kept.limit.name, kept.limit.value) == ("timeout_s", 10.0)
    assert kept.model_dump_json()
    [file] = report.files
    assert file.name == "d/b?.csv"
    assert file.model_dump_json()


TRACE = 'Traceback (most recent call last):\n  File "main.py", line 3, in <module>\n    1 / 0\n    ~~^~~\n'


@pytest.mark.parametrize(
    ("stderr", "line"),
    [
        (TRACE + "ZeroDivisionError: division by zero\n", "ZeroDivisionError on line 3"),
        ("a warning\n" + TRACE + "json.decoder.JSONDecodeError: Expecting value\n", "JSONDecodeError on line 3"),
        (
            TRACE
            + "  File \"/usr/lib/python3.11/json/__init__.py\", line 346, in loads\n    return 1\nKeyError: 'a'\n",
            "KeyError on line 3",
        ),
        (
            TRACE.replace("3", "1")
            + "KeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\n"
            + TRACE
            + "ValueError: two\nlines: of text\n",
            "ValueError on line 3",
        ),
        ('  File "main.py", line 2\n    def\n       ^\nSyntaxError: invalid syntax\n', "SyntaxError on line 2"),
        (
            'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\nKeyboardInterrupt\n',
            "KeyboardInterrupt",
        ),
        ("just text: with a colon\n", ""),
        ("", ""),
        (TRACE, ""),
    ],
)
def test_the_line_that_broke_is_named(stderr: str, line: str) -> None:
    assert error_line(stderr) == line


async def test_only_failed_python_has_such_a_line() -> None:
    output = Output("", stderr=TRACE + "KeyError: 1\n")
    failed = BlockResult(Outcome.FAILED, 1, output=output)
    fine = BlockResult(Outcome.COMPLETED, 0, output=output)
    report = await report_of(ExecutionResult((failed, failed)), PYTHON, MemoryBlobs())
    assert [block.error_line for block in report.blocks] == ["KeyError on line 3", ""]
    report = await report_of(ExecutionResult((fine,)), PYTHON, MemoryBlobs())
    assert [block.error_line for block in report.blocks] == [""]


@pytest.mark.parametrize(("chars", "cut"), [(EXCERPT_CHARS, False), (EXCERPT_CHARS + 1, True)])
async def test_a_value_is_kept_and_cut_like_output(chars: int, cut: bool) -> None:
    block = BlockResult(Outcome.COMPLETED, 0, value="x" * chars)
    [kept] = (await report_of(ExecutionResult((block,)), PYTHON, MemoryBlobs())).blocks
    assert kept.value is not None
    assert (kept.value == "x" * chars) is not cut
    assert len(kept.value) <= EXCERPT_CHARS + 100
    [none] = (await report_of(result("x"), PYTHON, MemoryBlobs())).blocks
    assert none.value is None


@pytest.mark.parametrize(
    ("language", "exit_code", "stderr", "out"),
    [
        ("python", 1, TRACE + "EOFError: EOF when reading a line\n", True),
        ("python", 0, TRACE + "EOFError: EOF when reading a line\n", False),
        ("python", 1, TRACE + "EOFError: EOF when reading a line\nKeyError: 1\n", False),
        ("python", 1, TRACE + "EOFError\n", False),
        ("bash", 1, "EOFError: EOF when reading a line\n", False),
    ],
)
async def test_a_program_that_asked_for_input_in_vain(language: str, exit_code: int, stderr: str, out: bool) -> None:
    block = BlockResult(Outcome.FAILED, exit_code, output=Output("", stderr=stderr))
    [kept] = (await report_of(ExecutionResult((block,)), (Code(language, "x"),), MemoryBlobs())).blocks
    assert kept.out_of_input is out


async def test_files_are_what_their_content_says() -> None:
    files = (Artifact("a.png", b"<script>"), Artifact("b.txt", b"\x89PNG\r\n\x1a\n"), Artifact("c.html", b"\0"))
    report = await report_of(ExecutionResult((), files), PYTHON, MemoryBlobs())
    assert [file.media_type for file in report.files] == ["text/plain", "image/png", "application/octet-stream"]
