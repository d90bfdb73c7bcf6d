"""The users file: JSON, made by `fencepost web adduser`, readable by its owner alone.

{"users": [{"id": "ana", "name": "Ana", "roles": ["lead"], "channels": null, "password": "scrypt$…",
            "tokens": ["sha256 of a bearer token", …]}]}
"""

import json
import os
import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from adapters.web.passwords import DEAR, Cost, hash_password, hash_token, new_token

USER_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
ROLES = ("member", "lead", "admin")
NOT_FOR_PEOPLE = frozenset({"fencepost", "everyone", "channel", "here", "model"})


class UsersFileError(Exception):
    """The users file is not what it has to be; `str` says where and what to do."""


class UserRecord(BaseModel):
    """`channels` None: all. `password` empty: no login by password."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    id: str
    name: str = Field(default="", max_length=80)
    roles: tuple[str, ...] = ("member",)
    channels: tuple[str, ...] | None = None
    password: str = ""
    tokens: tuple[Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")], ...] = ()

    @field_validator("id")
    @classmethod
    def _is_a_name(cls, value: str) -> str:
        if not USER_ID.fullmatch(value) or value in NOT_FOR_PEOPLE:
            raise ValueError("a user's id is lower-case letters, digits, . - and _, up to 40, and not a reserved word")
        return value

    @field_validator("roles")
    @classmethod
    def _are_roles(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not value or not set(value) <= set(ROLES):
            raise ValueError(f"roles are some of {', '.join(ROLES)}")
        return value

    @field_validator("name")
    @classmethod
    def _is_one_line(cls, value: str) -> str:
        if not value.isprintable():
            raise ValueError("a name is one line of printable characters")
        return value


class UsersFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    users: tuple[UserRecord, ...] = ()

    @field_validator("users")
    @classmethod
    def _are_different(cls, value: tuple[UserRecord, ...]) -> tuple[UserRecord, ...]:
        if len({user.id for user in value}) < len(value):
            raise ValueError("two users have the same id")
        return value


def read_users(path: Path) -> tuple[UserRecord, ...]:
    """Raises UsersFileError."""
    try:
        return UsersFile.model_validate_json(path.read_bytes()).users
    except OSError as error:
        raise UsersFileError(f"{path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise UsersFileError(f"{path}: {where}: {_said(first['msg'])}") from None


def add_user(
    path: Path,
    user: str,
    *,
    password: str | None = None,
    roles: Sequence[str] | None = None,
    name: str | None = None,
    channels: Sequence[str] | None = None,
    with_token: bool = False,
    cost: Cost = DEAR,
) -> str | None:
    """Add the user, or change what is given of one that is there; the new bearer token, if one was asked for.

    The token is not kept anywhere and cannot be shown again. Raises UsersFileError.
    """
    known = {record.id: record for record in read_users(path)} if path.exists() else {}
    old = known[user].model_dump() if user in known else {"id": user}
    token = new_token() if with_token else None
    given = {
        "password": None if password is None else hash_password(password, cost),
        "roles": roles and tuple(roles),
        "name": name,
        "channels": channels and tuple(channels),
        "tokens": token and (*old.get("tokens", ()), hash_token(token)),
    }
    try:
        known[user] = UserRecord.model_validate(old | {key: value for key, value in given.items() if value is not None})
    except ValidationError as error:
        raise UsersFileError(_said(error.errors(include_url=False, include_input=False)[0]["msg"])) from None
    _write(path, UsersFile(users=tuple(known.values())))
    return token


def _said(message: str) -> str:
    return message.removeprefix("Value error, ")


def _write(path: Path, users: UsersFile) -> None:
    """Whole or not at all: whoever reads at the same time sees the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(json.dumps(users.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
