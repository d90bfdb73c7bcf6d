"""Structured logs: readable in a terminal, JSON lines elsewhere, on stderr; secrets are masked wherever they turn up.

A line is a constant message with fields. What the standard library's loggers say (of aiohttp, docker, ours in the
executor) goes the same way.
"""

import logging
import sys
from collections.abc import Iterable
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, Processor

from bot.settings import LogSettings

MASK = "•••"
SHORTEST = 4
"""A shorter secret would blacken half of every line; settings that short are refused by whoever defines them."""

_SECRET_FIELDS = frozenset({"password", "token", "authorization", "cookie", "secret", "api_key"})
_OF_RECORDS = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}


def set_up(settings: LogSettings, secrets: Iterable[str] = (), stream: TextIO | None = None) -> None:
    """Once, at start. `secrets` are values that must appear nowhere."""
    stream = sys.stderr if stream is None else stream
    readable = settings.format == "console" or (settings.format == "auto" and stream.isatty())
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="%H:%M:%S" if readable else "iso", utc=not readable),
        _fields_of_record,
    ]
    last: list[Processor] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
    if readable:
        renderer: Processor = structlog.dev.ConsoleRenderer(
            colors=stream.isatty(),
            exception_formatter=structlog.dev.plain_traceback,  # the default prints local variables, secrets too
        )
    else:
        last.append(structlog.processors.format_exc_info)
        renderer = structlog.processors.JSONRenderer(ensure_ascii=True, default=str)
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        _Masked(
            secrets,
            foreign_pre_chain=shared,
            processors=[*last, _hide_fields, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(settings.level.upper())
    for name in ("aiohttp.access", "aiosqlite", "asyncio", "docker", "urllib3", "markdown_it"):
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )


class _Masked(structlog.stdlib.ProcessorFormatter):
    """The last step is over the whole line, so a secret inside a traceback or another value is masked too."""

    def __init__(self, secrets: Iterable[str], **settings: Any) -> None:
        super().__init__(**settings)
        self._secrets = sorted({s for s in secrets if len(s) >= SHORTEST}, key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        for secret in self._secrets:
            line = line.replace(secret, MASK)
        return line


def _hide_fields(_: Any, __: str, event: EventDict) -> EventDict:
    """Fields whose very name says that they hold a secret."""
    for name in event:
        if name.lower() in _SECRET_FIELDS:
            event[name] = MASK
    return event


def _fields_of_record(_: Any, __: str, event: EventDict) -> EventDict:
    """What a standard logger was given as `extra`."""
    record = event.get("_record")
    if isinstance(record, logging.LogRecord):
        event.update({name: value for name, value in record.__dict__.items() if name not in _OF_RECORDS})
    return event
