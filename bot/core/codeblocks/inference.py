"""Guess the language of text that nobody tagged. A guess is only ever a suggestion: it makes hints, it runs nothing.

Parsing as Python proves little: `great`, `Name: Ana`, `user = ana` and `a / b` all do. So a guess needs evidence that
prose, settings files and logs do not give: a definition, an import, a loop; a call of a built-in function; or a name
that is used after something was assigned to it.
"""

import ast
import builtins
import re
import textwrap
import warnings

_PARSE_CHARS = 16 * 1024
"""Longer text is not guessed at: a block of that size would not run anyway, and the parser's time is the bot's."""

_STRONG = (
    ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.For, ast.AsyncFor, ast.While,
    ast.If, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match,
)  # fmt: skip
_OF_THE_PROMPT = frozenset({"copyright", "credits", "exit", "help", "license", "quit"})
_FUNCTIONS = frozenset(name for name in dir(builtins) if name.islower() and name[0] != "_") - _OF_THE_PROMPT
_PROMPT = re.compile(r"(?:>>>|In \[[0-9]+\]:) (.*)")
PROMPTS = 3
_SHEBANG = re.compile(r"#![^\n]*?\b(python|bash|sh|node)[0-9.]*(?:\s|$)")
_SHEBANG_LANGUAGES = {"python": "python", "bash": "bash", "sh": "sh", "node": "javascript"}
_SHELL_PROMPT = re.compile(r"\$ \S")


def infer_language(code: str) -> str | None:
    """`python`, `bash`, `sh` or `javascript` where that is plain to see, None otherwise."""
    text = code.lstrip("\r\n")
    if shebang := _SHEBANG.match(text[:200]):
        return _SHEBANG_LANGUAGES[shebang[1]]
    if looks_like_python(code) or looks_like_session(code):
        return "python"
    return "bash" if _SHELL_PROMPT.match(text) else None


def looks_like_python(text: str) -> bool:
    tree = _parse(text)
    if tree is None:
        return False
    assigned: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, _STRONG):
            return True
        nodes = list(ast.walk(statement))
        if not _is_plain(statement) and any(_is_evidence(node, assigned) for node in nodes):
            return True
        assigned |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return False


def looks_like_session(text: str) -> bool:
    """Whether text is copied from an interactive Python: three prompts, one of them before code, not a quoted mail."""
    inputs = [found[1] for line in text[:_PARSE_CHARS].split("\n") if (found := _PROMPT.match(line.strip()))]
    if len(inputs) < PROMPTS:
        return False
    return any(looks_like_python(each) for each in inputs) or looks_like_python("\n".join(inputs))


def _is_plain(statement: ast.stmt) -> bool:
    """Whether it is a word, `word = word` or `word: word`, as in lists and settings."""
    if not isinstance(statement, ast.Expr | ast.Assign | ast.AnnAssign):
        return False
    return statement.value is None or isinstance(statement.value, ast.Name | ast.Constant)


def _is_evidence(node: ast.AST, assigned: set[str]) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name in _FUNCTIONS
        case ast.Name(id=name, ctx=ast.Load()):
            return name in assigned
        case _:
            return False


def _parse(text: str) -> ast.Module | None:
    """None for what is not Python, and for what the parser gives up on (NUL, surrogates, nesting, sheer size)."""
    if len(text) > _PARSE_CHARS or not text.strip():
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(textwrap.dedent(text))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
