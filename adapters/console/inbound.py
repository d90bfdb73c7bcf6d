"""Lines that are typed become what somebody meant by them. Pure: the gateway makes events of it.

A line is a message, as Enter sends in a chat; one that opens a fence goes on until the fence is closed, and so does
what stands between `/message` and `/end`, whatever it holds. A line that begins with a slash is for the console.
"""

import re
from dataclasses import dataclass, field

_ARGS = re.compile(r"""args=(?:"([^"]*)"|'([^']*)'|(\S*))\s*""")
_MENTION = re.compile(r"@fencepost\b[,:]?[^\S\n]?", re.IGNORECASE)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


@dataclass(frozen=True, slots=True)
class Said:
    """A message; `edits` says that it takes the place of the last one."""

    text: str
    edits: bool = False


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button by id or number, on a message or (None) on the latest that has it; `rest` is what was typed behind."""

    button: str
    message: str | None = None
    rest: str = ""


@dataclass(frozen=True, slots=True)
class Commanded:
    text: str


@dataclass(frozen=True, slots=True)
class ActAs:
    person: str


@dataclass(frozen=True, slots=True)
class Deleted:
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Quit:
    pass


@dataclass(frozen=True, slots=True)
class Waited:
    """Go on only once nothing runs any more: for scripts."""


@dataclass(frozen=True, slots=True)
class Unclear:
    """Nothing was done; `text` says what to type instead."""

    text: str


Meant = Said | Pressed | Commanded | ActAs | Deleted | Quit | Waited | Unclear

HELP = """\
A line is a message; a fence goes on until it is closed:
  ```python
  print(6 * 7)
  ```
/as NAME                 act as somebody else
/press BUTTON [WORDS]    press a button by its number or name on the latest answer that has it; #3 in front names
                         the answer; WORDS are a reason, a choice, "confirm", or the program's input
/edit [TEXT]             write your last message anew (the next message is its text if none follows)
/delete [#N]             delete your last message, or that one
/message … /end          one message of everything in between, for several blocks at once
/fencepost …             commands to the bot
/wait                    go on once nothing runs any more
/help, /quit"""


@dataclass(slots=True)
class Reader:
    """Takes lines one by one; holds the lines of a message that is not complete yet."""

    _held: list[str] = field(default_factory=list)
    _fence: str = ""
    _until_end: bool = False
    _edits: bool = False

    @property
    def is_open(self) -> bool:
        """Whether the next line goes on with a message."""
        return bool(self._held) or self._until_end

    def feed(self, line: str) -> Meant | None:
        """What is complete with this line (without its line end), None while a message goes on."""
        if self._until_end:
            if line.strip() == "/end":
                return self._complete()
            self._held.append(line)
            return None
        if self._fence:
            self._held.append(line)
            return self._complete() if _closes(line, self._fence) else None
        if line.startswith("/"):
            return self._slash(line)
        return self._text(line)

    def end(self) -> Meant | None:
        """Input is over: what has been typed so far is the message."""
        return self._complete() if self._held else None

    def _text(self, line: str) -> Meant | None:
        opened = _FENCE.fullmatch(line)
        if opened and not (opened[1][0] == "`" and "`" in opened[2]):
            self._fence = opened[1]
            self._held.append(line)
            return None
        if not line.strip():
            return None
        self._held.append(line)
        return self._complete()

    def _complete(self) -> Said:
        said = Said("\n".join(self._held), self._edits)
        self._held, self._fence, self._until_end, self._edits = [], "", False, False
        return said

    def _slash(self, line: str) -> Meant | None:
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        match word:
            case "/as":
                return ActAs(rest) if rest else Unclear("Say who: /as lee")
            case "/press":
                return _pressed(rest)
            case "/fencepost":
                return Commanded(rest)
            case "/edit":
                self._edits = True
                return self._text(rest) if rest else None
            case "/message":
                self._until_end = True
                return None
            case "/delete":
                return Deleted(rest.removeprefix("#") or None)
            case "/wait":
                return Waited()
            case "/quit":
                return Quit()
            case "/help":
                return Unclear(HELP)
            case _:
                return Unclear(f"There is no {word} here; /help lists what there is.")


def _pressed(rest: str) -> Meant:
    message = None
    if rest.startswith("#"):
        message, _, rest = rest.removeprefix("#").partition(" ")
    button, _, words = rest.strip().partition(" ")
    if not button:
        return Unclear("Say which: /press 1, or /press approve")
    return Pressed(button.removesuffix("…").lower(), message, words.strip())


def _closes(line: str, fence: str) -> bool:
    found = _FENCE.fullmatch(line)
    return found is not None and found[1].startswith(fence) and not found[2].strip()


def without_mention(text: str) -> tuple[str, bool]:
    """The text without the bot's name in front, and whether it was there."""
    found = _MENTION.match(text)
    return (text[found.end() :], True) if found else (text, False)


@dataclass(frozen=True, slots=True)
class Form:
    """What a click carries besides the button."""

    reason: str | None = None
    choice: str | None = None
    confirm: bool = False
    stdin: str | None = None
    args: str | None = None


def form(button: str, rest: str, choices: tuple[str, ...] = ()) -> Form:
    """The words behind a button as its form. `choices` are the ids that were offered last, for choosing by number."""
    if button == "run_input":
        return _input(rest)
    confirm = False
    choice = None
    if rest == "confirm" or rest.startswith("confirm "):
        confirm, rest = True, rest.removeprefix("confirm").strip()
    first, _, behind = rest.partition(" ")
    if first in choices:
        choice, rest = first, behind
    elif first.isascii() and first.isdigit() and 0 < int(first[:6]) <= len(choices):
        choice, rest = choices[int(first) - 1], behind
    return Form(reason=rest.strip() or None, choice=choice, confirm=confirm)


def _input(rest: str) -> Form:
    """`args="…"` in front are arguments, the rest is the input; a backslash and n is a line end in it."""
    args = None
    if found := _ARGS.match(rest):
        args, rest = next(part for part in (*found.groups(), "") if part is not None), rest[found.end() :]
    return Form(stdin=rest.replace("\\n", "\n") or None, args=args)
