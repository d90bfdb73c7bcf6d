"""The languages that can run, and the tags that people write for other things.

A tag is the first word behind a fence's ticks. Which languages run is data (`config/default.toml`, narrowed by the
channel); which other tags exist in the world is not ours to configure and only makes hints better: `json` is a format
that is shown, `rust` a language that this channel lacks, `pyhton` a slip.
"""

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

_TAG = re.compile(r"[a-z0-9][a-z0-9+#._-]{0,31}")
_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")
_TAG_CHARS = 32
_NEAR = 0.7
"""Ratio of difflib from which a tag counts as a slip of another: `pyhton` has 0.83, `pascal` against `python` 0.33."""


@dataclass(frozen=True, slots=True)
class Language:
    """One language: `name` is canonical, `file` what its code is called in the sandbox, `comment` starts a comment."""

    name: str
    display: str
    file: str
    aliases: tuple[str, ...] = ()
    comment: str = "#"

    def __post_init__(self) -> None:
        for tag in self.tags:
            if not _TAG.fullmatch(tag):
                raise ValueError(f"language {self.name!r}: a tag is lower case, without blanks, not {tag!r}")
        if not _FILE.fullmatch(self.file):
            raise ValueError(f"language {self.name!r}: not a plain file name: {self.file!r}")
        if not self.display.strip() or not self.comment.strip():
            raise ValueError(f"language {self.name!r} needs a display name and a comment sign")

    @property
    def tags(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)


@dataclass(frozen=True, slots=True)
class LanguageTable:
    """The languages that run, in the order in which they are named to people; no tag means two of them."""

    languages: tuple[Language, ...]

    def __post_init__(self) -> None:
        owner: dict[str, str] = {}
        for language in self.languages:
            for tag in language.tags:
                if tag in owner:
                    raise ValueError(f"the tag {tag!r} means both {owner[tag]} and {language.name}")
                owner[tag] = language.name

    @classmethod
    def from_config(cls, data: Mapping[str, Mapping[str, object]]) -> "LanguageTable":
        """Read `{name: {display, file, aliases, comment}}`; only `file` is required.

        `command` is the executor's part of the same table and is passed over. ValueError names the key at fault.
        """
        return cls(tuple(_language(name, entry) for name, entry in data.items()))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(language.name for language in self.languages)

    def find(self, tag: str) -> Language | None:
        """The language of a name or alias, whatever its case."""
        wanted = tag.lower()
        return next((language for language in self.languages if wanted in language.tags), None)

    def only(self, names: Iterable[str]) -> "LanguageTable":
        """The part of the table that a channel runs; names that are not in the table are passed over."""
        wanted = frozenset(names)
        return LanguageTable(tuple(language for language in self.languages if language.name in wanted))

    def nearest(self, tag: str) -> Language | None:
        """The language that someone who wrote `tag` most likely meant, None if nothing is close."""
        tags = [each for language in self.languages for each in language.tags]
        near = difflib.get_close_matches(tag[:_TAG_CHARS].lower(), tags, n=1, cutoff=_NEAR)
        return self.find(near[0]) if near else None


def _language(name: str, entry: Mapping[str, object]) -> Language:
    surplus = entry.keys() - {"display", "file", "aliases", "comment", "command"}
    if surplus:
        raise ValueError(f"language {name!r}: unknown key {min(surplus)!r}")
    match {"display": name.title(), "aliases": (), "comment": "#", **entry}:
        case {"file": str(file), "display": str(display), "comment": str(comment), "aliases": [*aliases]}:
            return Language(name, display, file, tuple(str(alias) for alias in aliases), comment)
        case _:
            raise ValueError(f"language {name!r}: file (required), display and comment are texts, aliases is a list")


DEFAULT_LANGUAGES = LanguageTable(
    (
        Language("python", "Python", "main.py", ("py", "python3")),
        Language("bash", "Bash", "main.bash"),
        Language("sh", "Shell", "main.sh", ("shell",)),
        Language("javascript", "JavaScript", "main.js", ("js", "node"), comment="//"),
    )
)


_FORMATS = """
ansi apache asciidoc bibtex cfg conf console csv diff dockerfile dot dotenv env error graphviz hcl html http ini
input json json5 jsonc jsonl ipynb latex log logs makefile markdown md mermaid nginx none out output patch plain
plaintext plantuml pgn proto protobuf properties pycon pytb raw result rst shell-session shellsession stderr stdout
svg tap terminal tex text toml traceback tsv txt xml xhtml yaml yml
"""

FORMATS = frozenset(_FORMATS.split())
"""Tags of what is shown and never run: data, output, markup."""


_OTHER_LANGUAGES = """
abap ada apl applescript arduino asm assembly autohotkey awk basic bat batch c c# c++ c++11 c++14 c++17 c++20 cc
clj cljs clojure cmake cmd cobol coffee coffeescript commonlisp cpp cr crystal cs csharp css cuda cxx cython d dart
delphi dos elisp elixir elm emacs-lisp erl erlang ex exs f# f90 fish fortran fs fsharp gdscript glsl go golang
gradle graphql groovy h haskell haxe hlsl hpp hs java jl julia jsx kotlin ksh kt less lisp ll llvm lua m4 matlab
mjs ml mojo mysql nasm nim nix nushell objc objective-c objectivec ocaml octave odin pascal perl pgsql php pl
plpgsql postgres postgresql powershell prolog ps1 psql purescript pwsh pyrex qml r racket raku rb re reasonml rs
ruby rust sas sass scala scheme scss sed solidity sol spark sparql sql sqlite stan stata svelte swift systemverilog
tcl tcsh terraform tf ts tsql tsx typescript v vb vba vbnet verilog vhdl vim viml vue vyper wasm wat wgsl zig zsh
"""

OTHER_LANGUAGES = frozenset(_OTHER_LANGUAGES.split())
"""Tags of languages that exist and that no default runs."""


class TagKind(Enum):
    RUNS = "runs"
    ELSEWHERE = "elsewhere"
    FORMAT = "format"
    UNKNOWN = "unknown"


def kind_of(tag: str, languages: LanguageTable) -> TagKind:
    """What a tag stands for in a channel that runs `languages`."""
    lowered = tag.lower()
    if languages.find(lowered):
        return TagKind.RUNS
    if lowered in FORMATS:
        return TagKind.FORMAT
    if lowered in OTHER_LANGUAGES or DEFAULT_LANGUAGES.find(lowered):
        return TagKind.ELSEWHERE
    return TagKind.UNKNOWN
