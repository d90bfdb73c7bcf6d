"""What an approval is given for: one hash over everything that decides what a run does.

Its first `SHOWN_HEX` characters stand on card, button and result; the whole of it is compared before a vote is stored
and again before the run.
"""

from bot.core.canonical import sha256_of, sha256_of_text
from bot.core.policy.decision import Decision
from bot.core.policy.text import code_sha256
from bot.core.snapshot import Snapshot

SHOWN_HEX = 8


def binding(snapshot: Snapshot, requester: str, channel: str, image: str, decision: Decision) -> str:
    """Over code, languages, file names, arguments, input, attachments, asked limits, requester, channel (with its
    workspace), image digest, profile and policy revision; 64 hex.
    """
    return sha256_of(
        {
            "blocks": [
                {
                    "language": block.language,
                    "code": code_sha256(block.code),
                    "filename": block.filename,
                    "args": list(block.args),
                    "stdin": None if block.stdin is None else sha256_of_text(block.stdin),
                }
                for block in snapshot.blocks
            ],
            "files": [{"name": file.name, "sha256": file.sha256} for file in snapshot.files],
            "timeout_s": _number(snapshot.timeout_s),
            "memory_mb": snapshot.memory_mb,
            "requester": requester,
            "channel": channel,
            "image": image,
            "profile": decision.profile.model_dump(mode="json"),
            "revision": decision.revision,
        }
    )


def _number(value: float | None) -> str | None:
    """As text, since canonical JSON has no word for nan and inf, and a refused request has a binding too."""
    return None if value is None else repr(float(value))
