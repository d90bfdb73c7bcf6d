"""The one message about a request, in every state of its life.

The first line answers whether it worked and what it cost; then the output; then small print; buttons last, at most
four.
"""

from dataclasses import dataclass

from bot.core.events import Verb
from bot.core.policy.decision import Effect
from bot.core.queue import place_in_line, running_or_starting
from bot.core.reports import BlockReport
from bot.core.site import Site
from bot.core.state import ChannelState, Request, Status
from bot.core.views import texts
from bot.core.views.card import button, card, fingerprint, what
from bot.core.views.outcome import headline_of, notes_of
from bot.core.views.view import Button, Headline, Note, OutputText, Part, View
from executor.types import Outcome


@dataclass(frozen=True, slots=True)
class Live:
    """What is known of a running execution beyond the state: the last lines that block `block` (from 0) wrote."""

    block: int
    tail: str
    elapsed_s: float


def answer_view(request: Request, state: ChannelState, site: Site, live: Live | None = None) -> View:
    match request.status:
        case Status.WAITING:
            return card(request, site)
        case Status.APPROVED:
            return _approved(request, state, site)
        case Status.RUNNING:
            return _running(request, site, live)
        case Status.ENDED:
            return _ended(request, site)
        case _:
            return _not_run(request, site)


def _decided(request: Request) -> list[Part]:
    """`Approved by lee 14:52 UTC · 9c41 e07b`, where people decided."""
    if not request.by_click or request.decided_at is None:
        return []
    when = texts.clock(request.decided_at)
    return [Note(f"Approved by {texts.approvers(request)} {when} · {fingerprint(request)}")]


def _approved(request: Request, state: ChannelState, site: Site) -> View:
    where = what(request, site)
    if site.halted is not None:
        head = Headline("⏳", f"{where} · held: {site.halted} halted everything")
    elif request.held is not None:
        head = Headline("⏳", f"{where} · {request.held}")
    elif place := place_in_line(state, request):
        head = Headline("⏳", texts.in_line(place, len(running_or_starting(state))))
    else:
        head = Headline("⏳", f"{where} · starting")
    parts: list[Part] = [head, *_decided(request)]
    if request.start_by is not None and (request.held or site.halted):
        reference = f" · reference {request.reference}" if request.reference else ""
        until = texts.clock(request.start_by)
        parts.append(Note(f"Nothing ran. It runs by itself once that is over, if that is before {until}{reference}"))
    return View(tuple(parts), status="queued", buttons=(button(request, Verb.CANCEL, "Cancel"),))


def _running(request: Request, site: Site, live: Live | None) -> View:
    blocks = request.snapshot.blocks
    at = live.block if live and live.block < len(blocks) else 0
    count = f" {at + 1}/{len(blocks)}" if len(blocks) > 1 else ""
    clock = f" · {texts.seconds(live.elapsed_s)}" if live else ""
    doing = "stopping" if request.stopping else "running"
    parts: list[Part] = [Headline("⏳", f"{site.display(blocks[at].language)}{count} · {doing}{clock}")]
    if live and live.tail:
        parts.append(OutputText(live.tail))
    parts.extend(_decided(request))
    buttons = () if request.stopping else (button(request, Verb.STOP, "Stop", "danger"),)
    return View(tuple(parts), status="running", buttons=buttons)


def _ended(request: Request, site: Site) -> View:
    if not request.blocks:
        return _unseen_end(request, site)
    total = len(request.snapshot.blocks)
    parts: list[Part] = []
    for index, report in enumerate(request.blocks):
        count = f"{index + 1}/{total}" if total > 1 else ""
        language = site.display(request.snapshot.blocks[index].language)
        parts.append(headline_of(report, language, count, request.ended_by, request.snapshot.timeout_s))
        if report.text:
            parts.append(OutputText(report.text))
        if report.value is not None:
            parts.append(OutputText(_shown(report.value)))
        parts.extend(notes_of(report))
    if len(request.blocks) < total:
        parts.append(Note(_not_reached(len(request.blocks) + 1, total)))
    if request.reason:
        parts.append(Note(_ended_because(request.reason)))
    parts.extend(_small_print(request))
    files = (*request.files, *(b.full for b in request.blocks if b.full is not None))
    status = (request.outcome or Outcome.COMPLETED).value
    return View(tuple(parts), status=status, buttons=_end_buttons(request, request.blocks), files=files)


