"""Sentences for people: one meaning, one wording, made here and nowhere else."""

import shlex
from collections.abc import Iterable
from datetime import UTC, datetime

from bot.core.policy.decision import Need
from bot.core.state import Request, Status, Verdict

_ORDINALS = ("Next", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth", "Tenth")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def number(count: int) -> str:
    return _NUMBERS[count] if 0 <= count < len(_NUMBERS) else str(count)


def plural(count: int, one: str) -> str:
    return f"{count} {one}" if count == 1 else f"{count} {one}s"


def in_line(place: int, running: int) -> str:
    """`Third in line (2 running in this channel)`."""
    ordinal = _ORDINALS[place - 1] if 0 < place <= len(_ORDINALS) else f"Number {place}"
    return f"{ordinal} in line ({running} running in this channel)"


def clock(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%H:%M UTC")


def day(at: float) -> str:
    """`30 Dec 2025`, in UTC."""
    return f"{datetime.fromtimestamp(at, UTC):%-d %b %Y}"


def seconds(value: float) -> str:
    """`12 ms`, `0.8 s`, `41 s`, `3 min`: as exact as a reader needs it."""
    if value < 0.9995:
        return f"{max(1, round(value * 1000))} ms"
    if value < 10:
        return f"{value:.1f} s".replace(".0 s", " s")
    if value < 120:
        return f"{value:.0f} s"
    return f"{value / 60:.0f} min"


def ago(span: float) -> str:
    if span < 10:
        return "just now"
    if span < 90:
        return f"{span:.0f} seconds ago"
    if span < 90 * 60:
        return f"{number(round(span / 60))} minutes ago"
    return f"{number(round(span / 3600))} hours ago"


def groups(names: Iterable[str]) -> str:
    """`@leads or @reviewers`."""
    return " or ".join(f"@{name}" for name in sorted(names))


def not_yourself(names: Iterable[str]) -> str:
    return f"Only {groups(names)} can approve this; you asked for it yourself, so someone else has to."


def not_entitled(names: Iterable[str]) -> str:
    return f"Only {groups(names)} can decide this."


def confirm_unseen(request: Request) -> str:
    blocks = request.snapshot.blocks
    lines = sum(block.code.count("\n") for block in blocks)
    chars = sum(len(block.code) for block in blocks)
    given = sum(len(shlex.join(block.args)) + len(block.stdin or "") for block in blocks)
    size = f"{plural(lines, 'line')} of code, {plural(chars, 'character')}"
    size += f", and {plural(given, 'character')} of input" if given else ""
    return f"The card does not show all of it: {size}. Show all of it first. Approve all of it unseen?"


def still_missing(needs: Iterable[Need]) -> str:
    """`one more of @leads and two more of @reviewers`."""
    return " and ".join(f"{number(need.need)} more of {groups(need.groups)}" for need in needs)


def counted(needs: Iterable[Need]) -> str:
    return f"Your approval is counted. Waiting for {still_missing(needs)}."


def needed(needs: Iterable[Need]) -> str:
    return " and ".join(f"{need.need} of {groups(need.groups)}" for need in needs)


def approvers(request: Request) -> str:
    return listed([v.name for v in request.votes if v.verdict is Verdict.APPROVE])


def listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1] if names else ""


def gone(request: Request, at: float) -> str:
    """Why a button of this request does nothing any more, or does not yet."""
    when = ago(at - (request.ended_at or request.decided_at or request.created_at))
    match request.status:
        case Status.WAITING:
            return "This is still waiting for approval."
        case Status.APPROVED if request.by_click:
            return f"This was approved by {approvers(request)} {ago(at - (request.decided_at or at))}."
        case Status.APPROVED | Status.RUNNING if not request.by_click:
            return "This is allowed already and has not ended yet."
        case Status.RUNNING:
            return f"This was approved by {approvers(request)} and is running."
        case Status.ENDED | Status.INTERRUPTED if request.by_click:
            return f"This was approved by {approvers(request)} and ended {when}."
        case Status.ENDED | Status.INTERRUPTED:
            return f"This ended {when}."
        case Status.DENIED:
            return f"This was decided by {request.ended_by} {when}: denied."
        case Status.EXPIRED:
            return f"This expired {when}; nothing ran."
        case Status.SUPERSEDED:
            return "The code changed after this card was posted."
        case Status.CANCELLED:
            return f"This was withdrawn by {request.ended_by} {when}."
        case Status.REVOKED:
            return f"This approval was withdrawn {when}: {request.reason}."
        case _:
            return f"This was refused {when}; nothing ran."
