import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from bot.logging import MASK, set_up
from bot.settings import LogSettings


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    before, level = root.handlers, root.level
    yield io.StringIO()
    root.handlers = before
    root.setLevel(level)
    structlog.reset_defaults()


def test_a_line_is_json_where_nobody_reads_along(stream: io.StringIO) -> None:
    set_up(LogSettings(), stream=stream)
    structlog.get_logger().info("run ended", channel="web:local/general", ms=12)
    logging.getLogger("executor.pool").warning("sandbox given up", extra={"container": "c1"})
    first, second = map(json.loads, stream.getvalue().splitlines())
    assert (first["event"], first["channel"], first["ms"], first["level"]) == (
        "run ended",
        "web:local/general",
        12,
        "info",
    )
    assert (second["event"], second["container"], second["level"]) == ("sandbox given up", "c1", "warning")


def test_secrets_are_masked_wherever_they_turn_up(stream: io.StringIO) -> None:
    set_up(LogSettings(format="console"), ["s3cr3t-value", "abc"], stream)
    log = structlog.get_logger()
    log.info("asked", url="https://x/?t=s3cr3t-value", password="hunter2")
    try:
        raise ValueError("with s3cr3t-value in it")
    except ValueError:
        log.exception("failed")
    text = stream.getvalue()
    assert "s3cr3t-value" not in text
    assert "hunter2" not in text
    assert text.count(MASK) >= 3


def test_what_is_below_the_level_is_left_out(stream: io.StringIO) -> None:
    set_up(LogSettings(level="warning"), stream=stream)
    structlog.get_logger().info("quiet")
    logging.getLogger("aiohttp.access").info("GET /")
    assert stream.getvalue() == ""


def test_a_text_cannot_forge_a_line(stream: io.StringIO) -> None:
    set_up(LogSettings(format="json"), stream=stream)
    structlog.get_logger().info("said", text='a\n{"event": "forged"}')
    assert len(stream.getvalue().splitlines()) == 1
