"""A request that waits for people: what would run, why it asks, what it would get, who may decide."""

from bot.core.binding import SHOWN_HEX
from bot.core.buttons import button_value
from bot.core.events import Verb
from bot.core.policy.decision import Profile
from bot.core.policy.text import visible
from bot.core.quorum import entitled, missing
from bot.core.site import Site
from bot.core.state import Request, Verdict
from bot.core.views import texts
from bot.core.views.excerpt import code_parts, input_parts, shown_whole
from bot.core.views.view import Button, ButtonStyle, Headline, Note, Part, View


def button(request: Request, verb: Verb, label: str, style: ButtonStyle = "default") -> Button:
    opens = {Verb.DENY: "reason", Verb.REMEMBER: "choice", Verb.RUN_INPUT: "input"}.get(verb, "")
    value = button_value(request.id, verb, request.binding[:SHOWN_HEX])
    return Button(verb.value, label, value, style, opens)  # type: ignore[arg-type]


def fingerprint(request: Request) -> str:
    """The start of the binding, as card and result show it: `9c41 e07b`."""
    return f"{request.binding[:4]} {request.binding[4:8]}"


def what(request: Request, site: Site) -> str:
    """`Python (12 lines)`, `Python and Bash (40 lines)`."""
    names = dict.fromkeys(site.display(block.language) for block in request.snapshot.blocks)
    lines = sum(block.code.count("\n") for block in request.snapshot.blocks)
    return f"{' and '.join(names)} ({texts.plural(lines, 'line')})"


def card(request: Request, site: Site) -> View:
    demand = request.decision.demand
    display = {block.language: site.display(block.language) for block in request.snapshot.blocks}
    whole = shown_whole(request.snapshot)
    parts: list[Part] = [
        Headline(
            "🔒",
            f"{request.requester_name} wants to run {what(request, site)} in #{site.channel_name} · "
            f"{fingerprint(request)}",
        )
    ]
    parts.extend(Note(_sentence(reason)) for reason in request.decision.reasons)
    parts.append(Note(f"Would get: {_grants(request.decision.profile)}"))
    if demand is not None:
        own = f" (not {request.requester_name})" if demand.not_requester else ""
        until = f" · until {texts.clock(request.expires_at)}" if request.expires_at else ""
        parts.append(Note(f"Needs {texts.needed(demand.needs)}{own}{until}"))
        if request.votes:
            parts.append(Note(_so_far(request)))
    if not site.policy.approvers_for(request.requester.partition(":")[0]):
        parts.append(Note("Nobody here may approve yet; an admin has to name approvers first."))
    parts.extend(code_parts(request.snapshot, display))
    parts.extend(_inputs(request))
    parts.extend(Note(hint) for hint in request.hints)
    buttons = [
        button(request, Verb.APPROVE, "Approve", "primary"),
        button(request, Verb.DENY, "Deny…", "danger"),
        button(request, Verb.CANCEL, "Cancel"),
    ]
    if request.decision.remember:
        buttons.insert(1, button(request, Verb.REMEMBER, "Approve and remember…"))
    if not whole:
        lines = sum(block.code.count("\n") for block in request.snapshot.blocks)
        buttons.append(button(request, Verb.SHOW_CODE, f"Show all {texts.plural(lines, 'line')}"))
    mention = tuple(sorted(entitled(demand))) if demand else ()
    return View(tuple(parts), status="waiting", buttons=tuple(buttons), mention=mention)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _grants(profile: Profile) -> str:
    network = "network to " + ", ".join(profile.network) if profile.network else "no network"
    workspace = {"rw": "workspace", "ro": "workspace read-only", "none": "no workspace"}[profile.workspace]
    return f"{network} · {profile.timeout_s:g} s · {profile.memory_mb} MB · {workspace}"


def _so_far(request: Request) -> str:
    demand = request.decision.demand
    approved = [v.name for v in request.votes if v.verdict is Verdict.APPROVE]
    denied = [v.name for v in request.votes if v.verdict is Verdict.DENY]
    said = []
    if approved and demand is not None:
        waiting = texts.still_missing(missing(demand, request.votes))
        said.append(f"{len(approved)} of {demand.quorum} approved ({', '.join(approved)}). Waiting for {waiting}.")
    if denied:
        said.append(f"Denied by {', '.join(denied)}.")
    return " ".join(said)


def _inputs(request: Request) -> list[Note]:
    """What else goes in besides the code: input, arguments and files are part of what is approved."""
    notes = [Note(text) for text, _ in input_parts(request.snapshot)]
    if request.snapshot.files:
        notes.append(
            Note("Files in: " + ", ".join(f"{visible(f.name)} ({f.bytes} bytes)" for f in request.snapshot.files))
        )
    return notes
