"""The blocks of a message, and hints for fences that are not what their author meant.

    lines -> (a chat client's dialect) -> fences by CommonMark -> info, file name, input -> blocks and hints

Nothing here decides whether a block runs; `Block.runnable` says that it could, because its language is known here, its
fence is closed and all that is written on it can be read. Reading never fails, whatever the text, and takes time in
proportion to its length.
"""

import re
from dataclasses import dataclass, field, replace

from bot.core.codeblocks import hint, mistakes
from bot.core.codeblocks.dialect import COMMONMARK, Dialect, dialect_of, settle
from bot.core.codeblocks.fences import Fence, read_fences
from bot.core.codeblocks.filename import read_filename
from bot.core.codeblocks.hint import Hint, HintKind
from bot.core.codeblocks.inference import infer_language
from bot.core.codeblocks.info import Attributes, Info, looks_like_code, read_info
from bot.core.codeblocks.lines import split_lines
from bot.core.languages import Language, LanguageTable, TagKind, kind_of

__all__ = [
    "COMMONMARK",
    "Attributes",
    "Block",
    "Dialect",
    "Extraction",
    "Hint",
    "HintKind",
    "dialect_of",
    "extract",
    "fenced",
    "infer_language",
]

_STDIN = "stdin"
_NO_SLIP = frozenset({HintKind.FORMAT, HintKind.QUOTED})


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced piece of code.

    `language` is canonical, None if the fence has no tag or one that does not run here; `suggested` is then what the
    code looks like. `code` ends in a newline unless empty. `info` is the fence line without its ticks, `line` the
    opening fence's, from 1. `stdin` is the text of the `stdin` fence that followed. `faults` keep it from running.
    """

    language: str | None
    code: str
    info: str
    line: int
    closed: bool
    attributes: Attributes = field(default_factory=Attributes)
    filename: str | None = None
    stdin: str | None = None
    suggested: str | None = None
    faults: tuple[Hint, ...] = ()

    @property
    def runnable(self) -> bool:
        return not self.faults


@dataclass(frozen=True, slots=True)
class Extraction:
    """`hints` are in the order of the lines they speak of and include the faults of the blocks."""

    blocks: tuple[Block, ...] = ()
    hints: tuple[Hint, ...] = ()

    @property
    def runnable(self) -> tuple[Block, ...]:
        return tuple(block for block in self.blocks if block.runnable)

    def worth_telling(self, *, addressed: bool) -> tuple[Hint, ...]:
        """All hints for someone who addressed the bot and got nothing to run, else only those that name a slip.

        People who talk among themselves, or whose other block runs, know that their data or quote was not for the bot.
        A fence that could be meant for it is never passed over in silence.
        """
        if addressed and not self.runnable:
            return self.hints
        return tuple(each for each in self.hints if each.kind not in _NO_SLIP)


def extract(text: str, languages: LanguageTable, dialect: Dialect = COMMONMARK) -> Extraction:
    """Read the blocks of a message whose platform's own marks are already taken out (`bot.core.arrival`)."""
    lines = split_lines(text)
    page = read_fences(settle(lines, languages) if dialect.glued else lines)
    blocks: list[Block] = []
    hints: list[Hint] = []
    for fence in page.fences:
        if fence.quoted:
            continue
        info, inner = read_info(fence.info), fence
        if dialect.tag_line and not fence.info:
            info, inner = _tag_from_code(fence, languages)
        if info.tag.lower() == _STDIN:
            _feed(blocks, hints, inner)
        else:
            block, remarks = _block(inner, info, languages)
            blocks.append(block)
            hints += remarks
    displaced = mistakes.glued_or_indented(page.prose, languages)
    if displaced and blocks and _is_remainder(blocks[-1]):
        blocks[-1] = replace(blocks[-1], faults=tuple(f for f in blocks[-1].faults if f.kind is HintKind.UNCLOSED))
        hints = [each for each in hints if each.line != blocks[-1].line]
    hints += displaced
    if all(block.faults for block in blocks):
        hints += [hint.quoted(fence.line) for fence in page.fences if fence.quoted]
        found = mistakes.misfenced(page.prose, languages)
        if found is None and not page.fences and languages.find("python"):
            found = mistakes.unfenced(page.prose)
        hints += [found] if found else []
    return Extraction(tuple(blocks), tuple(sorted(hints, key=lambda each: each.line)))


