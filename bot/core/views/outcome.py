"""How one block ended, as a headline and what to do about it."""

from bot.core.limits import TIMEOUT_CEILING_S
from bot.core.reports import BlockReport
from bot.core.views import texts
from bot.core.views.view import Headline, Note
from executor.types import MIB, Outcome

_GLYPHS = {
    Outcome.COMPLETED: "✅",
    Outcome.FAILED: "❌",
    Outcome.TIMED_OUT: "⏱",
    Outcome.OUT_OF_MEMORY: "🧠",
    Outcome.OUTPUT_EXCEEDED: "✂️",
    Outcome.TOO_MANY_PROCESSES: "❌",
    Outcome.CANCELLED: "✋",
    Outcome.REFUSED: "⛔",
    Outcome.DENIED: "⛔",
    Outcome.INTERRUPTED: "♻️",
    Outcome.LOST: "♻️",
}
_SIGNALS = {
    4: "SIGILL",
    6: "SIGABRT",
    7: "SIGBUS",
    8: "SIGFPE",
    9: "SIGKILL",
    11: "SIGSEGV",
    13: "SIGPIPE",
    15: "SIGTERM",
}


def headline_of(
    report: BlockReport, language: str, count: str = "", by: str | None = None, asked_s: float | None = None
) -> Headline:
    """`✅ Python · exit 0 · 12 ms`, `⏱ Python 2/3 · stopped after 10 s (this channel's limit) · peak 41 MB`.

    `asked_s` is the time-out that the request asked for, if it did.
    """
    words = [f"{language} {count}" if count else language, *_verdict(report, by, asked_s)]
    return Headline(_GLYPHS[report.outcome], " · ".join(words))


def _verdict(report: BlockReport, by: str | None, asked_s: float | None) -> list[str]:
    took = texts.seconds(report.duration_ms / 1000)
    limit = report.limit.value if report.limit else 0.0
    peak = [f"peak {report.peak_memory_bytes / MIB:.0f} MB"] if report.peak_memory_bytes >= MIB else []
    match report.outcome:
        case Outcome.TIMED_OUT:
            whose = "as its fence line says" if limit == asked_s else "this channel's limit"
            return [f"stopped after {texts.seconds(limit)} ({whose})", *peak]
        case Outcome.OUT_OF_MEMORY:
            return [f"out of memory at {limit:g} MB (this channel's limit)", took]
        case Outcome.OUTPUT_EXCEEDED:
            return [f"stopped after {limit / MIB:g} MB of output (this channel's limit)", took]
        case Outcome.TOO_MANY_PROCESSES:
            return [f"more than {limit:g} processes (this channel's limit)", took]
        case Outcome.CANCELLED:
            return [f"stopped by {by}" if by else "stopped", took]
        case Outcome.COMPLETED | Outcome.FAILED:
            words = [_exit(report), took]
            if report.error_line:
                words.append(report.error_line)
            elif not report.text and report.value is None:
                words.append("no output")
            return words
        case _:
            return [report.outcome.value, took]


def _exit(report: BlockReport) -> str:
    if report.signal is not None:
        return f"ended by {_SIGNALS.get(report.signal, f'signal {report.signal}')}"
    return f"exit {report.exit_code}"


def notes_of(report: BlockReport) -> list[Note]:
    """What to do about a limit, or about what was missing."""
    match report.outcome:
        case Outcome.TIMED_OUT:
            limit = report.limit.value if report.limit else 0.0
            if limit >= TIMEOUT_CEILING_S:
                return []
            more = 60 if limit < 60 else min(2 * limit, TIMEOUT_CEILING_S)
            return [Note(f'Raise it with a "timeout={more:g}" on the fence line; that needs approval here.')]
        case Outcome.OUT_OF_MEMORY:
            return [Note("An admin can raise the memory limit of this channel.")]
        case Outcome.FAILED if report.limit is not None and report.limit.name == "file_bytes":
            return [Note(f"A file met the limit of {report.limit.value / MIB:g} MB (this channel's limit).")]
        case Outcome.FAILED if report.out_of_input:
            return [Note("It asked for input and there was none left. Run with input… lets you type it.")]
        case _:
            return []
