"""Cutting code and output so that head and tail stay."""

import shlex

from bot.core.limits import CARD_CHARS, CARD_LINES, INPUT_CHARS
from bot.core.policy.text import visible
from bot.core.snapshot import Snapshot
from bot.core.views.view import CodeText


def shown_whole(snapshot: Snapshot) -> bool:
    """Whether a card shows every line of it, and all of its input."""
    lines = sum(block.code.count("\n") for block in snapshot.blocks)
    chars = sum(len(visible(block.code)) for block in snapshot.blocks)
    return lines <= CARD_LINES and chars <= CARD_CHARS and all(whole for _, whole in input_parts(snapshot))


def input_parts(snapshot: Snapshot) -> tuple[tuple[str, bool], ...]:
    """Arguments and input as a card shows them, cut where they are long, each with whether it is whole."""
    several = len(snapshot.blocks) > 1
    parts: list[tuple[str, bool]] = []
    for number, block in enumerate(snapshot.blocks, start=1):
        of = f" of block {number}" if several else ""
        for name, text in ((f"Arguments{of}: ", shlex.join(block.args)), (f"Input{of}:\n", block.stdin or "")):
            if text:
                shown, cut = excerpt(visible(text), INPUT_CHARS)
                parts.append((name + shown, not cut))
    return tuple(parts)


def code_parts(snapshot: Snapshot, display: dict[str, str]) -> tuple[CodeText, ...]:
    """The code as it is shown for a decision: control characters escaped; whole, or head and tail of each block."""
    whole = shown_whole(snapshot)
    parts: list[CodeText] = []
    for block in snapshot.blocks:
        text = visible(block.code)
        language = display.get(block.language, block.language)
        if whole:
            parts.append(CodeText(language, text))
            continue
        share = max(2, CARD_LINES // len(snapshot.blocks))
        room = max(80, CARD_CHARS // len(snapshot.blocks))
        parts.extend(_head_and_tail(language, text, share, room))
    return tuple(parts)


def _head_and_tail(language: str, text: str, lines: int, chars: int) -> list[CodeText]:
    every = text.splitlines(keepends=True)
    head = _fitting(every, lines // 2, chars // 2)
    tail = _fitting(every[len(head) :][::-1], lines - lines // 2, chars - chars // 2)[::-1]
    left_out = len(every) - len(head) - len(tail)
    if left_out <= 0:
        return [CodeText(language, text)]
    first = CodeText(language, "".join(head) or every[0][: chars // 2], left_out=left_out)
    if not tail:
        return [first]
    return [first, CodeText(language, "".join(tail), first_line=len(every) - len(tail) + 1)]


def _fitting(lines: list[str], most: int, chars: int) -> list[str]:
    taken: list[str] = []
    for line in lines[:most]:
        chars -= len(line)
        if chars < 0:
            break
        taken.append(line)
    return taken


def excerpt(text: str, most: int) -> tuple[str, bool]:
    """The text, or head and tail of it around a line that says how many lines are missing; and whether it was cut."""
    if len(text) <= most:
        return text, False
    head = text[: most // 2]
    tail = text[-(most - most // 2) :]
    head = head[: head.rfind("\n") + 1] or head
    tail = tail[tail.find("\n") + 1 :] or tail
    left_out = text.count("\n") - head.count("\n") - tail.count("\n")
    gap = "" if head.endswith("\n") else "\n"
    return f"{head}{gap}{left_out_line(left_out)}\n{tail}", True


def left_out_line(lines: int) -> str:
    """`… 1 204 lines left out …`, with thin groups of three."""
    if lines <= 0:
        return "… left out …"
    return f"… {lines:,} {'line' if lines == 1 else 'lines'} left out …".replace(",", " ")
