"""Take out of a message what the platform's client put in, and nothing else.

Everything that a person could have typed arrives as it is, invisible characters included, so that the policy's gate
sees them and the card shows them. Each platform has one function from its text to the text as written; adapters call
it at the edge, before anything else looks at the message.
"""

import re

_NBSP = "\u00a0"
_INDENT = re.compile(rf"(?m)^[ \t{_NBSP}]+")
_LINK = re.compile(r"<((?:https?|ftp)://[^<>|\s]+|(?:mailto|tel):[^<>|\s]+)(?:\|([^<>|\n]*))?>")
_HALF = re.compile("[\ud800-\udfff]")
_DIRECTION = re.compile("[\u2066-\u2069\u200e\u200f]+")


def clean(text: str, platform: str) -> str:
    """The text as its author wrote it. Platforms without a client of their own change nothing."""
    match platform:
        case "slack":
            return slack_text(text)
        case "discord":
            return discord_text(text)
        case _:
            return text


def has_half_character(text: str) -> bool:
    """Whether it holds a lone surrogate: JSON can bring one, and neither UTF-8 nor a store can keep it."""
    return _HALF.search(text) is not None


def slack_text(text: str) -> str:
    """Undo what Slack does to the `text` of a message (mrkdwn; not to the elements of rich_text).

    Slack escapes exactly `&`, `<` and `>`, so `&amp;` comes last and nothing else is an entity to it. A raw `<` is
    always Slack's own: links it made of addresses turn back into what was typed, mentions stay.
    """
    unlinked = "```".join(
        _LINK.sub(_typed_in_code if index % 2 else _typed, part) for index, part in enumerate(text.split("```"))
    )
    unescaped = unlinked.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return slack_rich_text(unescaped)


def slack_rich_text(text: str) -> str:
    """Undo what Slack's composer does to text of rich_text elements: it is literal, but pasted indentation has NBSP."""
    return _INDENT.sub(lambda found: found[0].replace(_NBSP, " "), text)


def discord_text(text: str) -> str:
    """Take out the direction marks that Discord's client wrapped around blocks and lines (early 2026).

    Only there: at the start and end of a line and right beside a fence's ticks. Inside a line they are the author's.
    """
    return _DIRECTION.sub(lambda found: "" if _is_at_edge(found) else found[0], text)


def _is_at_edge(found: re.Match[str]) -> bool:
    text, start, end = found.string, found.start(), found.end()
    at_line = start == 0 or end == len(text) or text[start - 1] in "\r\n" or text[end] in "\r\n"
    return at_line or text.startswith("```", end) or text.endswith("```", 0, start)


def _typed_in_code(found: re.Match[str]) -> str:
    """Code holds no links, so whatever label Slack gave one is the text that was typed."""
    return found[2] or _address(found)


def _typed(found: re.Match[str]) -> str:
    """A link whose label is not its own address was made by hand and stays."""
    label = found[2]
    if label is None:
        return _address(found)
    return label if label and label.rstrip("/") in found[1] else found[0]


def _address(found: re.Match[str]) -> str:
    return found[1].removeprefix("mailto:").removeprefix("tel:")
