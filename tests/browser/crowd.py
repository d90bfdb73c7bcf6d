"""Many messages at once, and one that changes fast."""

import asyncio
import time

from bot.core.views.view import Headline, OutputText, View
from tests.integration.webrig import GENERAL, Site

A_SECOND = 50
LINES = 40


async def post_many(web: Site, count: int) -> list[str]:
    """Straight into the store, in one transaction: as many posts would be."""
    ids = []
    async with web.gateway._database.write() as tx:
        for number in range(count):
            lines = number % 7 + 1
            word = "needle" if number == 17 else "message"
            ids.append(f"m{number:016x}")
            text = "\n".join(f"{word} {number} line {line}" for line in range(lines))
            body = f'{{"text": {_quoted(text)}, "blocks": [{{"kind": "text", "text": {_quoted(text)}}}]}}'
            await tx.execute(
                "INSERT INTO messages (id, channel, author, body, created_at, created, changed)"
                " VALUES (?, 'general', 'bo', ?, ?, ?, ?)",
                (ids[-1], body, time.time() - (count - number), number + 1, number + 1),
            )
    return ids


def _quoted(text: str) -> str:
    return '"' + text.replace("\n", "\\n") + '"'


async def stream(web: Site, message: str, updates: int) -> None:
    """As many edits of a message, `A_SECOND` of them a second, however long one takes."""
    began = time.monotonic()
    for number in range(1, updates + 1):
        await web.gateway.edit(GENERAL, message, output(number))
        await asyncio.sleep(max(0.0, began + number / A_SECOND - time.monotonic()))


def output(number: int) -> View:
    """The last lines that a program has written, as a live view shows them."""
    lines = "".join(f"line {n}\n" for n in range(max(0, number - LINES + 1), number + 1))
    return View((Headline("⏳", f"Python · running · {number / A_SECOND:.1f} s"), OutputText(lines)), status="running")
