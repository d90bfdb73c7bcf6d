"""Passwords and tokens as they are kept: scrypt for what a person chose, sha256 for what chance chose."""

import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass

TOKEN_PREFIX = "fp_"  # noqa: S105 - it marks a token, it is none
MEMORY_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Cost:
    """32 MiB and about a tenth of a second for each guess (2^15, 8, 3 is one of OWASP's equal choices)."""

    log_n: int = 15
    r: int = 8
    p: int = 3


DEAR = Cost()


def hash_password(password: str, cost: Cost = DEAR) -> str:
    """`scrypt$log2 n$r$p$salt$hash`, the last two base64."""
    salt = secrets.token_bytes(16)
    key = _scrypt(password, salt, cost)
    return f"scrypt${cost.log_n}${cost.r}${cost.p}${_b64(salt)}${_b64(key)}"


def verify_password(password: str, kept: str) -> bool:
    """Whether it is the one; False for a kept value of another form. Takes its time: call it in a thread."""
    try:
        name, log_n, r, p, salt, key = kept.split("$")
        cost = Cost(int(log_n), int(r), int(p))
        if name != "scrypt" or not 1 <= cost.log_n <= 16:
            return False
        return hmac.compare_digest(_scrypt(password, base64.b64decode(salt), cost), base64.b64decode(key))
    except ValueError:
        return False


def new_token() -> str:
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def _scrypt(password: str, salt: bytes, cost: Cost) -> bytes:
    """Of the password's digest, which fills a block of HMAC: a shorter text would count as itself with NULs behind."""
    raw = hashlib.sha256(password.encode("utf-8", "surrogatepass")).hexdigest().encode()
    return hashlib.scrypt(raw, salt=salt, n=2**cost.log_n, r=cost.r, p=cost.p, maxmem=MEMORY_BYTES, dklen=32)


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
