"""Programs that Python starts: their words stand in the code, and are read as the same words in a shell are."""

import ast
import re
import shlex

from bot.core.policy.python.arguments import Arguments
from bot.core.policy.python.block import Block
from bot.core.policy.python.literals import WORKSPACE, is_plain, text, texts
from bot.core.policy.python.said import Facts
from bot.core.policy.shell.analysis import facts_of as shell_facts

CALLS = ("run", "check_output", "check_call", "call")
_HARMLESS = frozenset({"args", "capture_output", "text", "check", "timeout", "encoding", "universal_newlines", "input"})
_STREAMS = frozenset({"stdin", "stdout", "stderr"})
_PLAIN_SHELL = re.compile(r"[A-Za-z0-9_./=:,@%+ -]+")
"""A text that every shell takes for one command with these words, and nothing else."""


def started(node: ast.AST, block: Block) -> Facts | None:
    """`subprocess.run([...])`, where no argument changes which program runs, or where."""
    call = block.call_of(node)
    arguments = None if call is None else Arguments.of(call, "args")
    if call is None or arguments is None or not arguments.has_only({*_HARMLESS, *_STREAMS, "cwd", "shell"}):
        return None
    if any(not is_plain(value) for name, value in arguments.named.items() if name in _HARMLESS - {"args", "input"}):
        return None
    if any(not _is_stream(value, block) for name, value in arguments.named.items() if name in _STREAMS):
        return None
    if (cwd := arguments.get("cwd")) is not None and text(cwd) not in {WORKSPACE, "."}:
        return None
    words = _words(arguments.get("args"), arguments.get("shell"))
    if not words or "=" in words[0]:
        return None
    return tuple(each.model_copy(update={"line": call.lineno}) for each in shell_facts(shlex.join(words)))


def _words(given: ast.expr | None, shell: ast.expr | None) -> list[str] | None:
    by_shell = shell is not None and not (isinstance(shell, ast.Constant) and shell.value is False)
    if not by_shell:
        found = texts(given)
        return None if found is None or any("\0" in each for each in found) else found
    line = text(given)
    if not (isinstance(shell, ast.Constant) and shell.value is True) or line is None:
        return None
    words = line.split(" ") if _PLAIN_SHELL.fullmatch(line) else []
    words = [each for each in words if each]
    return words if words and "%" not in words[0] else None


def _is_stream(value: ast.expr, block: Block) -> bool:
    return block.member(value) in {f"subprocess.{name}" for name in ("PIPE", "DEVNULL", "STDOUT")}
