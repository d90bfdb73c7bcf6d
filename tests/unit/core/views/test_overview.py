"""What an operator sees of a channel, in every state that a request can be in."""

import pytest

from bot.core.events import Verb
from bot.core.keys import Actor
from bot.core.overview import RuleUse
from bot.core.policy.decision import Effect
from bot.core.policy.rules import Rule
from bot.core.replies import ReplyKind
from bot.core.state import Request, Status, Verdict
from bot.core.views.overview import approval, channel_policy, executions, history_line
from tests.unit.core.talk import ANA, BO, CHANNEL, KIM, LEE, ROOT, START, Talk, person, relaxed, strict


def test_what_waits_says_who_may_decide_and_what_is_missing() -> None:
    talk = Talk(strict(need=2))
    request = talk.posted(talk.ask())
    talk.press(request, Verb.APPROVE, LEE)
    line = approval(CHANNEL, talk.now(request), talk.site, KIM)
    assert line is not None
    assert (line.channel, line.request, line.source, line.message) == (CHANNEL, request.id, "m1", "b1")
    assert (line.requester, line.requester_name, line.what) == ("web:ana", "ana", "Python (1 line)")
    assert line.binding == request.binding[:8]
    assert line.reasons == ("Not covered by the policy: uses print (line 1)",)
    assert (line.needs, line.missing, line.groups) == ("2 of @leads", "one more of @leads", ("leads",))
    assert [(said.name, said.verdict, said.at) for said in line.votes] == [("lee", Verdict.APPROVE, talk.at)]
    assert (line.asked_at, line.expires_at) == (START, START + 3600)


@pytest.mark.parametrize(
    ("viewer", "may"), [(ANA, False), (BO, False), (LEE, True), (ROOT, True), (Actor("web:x", "x", None), False)]
)
def test_who_may_decide(viewer: Actor, may: bool) -> None:
    talk = Talk()
    line = approval(CHANNEL, talk.ask(), talk.site, viewer)
    assert line is not None
    assert line.may_decide is may


def test_a_lead_may_not_decide_their_own_unless_the_policy_lets_them() -> None:
    talk, lenient = Talk(), Talk(strict(not_requester=False))
    own, allowed = approval(CHANNEL, talk.ask(author=LEE), talk.site, LEE), lenient.ask(author=LEE)
    assert own is not None
    assert not own.may_decide
    line = approval(CHANNEL, allowed, lenient.site, LEE)
    assert line is not None
    assert line.may_decide


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.WAITING])
def test_what_does_not_wait_is_no_approval(status: Status) -> None:
    talk = Talk()
    request = talk.ask().model_copy(update={"status": status})
    assert approval(CHANNEL, request, talk.site, LEE) is None


def test_what_runs_stands_before_the_line_and_the_line_in_its_order() -> None:
    talk = Talk(relaxed())
    first = talk.posted(talk.ask("1", ANA, "m1"))
    talk.at += 1
    talk.ready(first)
    second = talk.posted(talk.ask("2", ANA, "m2"), "b2")
    talk.at += 1
    third = talk.ask("3", ANA, "m3")
    starting = talk.ask("4", BO, "m4")
    lines = executions(talk.state, CHANNEL, talk.site, BO)
    assert [(line.request, line.state, line.position) for line in lines] == [
        (first.id, "running", 0),
        (starting.id, "starting", 0),
        (second.id, "queued", 1),
        (third.id, "queued", 2),
    ]
    assert (lines[0].since, lines[0].message, lines[0].what) == (START + 1, "b1", "Python (1 line)")
    assert (lines[3].since, lines[3].message) == (START + 2, None)


@pytest.mark.parametrize(
    ("viewer", "running", "queued"),
    [
        (ANA, Verb.STOP, Verb.CANCEL),
        (BO, None, None),
        (LEE, Verb.STOP, None),
        (ROOT, Verb.STOP, Verb.CANCEL),
        (Actor("web:x", "x", None), None, None),
    ],
)
def test_who_may_end_what_runs_and_what_does_not_yet(viewer: Actor, running: Verb | None, queued: Verb | None) -> None:
    talk = Talk(relaxed())
    first = talk.posted(talk.ask("1", ANA, "m1"))
    talk.ready(first)
    talk.posted(talk.ask("2", ANA, "m2"), "b2")
    talk.at += 1
    unseen = talk.ask("3", ANA, "m3")
    lines = executions(talk.state, CHANNEL, talk.site, viewer)
    assert [line.ends_by for line in lines] == [running, queued, None]
    assert lines[2].request == unseen.id
    for line, request in zip(lines[:2], talk.state.requests, strict=False):
        if line.ends_by is not None:
            assert talk.press(request, line.ends_by, viewer).kind is ReplyKind.DONE


