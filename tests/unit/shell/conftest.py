from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from structlog.testing import capture_logs


@pytest.fixture(autouse=True)
def logged() -> Iterator[list[Any]]:
    """What was logged, as fields; nothing is rendered, since tracebacks with locals take longer than the tests."""
    with capture_logs(processors=[structlog.processors.format_exc_info]) as lines:
        yield lines