def fenced(code: str, info: str = "") -> str:
    """The code in a fence longer than any run of ticks in it, so that reading it gives the same code back."""
    longest = max(map(len, re.findall("`+", code)), default=0)
    ticks = "`" * max(3, longest + 1)
    end = "" if not code or code.endswith("\n") else "\n"
    return f"{ticks}{info}\n{code}{end}{ticks}"


def _block(fence: Fence, info: Info, languages: LanguageTable) -> tuple[Block, list[Hint]]:
    """The block of a fence, and everything there is to say about it."""
    language = languages.find(info.tag)
    faults = _tag_faults(fence, info, language, languages)
    faults += [hint.bad_attribute(fence.line, problem) for problem in info.problems] if language else []
    named = read_filename(fence.code, language.comment if language else "#")
    if named and named.problem:
        faults.append(hint.bad_filename(fence.code_line + named.offset, named.problem))
    faults += _closing_faults(fence)
    words = info.unknown if language and not info.has_code else ()
    block = Block(
        language=language.name if language else None,
        code=fence.code,
        info=fence.info,
        line=fence.line,
        closed=fence.closed,
        attributes=info.attributes,
        filename=named.path if named else None,
        suggested=None if language else _suggest(fence.code, languages),
        faults=tuple(faults),
    )
    return block, faults + [hint.unknown_attribute(fence.line, word) for word in words[:1]]


def _tag_faults(fence: Fence, info: Info, language: Language | None, languages: LanguageTable) -> list[Hint]:
    if language:
        return [hint.code_on_fence_line(fence.line, fence.marker, language.name)] if info.has_code else []
    if not info.tag:
        return [hint.untagged(fence.line, _suggest(fence.code, languages), languages)]
    match kind_of(info.tag, languages):
        case TagKind.FORMAT:
            return [hint.shown_format(fence.line, info.tag)]
        case TagKind.ELSEWHERE:
            return [hint.not_run_here(fence.line, info.tag, languages)]
        case _ if looks_like_code(fence.info):
            return [hint.code_on_fence_line(fence.line, fence.marker, _suggest(fence.info, languages))]
        case _:
            return [hint.unknown_tag(fence.line, info.tag, languages)]


def _closing_faults(fence: Fence) -> list[Hint]:
    if fence.closed:
        return []
    code = fence.code.rstrip()
    if code.endswith(fence.marker):
        return [hint.glued_close(fence.code_line + code.count("\n"), fence.marker)]
    return [hint.unclosed(fence.line, fence.marker)]


def _suggest(code: str, languages: LanguageTable) -> str | None:
    guess = infer_language(code)
    return guess if guess and languages.find(guess) else None


def _feed(blocks: list[Block], hints: list[Hint], fence: Fence) -> None:
    """Make a `stdin` fence the input of the block before it, which then cannot run unless the fence is closed."""
    if not blocks or blocks[-1].stdin is not None:
        hints.append(hint.lone_stdin(fence.line))
        return
    faults = _closing_faults(fence)
    blocks[-1] = replace(blocks[-1], stdin=fence.code, faults=(*blocks[-1].faults, *faults))
    hints += faults


def _tag_from_code(fence: Fence, languages: LanguageTable) -> tuple[Info, Fence]:
    """In an untagged fence of Slack's, the first line as its fence line, if it could be one of a language that runs."""
    first, newline, rest = fence.code.partition("\n")
    info = read_info(first)
    readable = not (info.unknown or info.problems or info.has_code)
    if newline and readable and first[:1].isalnum() and languages.find(info.tag):
        return info, replace(fence, info=first.strip(" \t"), code=rest, code_line=fence.code_line + 1)
    return Info(), fence


def _is_remainder(block: Block) -> bool:
    """Whether a fence is only the end of one that began behind other words, which CommonMark takes for a beginning."""
    return not block.info and not block.closed