def _shown(value: str) -> str:
    """`→ 42`, and what takes several lines below the arrow, so that columns stay under each other."""
    return f"→\n{value}" if "\n" in value else f"→ {value}"


def _not_reached(first: int, last: int) -> str:
    return f"Block {first} was not run." if first == last else f"Blocks {first}–{last} were not run."


def _ended_because(reason: str) -> str:
    return f"Stopped because {reason}."


def _small_print(request: Request) -> list[Part]:
    parts: list[Part] = []
    if request.files_left:
        parts.append(Note(f"{texts.plural(request.files_left, 'more file')} stayed in the workspace."))
    parts.extend(_decided(request))
    parts.extend(Note(hint) for hint in request.hints)
    return parts


def _unseen_end(request: Request, site: Site) -> View:
    """The sandbox went away under it."""
    if request.outcome is Outcome.CANCELLED:
        head = Headline("✋", f"{what(request, site)} · stopped by {request.ended_by}")
    else:
        head = Headline("♻️", f"{what(request, site)} · lost: {request.held}")
    note = "Whether it had finished is unknown. It was not run again by itself."
    reference = f" Reference {request.reference}." if request.reference else ""
    status = (request.outcome or Outcome.LOST).value
    parts = (head, Note(note + reference), *_decided(request))
    return View(parts, status=status, buttons=(button(request, Verb.RUN_AGAIN, "Run again"),))


def _end_buttons(request: Request, reports: tuple[BlockReport, ...]) -> tuple[Button, ...]:
    buttons = [
        button(request, Verb.RUN_AGAIN, "Run again"),
        button(request, Verb.RUN_INPUT, "Run with input…"),
    ]
    if any(report.cut for report in reports):
        buttons.append(button(request, Verb.FULL_OUTPUT, "Full output"))
    return tuple(buttons)


def _not_run(request: Request, site: Site) -> View:
    subject = what(request, site)
    buttons: tuple[Button, ...] = ()
    parts: list[Part] = []
    match request.status:
        case Status.DENIED:
            because = f": {request.reason}" if request.reason else ""
            parts.append(Headline("⛔", f"{subject} · denied by {request.ended_by}{because}"))
        case Status.EXPIRED:
            parts.append(Headline("⛔", f"{subject} · {_expired(request)}"))
            buttons = (button(request, Verb.ASK_AGAIN, "Ask again"),)
        case Status.SUPERSEDED:
            parts.append(Headline("♻️", f"{subject} · {request.reason}"))
        case Status.CANCELLED:
            parts.append(Headline("✋", f"{subject} · withdrawn by {request.ended_by}; nothing ran"))
            buttons = (button(request, Verb.RUN_AGAIN, "Run again"),)
        case Status.REVOKED:
            parts.append(Headline("⛔", f"{subject} · not run: {request.reason}"))
            buttons = (button(request, Verb.ASK_AGAIN, "Ask again"),)
        case Status.INTERRUPTED:
            parts.append(Headline("♻️", f"{subject} · interrupted by a restart. It was not run again by itself."))
            parts.extend(_decided(request))
            buttons = (button(request, Verb.RUN_AGAIN, "Run again"),)
        case _:
            because = request.reason or "refused"
            refused = because if because.startswith("refused") else f"refused: {because}"
            parts.append(Headline("⛔", f"{subject} · {refused}"))
            if request.decision.effect is not Effect.DENY:  # what a limit refused may pass later
                buttons = (button(request, Verb.RUN_AGAIN, "Run again"),)
    parts.extend(Note(hint) for hint in request.hints)
    return View(tuple(parts), status=status_word(request), buttons=buttons)


def _expired(request: Request) -> str:
    if request.decided_at is not None:
        return "it could not be started in time; nothing ran"
    until = texts.clock(request.expires_at) if request.expires_at else "the end"
    return f"no answer until {until}; nothing ran"


def status_word(request: Request) -> str:
    """queued, waiting, running, expired, superseded, revoked or an outcome: the word that programs read."""
    match request.status:
        case Status.APPROVED:
            return "queued"
        case Status.ENDED:
            return (request.outcome or Outcome.COMPLETED).value
        case status:
            return status.value
