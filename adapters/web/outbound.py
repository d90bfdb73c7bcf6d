"""What the bot shows, turned into the JSON of the API: no I/O, nothing is decided here.

All text is handed on as text; whoever draws it must treat it so.
"""

from collections.abc import Sequence
from dataclasses import asdict
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from adapters.web.message import Body, Message
from bot.core.replies import Reply, ReplyKind
from bot.core.reports import FileRef
from bot.core.views.view import View, plain

CURSOR_DIGITS = 12
"""A fixed width, so that the order of cursors as text is their order."""


def cursor_text(number: int) -> str:
    return f"{number:0{CURSOR_DIGITS}d}"


def body_of(view: View) -> Body:
    return Body(
        text=whole(plain(view)),
        blocks=tuple({name: _whole(value) for name, value in asdict(part).items()} for part in view.parts),
        buttons=tuple(
            {
                "id": button.id,
                "label": whole(button.label),
                "style": button.style,
                "value": button.value,
                "opens": button.opens,
            }
            for button in view.buttons
        ),
        files=tuple(file.model_copy(update={"name": whole(file.name)}) for file in view.files),
        status=view.status,
        mention=view.mention,
    )


def body_of_text(text: str, files: tuple[FileRef, ...] = ()) -> Body:
    """A person's message, or a sentence to one."""
    return Body(text=text, blocks=({"kind": "text", "text": text},) if text else (), files=files)


def whole(text: str) -> str:
    """Half of a surrogate pair has no UTF-8; it becomes the replacement character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _whole(value: Any) -> Any:
    return whole(value) if isinstance(value, str) else value


def message_json(message: Message) -> dict[str, Any]:
    body = message.body
    return {
        "id": message.id,
        "channel": message.channel,
        "thread": message.thread,
        "author": message.author,
        "reply_to": message.reply_to,
        "text": body.text,
        "blocks": list(body.blocks),
        "buttons": list(body.buttons),
        "files": [file_json(message.id, file) for file in body.files],
        "status": body.status,
        "mention": list(body.mention),
        "edited": message.edited,
        "deleted": message.deleted,
        "private": message.only_for is not None,
        "created_at": message.created_at,
        "number": message.created,
        "cursor": cursor_text(message.changed),
    }


def file_json(holder: str, file: FileRef) -> dict[str, Any]:
    """`holder` is the message, or the hand-out, through which the file may be read."""
    return {
        "name": file.name,
        "url": f"/api/files/{holder}/{file.sha256}/{quote(file.name, safe='')}",
        "media_type": file.media_type,
        "bytes": file.bytes,
    }


REFUSALS = {
    ReplyKind.FORBIDDEN: HTTPStatus.FORBIDDEN,
    ReplyKind.GONE: HTTPStatus.GONE,
    ReplyKind.UNKNOWN: HTTPStatus.NOT_FOUND,
    ReplyKind.INVALID: HTTPStatus.BAD_REQUEST,
    ReplyKind.FAILED: HTTPStatus.SERVICE_UNAVAILABLE,
    ReplyKind.CONFIRM: HTTPStatus.CONFLICT,
    ReplyKind.CHOOSE: HTTPStatus.CONFLICT,
    ReplyKind.REASON: HTTPStatus.CONFLICT,
}


def refusal(replies: Sequence[Reply]) -> tuple[HTTPStatus, dict[str, Any]] | None:
    """Status and body of the first reply that is not a yes; None where all are."""
    reply = next((reply for reply in replies if reply.kind is not ReplyKind.DONE), None)
    if reply is None:
        return None
    match reply.kind:
        case ReplyKind.CONFIRM:
            body: dict[str, Any] = {"confirm": reply.text}
        case ReplyKind.CHOOSE:
            body = {"choices": [asdict(choice) for choice in reply.choices]}
            if reply.text:
                body["text"] = reply.text
        case ReplyKind.REASON:
            body = {"reason": reply.text}
        case _:
            body = {"text": reply.text}
    return REFUSALS[reply.kind], body


def told(replies: Sequence[Reply]) -> Body | None:
    """All replies as one message to their reader; None where they say nothing."""
    lines = [reply.text for reply in replies if reply.text]
    lines += [f"{choice.id}: {choice.text}" for reply in replies for choice in reply.choices]
    files = tuple(file for reply in replies for file in reply.files)
    if not lines and not files:
        return None
    return body_of_text(whole("\n".join(lines)), files)
