"""A decision for the command line: the JSON that other programs read (a contract), and the same in words."""

from bot.core.policy.decision import Decision, Fact
from bot.core.views import texts


def check_report(decision: Decision) -> dict[str, object]:
    """What `policy check` prints; keys may be added and never renamed."""
    needs = decision.demand.needs if decision.demand else ()
    return {
        "decision": decision.effect.value,
        "rule": decision.rule,
        "reasons": list(decision.reasons),
        "facts": [_fact(fact) for fact in decision.facts],
        "uncovered": [_fact(fact) for fact in decision.uncovered],
        "profile": decision.profile.name,
        "grants": list(decision.grants),
        "digest": decision.code_sha256,
        "approvers": [{"from": list(need.groups), "need": need.need} for need in needs],
        "quorum": decision.demand.quorum if decision.demand else 0,
    }


def _fact(fact: Fact) -> dict[str, object]:
    """The words of a command are there too, those that are computed as `{"dyn": …}`, with their places in `dyn`."""
    said: dict[str, object] = {"kind": fact.kind, "value": fact.value, "line": fact.line}
    if fact.argv:
        said["argv"] = [word if isinstance(word, str) else {"dyn": word.dyn} for word in fact.argv]
        said["dyn"] = list(fact.dyn)
    return said


def explain(decision: Decision) -> str:
    """The decision in words, one sentence a line."""
    first = {"allow": "This may run by itself.", "ask": "This needs approval.", "deny": "This is refused."}
    lines = [first[decision.effect], *(_sentence(reason) for reason in decision.reasons)]
    profile = decision.profile
    network = f"network to {', '.join(profile.network)}" if profile.network else "no network"
    workspace = {"rw": "workspace", "ro": "workspace read-only", "none": "no workspace"}[profile.workspace]
    if decision.effect != "deny":
        lines.append(f"Would get: {network} · {profile.timeout_s:g} s · {profile.memory_mb} MB · {workspace}")
    if decision.demand:
        needed = " and ".join(
            f"{need.need} of {' or '.join(f'@{group}' for group in need.groups)}" for need in decision.demand.needs
        )
        own = ", not the requester" if decision.demand.not_requester else ""
        why = ", with a reason" if decision.demand.reason else ""
        lines.append(f"Needs {needed}{own}{why}, within {texts.seconds(decision.demand.within_s)}.")
    lines.append(f"Code {decision.code_sha256[:8]}, policy {decision.revision[:8]}.")
    return "\n".join(lines)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
