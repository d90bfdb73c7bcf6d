"""Find fences in the lines of a message by CommonMark's rules.

markdown-it-py's block tokenizer does the finding, because lists, quotes, tabs and lazy lines interact in ways that no
regular expression gets right. Three things differ from rendering a page:

- The tokenizer is called below markdown-it's normalisation, which would put U+FFFD for NUL: code arrives as written.
- HTML blocks and link references are off. No chat client renders them, so nobody can see that a `<div>` above it
  swallows a fence.
- Nesting beyond 20 lists and quotes is not looked into (markdown-it's `maxNesting`), which bounds hostile input.
"""

from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.core.codeblocks.lines import Line

_RULES = ["code", "fence", "blockquote", "hr", "list", "heading", "lheading", "paragraph"]
_MARKDOWN = MarkdownIt("zero").enable(_RULES)


@dataclass(frozen=True, slots=True)
class Fence:
    """A fence as CommonMark sees it.

    `marker` is the run of ticks or tildes that opened it, `info` what follows on that line without blanks around it,
    `code` ends in a newline unless empty. `line` is the opening line of the message, `code_line` the first of the code.
    """

    marker: str
    info: str
    code: str
    line: int
    code_line: int
    closed: bool
    quoted: bool


@dataclass(frozen=True, slots=True)
class Page:
    """What a message is made of: its fences, and the lines that belong to none."""

    fences: tuple[Fence, ...]
    prose: tuple[Line, ...]


def read_fences(lines: list[Line]) -> Page:
    tokens: list[Token] = []
    source = "".join(line.text + "\n" for line in lines)
    _MARKDOWN.block.parse(source, _MARKDOWN, {}, tokens)
    fences: list[Fence] = []
    prose: list[Line] = []
    quotes = after = 0
    for token in tokens:
        quotes += token.nesting if token.type.startswith("blockquote") else 0
        if token.type == "fence" and token.map:
            start, stop = token.map
            prose.extend(lines[after:start])
            fences.append(_fence(token, lines[start:stop], quoted=quotes > 0))
            after = stop
    return Page(tuple(fences), (*prose, *lines[after:]))


def _fence(token: Token, lines: list[Line], *, quoted: bool) -> Fence:
    """`lines` are those that the token covers: the opening one, the code, and the closing one if there is one."""
    body = token.content.split("\n")[:-1]
    ends = [line.end for line in lines[1 : len(body)]] + ["\n"]
    return Fence(
        marker=token.markup,
        info=token.info.strip(" \t"),
        code="".join(text + end for text, end in zip(body, ends, strict=False)),
        line=lines[0].number,
        code_line=lines[1].number if body else lines[0].number,
        closed=len(lines) > len(body) + 1,
        quoted=quoted,
    )
