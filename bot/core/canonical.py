"""One spelling of a value as JSON, so that equal values have equal hashes."""

import hashlib
import json
from collections.abc import Sequence


def canonical(value: object) -> str:
    """JSON with sorted keys and no blanks, ASCII only; ValueError for nan and inf, TypeError for what JSON lacks."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def sha256_of(value: object) -> str:
    """The sha256 of the value's canonical JSON, as 64 hex."""
    return hashlib.sha256(canonical(value).encode("ascii")).hexdigest()


def sha256_of_list(value: Sequence[object]) -> str:
    """The sha256 of a list, which no text has: byte 0xff stands before its JSON, and never in UTF-8."""
    return hashlib.sha256(b"\xff" + canonical(value).encode("ascii")).hexdigest()


def sha256_of_text(text: str) -> str:
    """The sha256 of the text as UTF-8, as 64 hex; lone surrogates have a hash too, so that this never fails."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
