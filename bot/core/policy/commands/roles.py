"""Which text is good for which role of an operand, and which computed word may stand where."""

import re
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from bot.core.policy.commands import paths
from bot.core.policy.commands.table import Role
from bot.core.policy.decision import Computed

_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?[a-zA-Z]?", re.ASCII)
_VARIABLE = re.compile(r"[a-zA-Z_]\w*", re.ASCII)
_REVISION = re.compile(r"[\w@][\w./~^@{}:+-]*", re.ASCII)
_STORES = re.compile(r"%[^%a-zA-Z]*[a-z]*n")
_OPTIONS = frozenset({"errexit", "nounset", "pipefail", "noglob", "xtrace"})
_HOST = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*\.?")
_URL = re.compile(r"https?://[A-Za-z0-9._~:/?#@!&'()+,;=%-]+", re.ASCII)  # no [ ] { }: curl would expand them
_STATIC = re.compile(r"[A-Za-z0-9_./]")
_QUOTES = re.compile(r"[\"'\\]")


def fits(role: Role, text: str) -> bool:
    """Whether a literal text may be an operand of this role."""
    return _FITS[role](text)


def host_of(url: str) -> str | None:
    """`host`, or `host:port` where the port is not the usual one; None for anything but a plain http(s) address."""
    if not _URL.fullmatch(url):
        return None
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    if parts.username is not None or parts.password is not None or "\\" in url or not _HOST.fullmatch(host):
        return None
    host = host.removesuffix(".")
    return host if port in {None, {"http": 80, "https": 443}[parts.scheme]} else f"{host}:{port}"


def is_no_flag(word: Computed) -> bool:
    """Whether every word that it becomes begins like a plain name, so that none of them is taken for a flag."""
    return word.words != "many" and bool(_STATIC.match(_QUOTES.sub("", word.dyn)))


def may_be(role: Role, word: Computed) -> bool:
    """Whether a computed word may be an operand of this role, by what of it is written."""
    text = _QUOTES.sub("", word.dyn)
    if ".." in text.split("/"):
        return role == "text"
    match role:
        case "text":
            return True
        case "read":
            return not text.startswith(("/", "~")) or text.startswith((f"{paths.WORKSPACE}/", f"{paths.SCRATCH}/"))
        case "name":
            return not text.startswith(("/proc", "/sys", "/dev", "/root", "/run"))
        case _:
            return False


_FITS: Mapping[Role, Callable[[str], bool]] = {
    "text": lambda _: True,
    "number": lambda text: bool(_NUMBER.fullmatch(text)),
    "variable": lambda text: bool(_VARIABLE.fullmatch(text)),
    "revision": lambda text: bool(_REVISION.fullmatch(text)) and ".." not in text.split("/"),
    "format": lambda text: not text.startswith("-") and not _STORES.search(text.replace("%%", "")),
    "plus": lambda text: text.startswith("+"),
    "option": lambda text: text in _OPTIONS,
    "header": lambda text: not text.startswith("@"),
    "read": paths.readable,
    "name": paths.nameable,
    "folder": lambda text: text != "-" and paths.readable(text),
    "write": lambda text: paths.absolute(text) is not None,
    "output": lambda text: text == "-" or paths.absolute(text) is not None,
    "url": lambda text: host_of(text) is not None,
}
