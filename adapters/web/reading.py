"""Bodies of requests, bounded while they are read."""

import asyncio
import json
import re
from collections.abc import Awaitable
from http import HTTPStatus
from typing import Any, TypeVar

from aiohttp import BodyPartReader, web
from aiohttp.http_exceptions import HttpProcessingError

from adapters.web.answers import Refused
from adapters.web.inbound import TEXT_CHARS, Fields
from bot.core.reports import FileRef
from bot.ports import Blobs

T = TypeVar("T")

JSON_BYTES = 2 * 1024 * 1024
FILE_BYTES = 8 * 1024 * 1024
FILES = 10
PARTS = 2 * FILES
UPLOAD_S = 120.0
NAME_CHARS = 200

_MEDIA_TYPE = re.compile(r"[A-Za-z0-9][\w.+-]{0,60}/[A-Za-z0-9][\w.+-]{0,60}", re.ASCII)
OCTETS = "application/octet-stream"


async def read_json(request: web.Request, *, may_be_empty: bool = False) -> Fields:
    """The JSON object of the body. Raises Refused."""
    raw = await _within(request.read())
    if may_be_empty and not raw:
        return Fields({})
    if request.content_type != "application/json":
        raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "The body has to be JSON (Content-Type: application/json).")
    return Fields.of(_parsed(raw))


async def read_post(request: web.Request, blobs: Blobs) -> tuple[Fields, tuple[FileRef, ...]]:
    """A new message: a JSON object, or a form whose files are in the blob store by the time this returns."""
    if request.content_type == "multipart/form-data":
        return await _within(_form(request, blobs))
    fields = await read_json(request)
    if fields.values.get("files"):
        raise Refused(HTTPStatus.BAD_REQUEST, "files: send them as multipart/form-data.")
    return fields, ()


def clean_name(name: str) -> str:
    """A file name without folders and control characters: what a browser says may be anything."""
    last = re.split(r"[/\\]", name)[-1]
    kept = "".join(char for char in last if char.isprintable()).strip()
    stem = kept[:NAME_CHARS]
    return "file" if stem in {"", ".", ".."} else stem


def clean_media_type(value: str) -> str:
    return value.lower() if _MEDIA_TYPE.fullmatch(value) else OCTETS


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        raise Refused(HTTPStatus.BAD_REQUEST, "The body is not JSON.") from None


async def _within(reading: Awaitable[T]) -> T:
    try:
        async with asyncio.timeout(UPLOAD_S):
            return await reading
    except TimeoutError:
        raise Refused(HTTPStatus.REQUEST_TIMEOUT, f"The body took longer than {UPLOAD_S:g} s.") from None
    except (HttpProcessingError, web.RequestPayloadError, ConnectionError):
        raise Refused(HTTPStatus.BAD_REQUEST, "The body cannot be read, or ended early.") from None


async def _form(request: web.Request, blobs: Blobs) -> tuple[Fields, tuple[FileRef, ...]]:
    values: dict[str, str] = {}
    files: list[FileRef] = []
    parts = 0
    try:
        async for part in await request.multipart():
            parts += 1
            if parts > PARTS:
                raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The form has more than {PARTS} parts.")
            if not isinstance(part, BodyPartReader):
                raise Refused(HTTPStatus.BAD_REQUEST, "The form has a form in it.")
            if part.filename is None:
                values[part.name or ""] = (await _read(part, 4 * TEXT_CHARS, part.name or "a field")).decode()
            elif len(files) == FILES:
                raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"files: more than {FILES}.")
            else:
                data = await _read(part, FILE_BYTES, "files")
                media_type = clean_media_type(part.headers.get("Content-Type", "").partition(";")[0].strip())
                files.append(await blobs.put(data, clean_name(part.filename), media_type))
    except UnicodeDecodeError:
        raise Refused(HTTPStatus.BAD_REQUEST, "The form is not UTF-8.") from None
    except ValueError:
        raise Refused(HTTPStatus.BAD_REQUEST, "The form cannot be read.") from None
    return Fields(values), tuple(files)


async def _read(part: BodyPartReader, most: int, name: str) -> bytes:
    data = bytearray()
    while chunk := await part.read_chunk():
        data += chunk
        if len(data) > most:
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"{name}: larger than {most // 1024 // 1024} MiB.")
    return bytes(data)
