"""What a file is, told by its content: its name is whatever a program has called it."""

from typing import Final

PLAIN: Final = "text/plain"
UNKNOWN: Final = "application/octet-stream"

_PICTURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
_NO_TEXT: Final = frozenset(range(0x20)) - frozenset(b"\t\n\r\f") | {0x7F}


def media_type(data: bytes) -> str:
    """A picture that chats show, or text, or unknown. Nothing is decoded that could grow."""
    for beginning, name in _PICTURES:
        if data.startswith(beginning):
            return name
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return PLAIN if _is_text(data) else UNKNOWN


def _is_text(data: bytes) -> bool:
    """UTF-8 without control characters. Markup is text too: nobody should render what a program wrote."""
    if not _NO_TEXT.isdisjoint(data):
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
