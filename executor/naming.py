"""Names and labels by which we know our containers and volumes again.

A container belongs to an *instance* (one running bot; its label never changes) and to a channel. Labels cannot be
changed after creation but names can, so the channel stands in the name: a slug for the operator's eye and a hash that
makes it unique. The name is computed from the channel, never the other way round.
"""

import hashlib
import re
import secrets

LABEL_INSTANCE = "fencepost.instance"
LABEL_SPEC = "fencepost.spec"
LABEL_TOKEN = "fencepost.token"  # noqa: S105 - the name of a label
LABEL_UID_BASE = "fencepost.uid-base"
LABEL_VOLUME = "fencepost.volume"

_INSTANCE = re.compile(r"[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?")
_SLUG_LENGTH = 24


def checked_instance(instance: str) -> str:
    """The same, or ValueError: lower-case letters, digits and inner hyphens, at most 32 characters."""
    if not _INSTANCE.fullmatch(instance):
        raise ValueError(f"instance {instance!r} must be up to 32 lower-case letters, digits and inner hyphens")
    return instance


def container_name(instance: str, channel: str) -> str:
    return f"{_prefix(instance)}{channel_key(channel)}"


def channel_key(channel: str) -> str:
    """A file name, too: lower-case letters, digits and hyphens."""
    return f"{_slug(channel)}-{hashlib.sha256(channel.encode()).hexdigest()[:12]}"


def key_of(instance: str, name: str) -> str:
    """Of the channel whose container has that name, whoever it is."""
    return name.removeprefix(_prefix(instance))


def reserve_name(instance: str) -> str:
    """Of a container that waits for a channel; no channel's name has two hyphens there."""
    return f"{_reserve(instance)}{secrets.token_hex(6)}"


def is_reserve_name(instance: str, name: str) -> bool:
    return name.startswith(_reserve(instance))


def volume_name(instance: str, token: str) -> str:
    """Of the workspace. By the container's token, not the channel: a successor never inherits what was there."""
    return f"fencepost-{instance}-workspace-{hashlib.sha256(token.encode()).hexdigest()[:16]}"


def _prefix(instance: str) -> str:
    return f"fencepost-{instance}-"


def _reserve(instance: str) -> str:
    return f"fencepost-{instance}--reserve-"


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower())[:_SLUG_LENGTH].strip("-") or "x"
