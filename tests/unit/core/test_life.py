"""The life of a request: every status against every event, and the way through it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.effects import RemovePost, ShowAnswer, StartExecution, StopExecution
from bot.core.events import (
    BotStarted,
    ButtonPressed,
    CommandIssued,
    ExecutionHeld,
    ExecutionLost,
    HaltChanged,
    Verb,
)
from bot.core.machine import step
from bot.core.replies import ReplyKind
from bot.core.state import ChannelState, Request, Status
from executor.types import Outcome
from tests.unit.core.talk import ANA, BO, CHANNEL, KIM, LEE, ROOT, Talk, fence, person, relaxed, report, strict

S = Status


def test_from_asking_to_the_answer() -> None:
    talk = Talk()
    request = talk.ask()
    assert request.status is S.WAITING
    assert talk.press(request, Verb.APPROVE, LEE).kind is ReplyKind.DONE
    assert talk.starts() == [request.id]
    assert talk.ready(request, LEE).status is S.RUNNING
    ended = talk.end(request)
    assert (ended.status, ended.outcome) == (S.ENDED, Outcome.COMPLETED)
    assert "42" in talk.text(request)
    assert "Approved by lee" in talk.text(request)


def test_what_the_policy_allows_starts_without_anybody() -> None:
    talk = Talk(relaxed())
    request = talk.ask()
    assert request.status is S.APPROVED
    assert request.starting
    assert talk.effects == [StartExecution(request=request.id)]


def test_an_allowed_run_that_ends_at_once_is_posted_once_finished() -> None:
    talk = Talk(relaxed())
    request = talk.ask()
    talk.ready(request)
    talk.at += 0.3
    talk.end(request)
    assert [e for e in talk.effects if isinstance(e, ShowAnswer)] == [talk.effects[-1]]


def test_one_that_takes_longer_is_shown_while_it_runs() -> None:
    talk = Talk(relaxed())
    request = talk.ask()
    talk.ready(request)
    talk.take_effects()
    talk.pass_time(0.5)
    assert [type(e) for e in talk.effects] == [ShowAnswer]
    assert talk.buttons(request) == ["Stop"]


# What a click on each button does in each status: the status afterwards and the kind of reply.
CLICKS = {
    (S.WAITING, Verb.APPROVE): (S.APPROVED, ReplyKind.DONE),
    (S.WAITING, Verb.DENY): (S.DENIED, ReplyKind.DONE),
    (S.WAITING, Verb.REMEMBER): (S.WAITING, ReplyKind.CHOOSE),
    (S.WAITING, Verb.CANCEL): (S.CANCELLED, ReplyKind.DONE),
    (S.APPROVED, Verb.CANCEL): (S.CANCELLED, ReplyKind.DONE),
    (S.APPROVED, Verb.STOP): (S.CANCELLED, ReplyKind.DONE),
    (S.RUNNING, Verb.STOP): (S.RUNNING, ReplyKind.DONE),
    (S.ENDED, Verb.RUN_AGAIN): (S.ENDED, ReplyKind.DONE),
    (S.ENDED, Verb.RUN_INPUT): (S.ENDED, ReplyKind.DONE),
    (S.CANCELLED, Verb.RUN_AGAIN): (S.CANCELLED, ReplyKind.DONE),
    (S.CANCELLED, Verb.RUN_INPUT): (S.CANCELLED, ReplyKind.DONE),
    (S.REFUSED, Verb.RUN_AGAIN): (S.REFUSED, ReplyKind.DONE),
    (S.REFUSED, Verb.RUN_INPUT): (S.REFUSED, ReplyKind.DONE),
    (S.INTERRUPTED, Verb.RUN_AGAIN): (S.INTERRUPTED, ReplyKind.DONE),
    (S.INTERRUPTED, Verb.RUN_INPUT): (S.INTERRUPTED, ReplyKind.DONE),
    (S.EXPIRED, Verb.ASK_AGAIN): (S.EXPIRED, ReplyKind.DONE),
    (S.REVOKED, Verb.ASK_AGAIN): (S.REVOKED, ReplyKind.DONE),
}


@pytest.mark.parametrize("verb", list(Verb))
@pytest.mark.parametrize("status", list(Status))
def test_every_button_in_every_status(status: Status, verb: Verb) -> None:
    talk = Talk()
    request = talk.in_status(status)
    actor = ANA if verb in {Verb.CANCEL, Verb.STOP} else LEE
    reply = talk.press(request, verb, actor)
    if verb is Verb.SHOW_CODE or (verb is Verb.FULL_OUTPUT and not status.is_live):
        assert reply.kind is ReplyKind.DONE
        assert talk.now(request) == request
        return
    after, kind = CLICKS.get((status, verb), (status, ReplyKind.GONE))
    assert (talk.now(request).status, reply.kind) == (after, kind), reply
    if kind is ReplyKind.GONE:
        assert reply.text.endswith(".")
        assert talk.now(request) == request


@pytest.mark.parametrize("status", list(Status))
def test_late_word_of_the_sandbox_changes_nothing(status: Status) -> None:
    """Only the execution that is running can end, only a request that is starting can begin."""
    talk = Talk()
    request = talk.in_status(status)
    foreign = {**talk.base(), "request": request.id, "execution": "x-another"}
    talk.take_effects()
    talk.step(ExecutionLost(**foreign, text="gone", reference="r"))
    if status is not S.APPROVED:
        talk.ready(request, LEE)
        talk.step(ExecutionHeld(**talk.base(), request=request.id, text="down", reference="r"))
    if status is not S.RUNNING:
        talk.end(request)
    assert talk.now(request) == request
    assert talk.effects == []


@pytest.mark.parametrize("status", list(Status))
def test_after_a_restart(status: Status) -> None:
    talk = Talk()
    request = talk.in_status(status)
    talk.take_effects()
    talk.step(BotStarted(**talk.base()))
    match status:
        case S.RUNNING:
            assert talk.now(request).status is S.INTERRUPTED
            assert "interrupted by a restart" in talk.text(request)
            assert talk.buttons(request) == ["Run again"]
            assert talk.starts() == []
        case S.APPROVED:
            assert talk.starts() == [request.id]
        case _:
            assert talk.now(request) == request


def test_a_request_waits_an_hour_and_not_longer() -> None:
    talk = Talk()
    request = talk.ask()
    talk.pass_time(3599)
    assert talk.now(request).status is S.WAITING
    talk.pass_time(1)
    assert talk.now(request).status is S.EXPIRED
    assert talk.buttons(request) == ["Ask again"]
    assert "nothing ran" in talk.text(request)


def test_a_click_after_expiry_expires_it_even_if_no_deadline_came() -> None:
    talk = Talk()
    request = talk.ask()
    talk.at += 3600
    reply = talk.press(request, Verb.APPROVE, LEE)
    assert reply.kind is ReplyKind.GONE
    assert "expired" in reply.text
    assert talk.now(request).status is S.EXPIRED


def test_what_was_approved_starts_within_ten_minutes_or_not_at_all() -> None:
    talk = Talk()
    request = talk.ask()
    talk.press(request, Verb.APPROVE, LEE)
    talk.step(ExecutionHeld(**talk.base(), request=request.id, text="Docker does not answer.", reference="r1"))
    assert "Docker does not answer." in talk.text(request)
    assert talk.buttons(request) == ["Cancel"]
    talk.pass_time(601)
    assert talk.now(request).status is S.EXPIRED
    talk.take_effects()
    assert talk.ready(request, LEE).status is S.EXPIRED
    assert "could not be started in time" in talk.text(request)


def test_a_start_that_failed_is_tried_again_with_growing_pauses() -> None:
    talk = Talk(relaxed())
    request = talk.ask()
    waits = []
    for _ in range(6):
        talk.take_effects()
        talk.step(ExecutionHeld(**talk.base(), request=request.id, text="Docker does not answer.", reference="r"))
        retry_at = talk.now(request).retry_at
        assert retry_at is not None
        assert talk.starts() == []
        waits.append(retry_at - talk.at)
        talk.pass_time(waits[-1])
        assert talk.starts() == [request.id]
    assert waits == [2, 4, 8, 16, 30, 30]
    assert talk.ready(request).status is S.RUNNING


def test_two_approvers_at_once_make_one_execution() -> None:
    talk = Talk()
    request = talk.ask()
    first = talk.press(request, Verb.APPROVE, LEE)
    second = talk.press(request, Verb.APPROVE, KIM)
    assert first.kind is ReplyKind.DONE
    assert second.kind is ReplyKind.GONE
    assert "approved by lee" in second.text
    assert talk.starts() == [request.id]


@pytest.mark.parametrize("verb", [Verb.APPROVE, Verb.DENY, Verb.REMEMBER])
def test_who_may_not_decide_is_told_so_alone(verb: Verb) -> None:
    talk = Talk()
    request = talk.ask()
    talk.take_effects()
    for actor, words in [
        (ANA, "you asked for it yourself"),
        (BO, "Only @leads"),
        (person("x").__class__("web:cat", "cat", None), "Could not check"),
        (person("x").__class__("web:bot", "bot", LEE.standing, is_bot=True), "A bot cannot"),
    ]:
        reply = talk.press(request, verb, actor)
        assert reply.kind is ReplyKind.FORBIDDEN
        assert words in reply.text
    assert talk.now(request) == request
    assert talk.effects == []


def test_a_lead_cannot_approve_their_own_request() -> None:
    talk = Talk()
    request = talk.ask(author=LEE)
    reply = talk.press(request, Verb.APPROVE, LEE)
    assert reply.kind is ReplyKind.FORBIDDEN
    assert reply.text == "Only @leads can approve this; you asked for it yourself, so someone else has to."
    assert talk.press(request, Verb.APPROVE, KIM).kind is ReplyKind.DONE


def test_unless_the_policy_says_that_they_can() -> None:
    talk = Talk(strict(not_requester=False))
    request = talk.ask(author=LEE)
    assert talk.press(request, Verb.APPROVE, LEE).kind is ReplyKind.DONE


def test_a_button_of_other_bytes_does_nothing() -> None:
    talk = Talk()
    request = talk.ask()
    reply = talk.press(request, Verb.APPROVE, LEE, binding="00000000")
    assert reply.kind is ReplyKind.GONE
    assert reply.text == "The code changed after this card was posted."
    assert talk.now(request).status is S.WAITING


def test_a_button_of_nothing() -> None:
    talk = Talk()
    event = ButtonPressed(**talk.base(), request="r-none", verb=Verb.APPROVE, binding="00000000", actor=LEE)
    (reply,) = talk.step(event)
    assert reply.kind is ReplyKind.UNKNOWN


def test_a_quorum_of_two() -> None:
    talk = Talk(strict(need=2))
    request = talk.ask()
    reply = talk.press(request, Verb.APPROVE, LEE)
    assert reply.text == "Your approval is counted. Waiting for one more of @leads."
    assert "1 of 2 approved (lee). Waiting for one more of @leads." in talk.text(request)
    assert talk.press(request, Verb.APPROVE, LEE).kind is ReplyKind.DONE
    assert talk.now(request).status is S.WAITING, "the same person does not count twice"
    talk.press(request, Verb.APPROVE, KIM)
    assert talk.now(request).status is S.APPROVED
    assert talk.ready(request, LEE, KIM).status is S.RUNNING


def test_a_voter_may_change_their_mind_while_it_waits() -> None:
    talk = Talk(strict(need=2, deny_need=2))
    request = talk.ask()
    talk.press(request, Verb.APPROVE, LEE)
    talk.press(request, Verb.DENY, LEE)
    assert "Denied by lee." in talk.text(request)
    talk.press(request, Verb.APPROVE, KIM)
    assert talk.now(request).status is S.WAITING


def test_deny_with_a_reason() -> None:
    talk = Talk()
    request = talk.ask()
    talk.press(request, Verb.DENY, LEE, reason="  use the staging host ")
    assert talk.now(request).outcome is Outcome.DENIED
    assert "denied by lee: use the staging host" in talk.text(request)


@pytest.mark.parametrize("verb", [Verb.APPROVE, Verb.DENY])
def test_where_the_rule_demands_a_reason(verb: Verb) -> None:
    talk = Talk(strict(reason=True))
    request = talk.ask()
    assert talk.press(request, verb, LEE).kind is ReplyKind.REASON
    assert talk.press(request, verb, LEE, reason=" ").kind is ReplyKind.REASON
    assert talk.press(request, verb, LEE, reason="because").kind is ReplyKind.DONE


def test_code_that_was_not_shown_whole_needs_a_confirm() -> None:
    talk = Talk()
    request = talk.ask("\n".join(f"print({n})" for n in range(60)))
    assert "Show all 60 lines" in talk.buttons(request)
    reply = talk.press(request, Verb.APPROVE, LEE)
    assert reply.kind is ReplyKind.CONFIRM
    assert "60 lines" in reply.text
    assert talk.press(request, Verb.APPROVE, LEE, confirm=True).kind is ReplyKind.DONE
    shown = talk.press(request, Verb.SHOW_CODE, BO)
    assert shown.text.count("\n") == 60


def test_only_whoever_asked_or_an_admin_cancels() -> None:
    talk = Talk()
    request = talk.ask()
    assert talk.press(request, Verb.CANCEL, LEE).kind is ReplyKind.FORBIDDEN
    assert talk.press(request, Verb.CANCEL, ROOT).kind is ReplyKind.DONE
    assert "withdrawn by root" in talk.text(request)


def test_whoever_asked_leads_and_admins_stop() -> None:
    for actor, allowed in [(ANA, True), (BO, False), (LEE, True), (ROOT, True)]:
        talk = Talk()
        request = talk.in_status(S.RUNNING)
        talk.take_effects()
        reply = talk.press(request, Verb.STOP, actor)
        assert (reply.kind is ReplyKind.DONE) == allowed
        stops = [e for e in talk.effects if isinstance(e, StopExecution)]
        assert len(stops) == allowed


def test_a_stopped_one_says_who_stopped_it() -> None:
    talk = Talk()
    request = talk.in_status(S.RUNNING)
    talk.press(request, Verb.STOP, ANA)
    assert talk.buttons(request) == [], "one Stop is enough"
    assert talk.press(request, Verb.STOP, ANA).kind is ReplyKind.DONE
    talk.end(request, report("", Outcome.CANCELLED, 130))
    assert "stopped by ana" in talk.text(request)


def test_an_approver_who_lost_the_role_before_the_start() -> None:
    talk = Talk()
    request = talk.ask()
    talk.press(request, Verb.APPROVE, LEE)
    assert talk.ready(request, person("lee")).status is S.REVOKED
    assert "lee may no longer approve this" in talk.text(request)
    assert talk.buttons(request) == ["Ask again"]


@pytest.mark.parametrize("voters", [(), (person("x").__class__("web:lee", "lee", None),)])
def test_approvers_that_cannot_be_looked_up_hold_the_start(voters: tuple[object, ...]) -> None:
    talk = Talk()
    request = talk.ask()
    talk.press(request, Verb.APPROVE, LEE)
    held = talk.ready(request, *voters)  # type: ignore[arg-type]
    assert held.status is S.APPROVED
    assert held.retry_at is not None
    assert "Could not check" in talk.text(request)


def test_a_policy_that_denies_by_now_wins_over_the_click() -> None:
    talk = Talk()
    request = talk.ask()
    talk.under(talk.policy.model_copy(update={"default": "deny"}))
    assert talk.press(request, Verb.APPROVE, LEE).kind is ReplyKind.GONE
    assert talk.now(request).status is S.REFUSED
    assert talk.starts() == []


def test_a_policy_that_needs_more_by_now_asks_on() -> None:
    talk = Talk()
    request = talk.ask()
    talk.under(strict(need=2))
    reply = talk.press(request, Verb.APPROVE, LEE)
    assert reply.kind is ReplyKind.DONE
    assert "needs more approvals" in reply.text
    waiting = talk.now(request)
    assert waiting.status is S.WAITING
    assert talk.press(waiting, Verb.APPROVE, KIM).kind is ReplyKind.DONE
    assert talk.now(request).status is S.APPROVED


def test_a_policy_that_changed_before_the_start() -> None:
    talk = Talk(relaxed())
    request = talk.ask()
    talk.under(strict())
    assert talk.ready(request).status is S.WAITING
    talk.press(talk.now(request), Verb.APPROVE, LEE)
    talk.under(strict().model_copy(update={"default": "deny"}))
    assert talk.ready(request, LEE).status is S.REFUSED


def test_another_image_than_was_asked_for() -> None:
    from dataclasses import replace

    talk = Talk()
    request = talk.ask()
    talk.press(request, Verb.APPROVE, LEE)
    talk.site = replace(talk.site, image="sha256:other")
    assert talk.ready(request, LEE).status is S.REVOKED


def test_approve_and_remember_lets_the_same_code_run_by_itself() -> None:
    talk = Talk()
    request = talk.ask("print('again')")
    reply = talk.press(request, Verb.REMEMBER, LEE)
    assert [choice.text for choice in reply.choices] == ["This exact code, in #data, for 30 days"]
    assert talk.press(request, Verb.REMEMBER, LEE, choice="nonsense").kind is ReplyKind.INVALID
    assert talk.press(request, Verb.REMEMBER, LEE, choice="exact").kind is ReplyKind.DONE
    (rule,) = talk.state.rules
    assert (rule.added_by, rule.from_request, rule.scope) == (LEE.id, request.id, str(CHANNEL))
    talk.ready(request, LEE)
    talk.end(request)
    again = talk.ask("print('again')", BO, "m2")
    assert again.status is S.APPROVED
    other = talk.ask("print('other')", BO, "m3")
    assert other.status is S.WAITING
    talk.at += 31 * 86400
    assert talk.ask("print('again')", BO, "m4").status is S.WAITING


def test_whoever_asked_is_told_once_when_approval_took_long() -> None:
    talk = Talk()
    request = talk.ask()
    talk.at += 121
    talk.press(request, Verb.APPROVE, LEE)
    talk.ready(request, LEE)
    talk.end(request)
    (notice,) = talk.state.notices
    assert notice.mention == (ANA.id,)


def test_a_halt_stops_what_runs_and_holds_what_waits() -> None:
    talk = Talk(relaxed())
    running = talk.ask("1", ANA, "m1")
    talk.ready(running)
    queued = talk.ask("2", ANA, "m2")
    talk.halted("root")
    talk.take_effects()
    talk.step(HaltChanged(**talk.base(), halted=True, by="root"))
    assert [e.request for e in talk.effects if isinstance(e, StopExecution)] == [running.id]
    talk.end(running, report("", Outcome.CANCELLED, 130))
    assert "everything was halted" in talk.text(running)
    assert "root halted everything" in talk.text(queued)
    late = talk.ask("3", BO, "m3")
    assert talk.starts() == []
    talk.halted(None)
    talk.step(HaltChanged(**talk.base(), halted=False, by="root"))
    assert sorted(talk.starts()) == sorted([queued.id, late.id])


def test_a_sandbox_that_was_ready_when_the_halt_came_gets_nothing() -> None:
    talk = Talk(relaxed())
    request = talk.ask()
    talk.halted("root")
    talk.step(HaltChanged(**talk.base(), halted=True, by="root"))
    assert talk.ready(request).status is S.APPROVED


def test_only_admins_halt() -> None:
    talk = Talk()
    for actor, kind in [(LEE, ReplyKind.FORBIDDEN), (ROOT, ReplyKind.DONE)]:
        (reply,) = talk.step(CommandIssued(**talk.base(), actor=actor, text="halt"))
        assert reply.kind is kind


def test_a_lost_sandbox_is_said_and_not_retried() -> None:
    talk = Talk(relaxed())
    request = talk.ask()
    running = talk.ready(request)
    talk.take_effects()
    talk.step(
        ExecutionLost(
            **talk.base(),
            request=request.id,
            execution=running.execution or "",
            text="its sandbox went away",
            reference="ref1",
        )
    )
    assert talk.now(request).outcome is Outcome.LOST
    assert "unknown" in talk.text(request)
    assert talk.starts() == []


def test_run_again_is_a_request_of_whoever_clicked_with_an_answer_of_its_own() -> None:
    talk = Talk()
    request = talk.in_status(S.ENDED)
    talk.press(request, Verb.RUN_AGAIN, BO)
    again = talk.state.requests[-1]
    assert (again.requester, again.source, again.status) == (BO.id, request.source, S.WAITING)
    assert again.answer is not None
    assert request.answer is not None
    assert again.answer.key != request.answer.key
    assert again.snapshot == request.snapshot


def test_run_with_input_is_bound_to_that_input() -> None:
    talk = Talk()
    request = talk.in_status(S.ENDED)
    assert talk.press(request, Verb.RUN_INPUT, ANA, args='"open').kind is ReplyKind.INVALID
    talk.press(request, Verb.RUN_INPUT, ANA, stdin="7\n", args="-n 'a b'")
    again = talk.state.requests[-1]
    assert (again.snapshot.blocks[0].stdin, again.snapshot.blocks[0].args) == ("7\n", ("-n", "a b"))
    assert again.binding != request.binding
    assert "Arguments: -n 'a b'" in talk.text(again)


def test_deleting_the_message_takes_the_answer_along() -> None:
    talk = Talk()
    request = talk.posted(talk.ask())
    talk.take_effects()
    talk.delete()
    assert talk.now(request).status is S.SUPERSEDED
    assert talk.effects == [RemovePost(post=f"a-{request.id}", message="b1")]
    assert talk.press(request, Verb.APPROVE, LEE).kind is ReplyKind.GONE


def test_deleting_stops_what_nobody_approved_and_only_that() -> None:
    allowed = Talk(relaxed())
    request = allowed.ask()
    allowed.ready(request)
    allowed.delete()
    assert any(isinstance(e, StopExecution) for e in allowed.effects)
    clicked = Talk()
    request = clicked.in_status(S.RUNNING)
    clicked.delete()
    assert not any(isinstance(e, StopExecution) for e in clicked.effects)


STATUSES = st.sampled_from(list(Status))
ACTORS = st.sampled_from([ANA, BO, LEE, KIM, ROOT])


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["ask", "press", "ready", "end", "edit", "delete", "time", "restart"]),
            st.integers(0, 5),
            st.sampled_from(list(Verb)),
            ACTORS,
        ),
        max_size=25,
    )
)
def test_nothing_ever_runs_twice_and_slots_hold(script: list[tuple[str, int, Verb, object]]) -> None:
    """Whatever happens in whatever order: at most one start of an execution a request, never more than the slots."""
    talk = Talk(strict(need=2))
    begun: list[str] = []
    for number, (what, pick, verb, actor) in enumerate(script):
        requests = talk.state.requests
        target: Request | None = requests[pick % len(requests)] if requests else None
        if what == "ask":
            talk.post(fence(f"print({pick})"), actor, f"m{number}")  # type: ignore[arg-type]
        elif what == "edit":
            talk.edit(fence(f"print({number})"), message=f"m{pick}")
        elif what == "delete":
            talk.delete(f"m{pick}")
        elif what == "time":
            talk.pass_time(pick * 200.0)
        elif what == "restart":
            talk.state = ChannelState.model_validate_json(talk.state.model_dump_json())
            talk.step(BotStarted(**talk.base()))
        elif target is None:
            continue
        elif what == "press":
            talk.press(target, verb, actor, choice="exact")  # type: ignore[arg-type]
        elif what == "ready":
            was = target.status
            if talk.ready(target, LEE, KIM, ROOT).status is S.RUNNING and was is not S.RUNNING:
                begun.append(target.id)
        elif what == "end" and target.status is S.RUNNING:
            talk.end(target)
        running = [r for r in talk.state.requests if r.status is S.RUNNING or r.starting]
        assert len(running) <= talk.limits.slots
        assert len({r.requester for r in running}) == len(running)
    assert len(begun) == len(set(begun))
    assert ChannelState.model_validate_json(talk.state.model_dump_json()) == talk.state


def test_a_step_is_a_function() -> None:
    talk = Talk()
    talk.ask()
    event = ButtonPressed(
        **talk.base(),
        request=talk.state.requests[0].id,
        verb=Verb.APPROVE,
        binding=talk.state.requests[0].binding[:8],
        actor=LEE,
    )
    assert step(talk.state, event, talk.site) == step(talk.state, event, talk.site)


def test_only_leads_and_admins_let_code_be_remembered() -> None:
    from bot.core.policy.decision import Demand, Need
    from bot.core.policy.rules import Group, Policy

    policy = Policy(
        default_approve=Demand(needs=(Need(groups=("reviewers",), need=1),)),
        approvers={"reviewers": Group(users=(BO.id,)), "leads": Group(web_roles=("lead",))},
    )
    talk = Talk(policy)
    request = talk.ask()
    assert talk.press(request, Verb.REMEMBER, BO, choice="exact").kind is ReplyKind.FORBIDDEN
    assert talk.press(request, Verb.APPROVE, BO).kind is ReplyKind.DONE
    assert talk.state.rules == ()


def test_what_the_gate_found_can_be_approved_but_not_remembered() -> None:
    talk = Talk()
    request = talk.ask("x = 1 # \u202e")
    assert talk.press(request, Verb.REMEMBER, LEE, choice="exact").kind is ReplyKind.INVALID
    assert talk.press(request, Verb.APPROVE, LEE).kind is ReplyKind.DONE


def test_input_that_the_card_cuts_needs_a_confirm_and_is_bounded() -> None:
    talk = Talk()
    request = talk.in_status(S.ENDED)
    assert talk.press(request, Verb.RUN_INPUT, ANA, stdin="x" * (64 * 1024 + 1)).kind is ReplyKind.INVALID
    talk.press(request, Verb.RUN_INPUT, ANA, stdin="y" * 5000)
    again = talk.state.requests[-1]
    assert len(talk.text(again)) < 3000
    assert talk.press(again, Verb.APPROVE, LEE).kind is ReplyKind.CONFIRM
    assert "y" * 5000 in talk.press(again, Verb.SHOW_CODE, LEE).text
    assert talk.press(again, Verb.APPROVE, LEE, confirm=True).kind is ReplyKind.DONE


def test_what_was_remembered_without_input_is_asked_about_with_input() -> None:
    talk = Talk()
    request = talk.ask("exec(input())")
    talk.press(request, Verb.REMEMBER, LEE, choice="exact")
    talk.ready(request, LEE)
    talk.end(request)
    assert talk.ask("exec(input())", BO, "m2").status is S.APPROVED
    talk.press(request, Verb.RUN_INPUT, BO, stdin="import os")
    with_input = talk.state.requests[-1]
    assert with_input.status is S.WAITING
    assert "Approve and remember…" not in talk.buttons(with_input)
    assert talk.press(with_input, Verb.REMEMBER, LEE, choice="exact").kind is ReplyKind.INVALID


def test_the_first_of_two_approvers_hears_that_nothing_is_remembered_yet() -> None:
    talk = Talk(strict(need=2))
    request = talk.ask()
    reply = talk.press(request, Verb.REMEMBER, LEE, choice="exact")
    assert "not remembered yet" in reply.text
    assert talk.press(request, Verb.REMEMBER, KIM, choice="exact").kind is ReplyKind.DONE
    assert len(talk.state.rules) == 1
