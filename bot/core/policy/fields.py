"""The field types of a policy: names, patterns, and the few values that read other than they are kept."""

import re
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from bot.core.keys import ChannelKey
from bot.core.policy.decision import Demand

ANY = "*"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_LANGUAGE = re.compile(r"\*|[a-z0-9][a-z0-9+#._-]{0,31}")
_LIMIT = re.compile(r"\*|timeout (\*|[0-9]+(\.[0-9]+)? s)|memory (\*|[0-9]+ MB)")
_USER = re.compile(r"[^\s:]+:\S+")


def _name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise ValueError("is made of letters, digits, '_', '.' and '-', at most 64, and begins with a letter or digit")
    return text


def _language(text: str) -> str:
    if not _LANGUAGE.fullmatch(text):
        raise ValueError("is the lower-case name of a language, or '*' for every one")
    return text


def _limit(text: str) -> str:
    if not _LIMIT.fullmatch(text):
        raise ValueError("is 'timeout 60 s', 'timeout *', 'memory 1024 MB', 'memory *' or '*'")
    return text


def _user(text: str) -> str:
    if not _USER.fullmatch(text):
        raise ValueError("is a user as 'platform:id', never a display name")
    return text


def _mark(text: str) -> str:
    if not text or re.search(r"\s", text):
        raise ValueError("is an id, without blanks, never a display name")
    return text


def _scope(text: str) -> str:
    try:
        return str(ChannelKey.parse(text))
    except ValueError as error:
        raise ValueError("is a channel as 'platform:workspace/channel'") from error


Name = Annotated[str, AfterValidator(_name)]
Language = Annotated[str, AfterValidator(_language)]
LimitPattern = Annotated[str, AfterValidator(_limit)]
UserId = Annotated[str, AfterValidator(_user)]
MarkId = Annotated[str, AfterValidator(_mark)]
Scope = Annotated[str, AfterValidator(_scope)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]

DEMAND_KEYS = ("from", "need", "not_requester", "within_s", "reason", "deny_need")


def demand_from(value: Any) -> Any:
    """`{from, need, …}` as people write it, to what `Demand` keeps; a Demand passes as it is."""
    if not isinstance(value, dict):
        return value
    surplus = sorted(value.keys() - set(DEMAND_KEYS))
    if surplus:
        raise ValueError(f"has the unknown key {surplus[0]!r}; known here: {', '.join(DEMAND_KEYS)}")
    groups = value.get("from")
    if not isinstance(groups, list | tuple) or not groups or not all(isinstance(group, str) for group in groups):
        raise ValueError("needs from, a list of approver groups")
    need = value.get("need", 1)
    if isinstance(need, bool) or not isinstance(need, int) or need < 1:
        raise ValueError("need is a whole number of people, at least 1")
    rest = {key: each for key, each in value.items() if key not in {"from", "need"}}
    return {"needs": ({"groups": tuple(groups), "need": need},), **rest}


def demand_to(demand: Demand) -> dict[str, object]:
    """What `demand_from` reads. A rule's demand has one need; only a decision adds several up."""
    (need,) = demand.needs
    return {
        "from": list(need.groups),
        "need": need.need,
        "not_requester": demand.not_requester,
        "within_s": demand.within_s,
        "reason": demand.reason,
        "deny_need": demand.deny_need,
    }


def one_need(demand: Demand) -> Demand:
    if len(demand.needs) != 1:
        raise ValueError("has one list of groups and one number")
    return demand


def network_from(value: Any) -> Any:
    """`"none"` or a list of hosts."""
    if value == "none":
        return ()
    if not isinstance(value, list | tuple):
        raise ValueError('is "none" or a list of hosts')  # noqa: TRY004 (pydantic reports it as a ValueError only)
    return tuple(value)


def network_to(hosts: tuple[str, ...]) -> object:
    return list(hosts) or "none"


def no_secrets(names: tuple[str, ...]) -> tuple[str, ...]:
    if names:
        raise ValueError("has to be empty: code is given no secrets")
    return names


def in_utc(at: datetime) -> datetime:
    return at.astimezone(UTC)
