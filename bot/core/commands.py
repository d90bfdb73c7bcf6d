"""`/fencepost …` in chat: answered privately; what changes anything is for admins, but for stop."""

from collections.abc import Callable

from bot.core import running
from bot.core.asking import end_before_running
from bot.core.effects import ChangeHalt
from bot.core.events import CommandIssued
from bot.core.policy.approvers import is_lead_or_admin
from bot.core.policy.rules import Group
from bot.core.queue import queued
from bot.core.replies import ReplyKind
from bot.core.state import Request, Status
from bot.core.turn import Turn
from bot.core.views import texts
from bot.core.views.answer import status_word
from bot.core.views.card import what
from bot.core.views.policy_text import Reader, policy_text

HISTORY = 10

HELP = """\
Post a code fence and I run it; what the policy of this channel does not allow waits for an approver's click.
/fencepost status – what runs, waits and is queued here
/fencepost approvals – requests that wait for approval
/fencepost approvers – who may approve
/fencepost history – the last requests of this channel
/fencepost policy – the rules of this channel
/fencepost config – the settings of this channel
/fencepost stop – end your own executions; leads and admins end all of them
/fencepost halt, /fencepost resume – admins: stop and hold everything, everywhere; go on"""


_TRIGGERS = {"always": "any fence", "mention": "messages that mention me", "off": "buttons and commands only"}


def issued(turn: Turn, event: CommandIssued) -> None:
    words = event.text.split()
    name = words[0].lower() if words else "help"
    command = _COMMANDS.get(name)
    if command is None:
        turn.reply(ReplyKind.INVALID, f"There is no command {name[:40]!r}. /fencepost help lists them.")
    else:
        command(turn, event)


def _help(turn: Turn, event: CommandIssued) -> None:  # noqa: ARG001 - every command has one signature
    turn.reply(ReplyKind.DONE, HELP)


def _status(turn: Turn, event: CommandIssued) -> None:  # noqa: ARG001
    lines = [f"#{turn.site.channel_name} · policy {turn.site.policy_name} · {_counts(turn)}"]
    if turn.site.halted is not None:
        lines.append(f"Everything is halted by {turn.site.halted}; /fencepost resume goes on.")
    lines.extend(_line(turn, request) for request in turn.state.requests if request.status.is_live)
    turn.reply(ReplyKind.DONE, "\n".join(lines))


def _counts(turn: Turn) -> str:
    running_now = sum(r.status is Status.RUNNING for r in turn.state.requests)
    waiting = sum(r.status is Status.WAITING for r in turn.state.requests)
    return f"{running_now} running · {len(queued(turn.state))} queued · {waiting} waiting for approval"


def _line(turn: Turn, request: Request) -> str:
    age = texts.ago(turn.at - request.created_at)
    return f"{status_word(request).replace('_', ' ')} · {what(request, turn.site)} · {request.requester_name} · {age}"


def _approvals(turn: Turn, event: CommandIssued) -> None:  # noqa: ARG001
    waiting = [r for r in turn.state.requests if r.status is Status.WAITING]
    lines = []
    for request in waiting:
        demand = request.decision.demand
        needs = f" · needs {texts.needed(demand.needs)}" if demand else ""
        lines.append(_line(turn, request) + needs)
    turn.reply(ReplyKind.DONE, "\n".join(lines) or "Nothing waits for approval here.")


def _approvers(turn: Turn, event: CommandIssued) -> None:  # noqa: ARG001
    lines = []
    for name, group in sorted(turn.site.policy.approvers.items()):
        lines.append(f"@{name}: {', '.join(_members(group)) or 'nobody'}")
    turn.reply(ReplyKind.DONE, "\n".join(lines) or "No approvers are set up.")


def _members(group: Group) -> list[str]:
    kinds = (("role", group.web_roles), ("user group", group.slack_usergroups), ("role", group.discord_roles))
    marked = [f"whoever has the {kind} {' or '.join(sorted(ids))}" for kind, ids in kinds if ids]
    return [*sorted(group.users), *marked]


def looks_back(text: str) -> int:
    """How many requests of the channel, archived ones too, this command wants to find in the state."""
    return HISTORY if text.split()[:1] == ["history"] else 0


def _history(turn: Turn, event: CommandIssued) -> None:  # noqa: ARG001
    recent = turn.state.requests[-HISTORY:][::-1]
    turn.reply(ReplyKind.DONE, "\n".join(_line(turn, request) for request in recent) or "Nothing was asked here yet.")


def _policy(turn: Turn, event: CommandIssued) -> None:  # noqa: ARG001
    reader = Reader(turn.state.channel, turn.site.languages, turn.at, turn.state.uses)
    lines = [f"Policy {turn.site.policy_name}:"]
    for rule in policy_text(turn.site.policy, turn.state.rules, reader):
        name = f" · {rule.id}{' (remembered)' if rule.remembered else ''}" if rule.id else ""
        lines.append(f"{rule.effect.value}{name}: {rule.text}{f' Why: {rule.why}.' if rule.why else ''}")
    turn.reply(ReplyKind.DONE, "\n".join(lines))


def _config(turn: Turn, event: CommandIssued) -> None:  # noqa: ARG001
    config, limits = turn.site.config, turn.site.config.limits
    lines = [
        f"Takes up: {_TRIGGERS[config.trigger]}",
        f"Languages: {', '.join(config.languages)}",
        f"Bots whose code counts: {', '.join(config.sources) or 'none'}",
        f"A block gets: {texts.seconds(limits.timeout_s)} · {limits.memory_mb} MB",
        f"At once: {limits.slots}, {limits.queue} more in line, {limits.per_user} of one person",
    ]
    turn.reply(ReplyKind.DONE, "\n".join(lines))


def _stop(turn: Turn, event: CommandIssued) -> None:
    everyone = is_lead_or_admin(event.actor, turn.site.policy)
    ended = 0
    for request in turn.state.requests:
        if not everyone and request.requester != event.actor.id:
            continue
        if request.status is Status.RUNNING:
            running.stop(turn, request, event.actor.name)
        elif request.status is Status.APPROVED:
            end_before_running(turn, request, Status.CANCELLED, by=event.actor.name)
        else:
            continue
        ended += 1
    turn.reply(ReplyKind.DONE, f"Stopped {texts.plural(ended, 'execution')}." if ended else "Nothing runs here.")


def _halt(turn: Turn, event: CommandIssued) -> None:
    _set_halt(turn, event, halted=True)


def _resume(turn: Turn, event: CommandIssued) -> None:
    _set_halt(turn, event, halted=False)


def _set_halt(turn: Turn, event: CommandIssued, *, halted: bool) -> None:
    if not event.actor.admin:
        turn.reply(ReplyKind.FORBIDDEN, f"Only admins can {'halt' if halted else 'resume'} everything.")
        return
    turn.owe(ChangeHalt(halted=halted, by=event.actor.name))
    done = "Halted: what runs is stopped, what waits is held, everywhere." if halted else "Resumed."
    turn.reply(ReplyKind.DONE, done)


_COMMANDS: dict[str, Callable[[Turn, CommandIssued], None]] = {
    "help": _help,
    "status": _status,
    "approvals": _approvals,
    "approvers": _approvers,
    "history": _history,
    "policy": _policy,
    "config": _config,
    "stop": _stop,
    "halt": _halt,
    "resume": _resume,
}
