"""Answers of the API: JSON always, and a sentence under `text` where it is no."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from aiohttp import web


class Refused(Exception):
    """Whoever asked gets this status and this body."""

    def __init__(self, status: HTTPStatus, text: str, **more: Any) -> None:
        super().__init__(text)
        self.status = status
        self.body: dict[str, Any] = {"text": text, **more}

    @classmethod
    def with_body(cls, status: HTTPStatus, body: dict[str, Any]) -> "Refused":
        refused = cls(status, "")
        refused.body = body
        return refused


def answer(body: Any, status: HTTPStatus = HTTPStatus.OK, headers: Mapping[str, str] | None = None) -> web.Response:
    return web.json_response(body, status=status, headers=headers, dumps=compact)


def compact(body: Any) -> str:
    """ASCII on one line: half a surrogate pair or a line separator in it breaks no transport."""
    return json.dumps(body, separators=(",", ":"))
