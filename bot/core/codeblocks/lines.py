"""A message as lines that remember where they stood and how they ended.

CommonMark ends a line at LF, CRLF or a lone CR. CRLF becomes LF here, once, and that text is what is shown, hashed and
run. A lone CR ends a line but stays in the code: nobody types one, so the policy's gate has to see it. CR CR LF, which
a text file written twice in text mode has, is one CRLF: otherwise a second normalisation would change the code again.
"""

from typing import NamedTuple


class Line(NamedTuple):
    """`text` is without its ending, `number` the line of the message from 1, `end` is LF or CR."""

    text: str
    number: int
    end: str = "\n"


def split_lines(text: str) -> list[Line]:
    """All lines of a message. An ending at the end of the text begins no further line."""
    pieces = text.split("\n")
    if pieces[-1] == "":
        pieces.pop()
    lines: list[Line] = []
    for piece in pieces:
        *bare, last = piece.rstrip("\r").split("\r")
        for each in bare:
            lines.append(Line(each, len(lines) + 1, "\r"))
        lines.append(Line(last, len(lines) + 1))
    return lines