def test_what_is_being_stopped_has_no_button() -> None:
    talk = Talk(relaxed())
    first = talk.posted(talk.ask())
    talk.ready(first)
    talk.press(first, Verb.STOP, LEE)
    (line,) = executions(talk.state, CHANNEL, talk.site, LEE)
    assert (line.state, line.ends_by) == ("stopping", None)


def test_what_is_held_says_why() -> None:
    talk = Talk(relaxed())
    request = talk.ask()
    held = request.model_copy(update={"held": "Docker does not answer.", "starting": False})
    talk.state = talk.state.model_copy(update={"requests": (held,)})
    (line,) = executions(talk.state, CHANNEL, talk.site, LEE)
    assert (line.state, line.held) == ("held", "Docker does not answer.")
    talk.halted("root")
    (line,) = executions(talk.state, CHANNEL, talk.site, LEE)
    assert (line.state, line.held) == ("held", "root halted everything")


def ended(status: Status, talk: Talk | None = None, **changes: object) -> Request:
    return (talk or Talk()).ask().model_copy(update={"status": status, **changes})


@pytest.mark.parametrize(
    ("request_", "decided", "outcome"),
    [
        (ended(Status.DENIED, ended_by="lee", reason="no"), "denied by lee: no", "denied"),
        (ended(Status.DENIED, ended_by="lee"), "denied by lee", "denied"),
        (ended(Status.EXPIRED), "nobody decided in time", "expired"),
        (ended(Status.EXPIRED, Talk(relaxed())), "allowed by rule 'all'", "expired"),
        (ended(Status.SUPERSEDED), "edited while it waited", "superseded"),
        (ended(Status.CANCELLED, ended_by="ana"), "withdrawn by ana", "cancelled"),
        (ended(Status.CANCELLED, Talk(relaxed())), "allowed by rule 'all'", "cancelled"),
        (ended(Status.REVOKED, reason="lee is no lead"), "approval withdrawn: lee is no lead", "revoked"),
        (ended(Status.REFUSED, reason="too long"), "refused: too long", "refused"),
        (ended(Status.INTERRUPTED, Talk(relaxed())), "allowed by rule 'all'", "interrupted"),
    ],
)
def test_what_kept_it_from_running_or_let_it_run(request_: Request, decided: str, outcome: str) -> None:
    line = history_line(CHANNEL, request_, Talk().site)
    assert (line.decided, line.outcome, line.took_s) == (decided, outcome, None)


def test_what_ran_says_who_approved_it_and_how_long_it_took() -> None:
    talk = Talk()
    request = talk.posted(talk.ask())
    talk.press(request, Verb.APPROVE, LEE)
    talk.ready(request, LEE)
    talk.at += 5
    line = history_line(CHANNEL, talk.end(request), talk.site)
    assert (line.decided, line.outcome, line.rule, line.message) == ("approved by lee", "completed", None, "b1")
    assert (line.took_s, line.asked_at, line.ended_at) == (0.012, START, START + 5)
    assert line.binding == request.binding[:8]


def use(rule: str | None, effect: Effect, times: int, ran: int = 0) -> RuleUse:
    return RuleUse(channel=CHANNEL, rule=rule, effect=effect, times=times, ran=ran)


def test_a_policy_says_what_each_of_its_rules_did() -> None:
    talk = Talk(relaxed())
    kept = Rule(id="r-1", effect=Effect.ALLOW, code_sha256="1" * 64)
    state = talk.state.model_copy(update={"rules": (kept,)})
    uses = [use("all", Effect.ALLOW, 9, 8), use(None, Effect.ASK, 3, 1)]
    found = channel_policy(CHANNEL, talk.site, state, uses, START)
    assert (found.channel, found.name, len(found.revision), found.approvers) == (CHANNEL, "test", 8, ("leads",))
    assert [(line.id, line.remembered, line.times, line.ran) for line in found.rules] == [
        ("all", False, 9, 8),
        ("r-1", True, 0, 0),
        (None, False, 3, 1),
    ]


def test_what_a_rule_did_before_it_went_is_not_forgotten() -> None:
    uses = [use("old", Effect.ALLOW, 2, 2), use(None, Effect.DENY, 1)]
    *gone, _default = channel_policy(CHANNEL, Talk().site, Talk().state, uses, START).rules
    assert [(line.id, line.text, line.in_force, line.times) for line in gone] == [
        (None, "No rule held, and it was refused.", False, 1),
        ("old", "This rule is not in the policy any more.", False, 2),
    ]


def test_nobody_is_known_by_a_name_alone() -> None:
    talk = Talk()
    line = approval(CHANNEL, talk.ask(author=person("eve")), talk.site, person("lee"))
    assert line is not None
    assert not line.may_decide
