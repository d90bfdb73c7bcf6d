"""A decision is looked at again at the click and before the start: what a changed policy takes back does not run."""

from typing import Any

import pytest

from bot.core.events import Verb
from bot.core.execution import execution_of
from bot.core.keys import Actor
from bot.core.limits import INPUT_CHARS
from bot.core.policy.rules import Grant
from bot.core.replies import ReplyKind
from bot.core.state import Status
from bot.core.views.excerpt import excerpt
from tests.unit.core.talk import BO, KIM, LEE, Talk, fence, person, relaxed, strict

S = Status
LANA = person("lana", "lead")


def test_input_is_shown_for_each_block_however_alike() -> None:
    """The excerpt of one block's input, given to another as its whole input, must not pass for the whole of both."""
    long = ("x" * 200 + "\n") * 20
    shown, cut = excerpt(long, INPUT_CHARS)
    assert cut
    talk = Talk()
    request = talk.post(
        f"{fence('1')}\n```stdin\n{long}```\n{fence('2')}\n```stdin\n{shown}```\n{fence('3')}\n```stdin\n{shown}```"
    )
    assert request is not None
    assert [block.stdin for block in request.snapshot.blocks] == [long, shown, shown]
    assert talk.press(request, Verb.APPROVE, LEE).kind is ReplyKind.CONFIRM
    assert [f"Input of block {number}:" in talk.text(request) for number in (1, 2, 3)] == [True] * 3


@pytest.mark.parametrize(("voter", "stricter"), [(LANA, {"not_requester": True}), (LEE, {"reason": True})])
def test_votes_that_the_policy_would_not_take_any_more_do_not_count(voter: Actor, stricter: dict[str, Any]) -> None:
    talk = Talk(strict(2, not_requester=False))
    request = talk.ask(author=LANA)
    assert talk.press(request, Verb.APPROVE, voter).kind is ReplyKind.DONE
    talk.under(strict(2, **{"not_requester": False, **stricter}))
    assert "needs more approvals" in talk.press(request, Verb.APPROVE, KIM, reason="it is fine").text
    waiting = talk.now(request)
    assert waiting.status is S.WAITING
    assert [vote.voter for vote in waiting.votes] == [KIM.id]
    assert talk.press(waiting, Verb.APPROVE, LEE, reason="it is").kind is ReplyKind.DONE
    assert talk.now(request).status is S.APPROVED
    assert "Approved by kim and lee" in talk.text(request)


def test_votes_are_looked_at_again_before_the_start() -> None:
    talk = Talk(strict(not_requester=False))
    request = talk.ask(author=LANA)
    assert talk.press(request, Verb.APPROVE, LANA).kind is ReplyKind.DONE
    talk.under(strict())
    waiting = talk.ready(request, LANA)
    assert (waiting.status, waiting.votes) == (S.WAITING, ())


def test_rules_that_grant_less_by_now_hold_for_what_they_allowed_before() -> None:
    talk = Talk(relaxed())
    request = talk.ask()
    talk.under(relaxed().model_copy(update={"profiles": {"offline": Grant(workspace="ro", timeout_s=1.0)}}))
    started = talk.ready(request)
    assert started.status is S.RUNNING
    assert (execution_of(started).workspace, execution_of(started).limits.timeout_s) == ("ro", 1.0)
    assert started.binding != request.binding


def test_what_people_approved_runs_with_what_they_were_shown() -> None:
    talk = Talk()
    request = talk.ask()
    talk.press(request, Verb.APPROVE, LEE)
    talk.under(relaxed().model_copy(update={"profiles": {"offline": Grant(workspace="ro")}}))
    started = talk.ready(request, LEE)
    assert (started.status, started.binding) == (S.RUNNING, request.binding)
    assert execution_of(started).workspace == "rw"


@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_rule_with_few_uses_lets_exactly_as_many_run(most: int) -> None:
    """Whether it decides by itself or takes part beside another rule, which comes first by its name."""
    alone, beside = relaxed().rule[0], relaxed().rule[0].model_copy(update={"id": "a-rule"})
    for rules in ((alone,), (beside, alone)):
        bounded = tuple(rule.model_copy(update={"max_uses": most}) if rule is alone else rule for rule in rules)
        talk = Talk(relaxed().model_copy(update={"rule": bounded}))
        for number in range(5):
            request = talk.ask(str(number), message=f"m{number}")
            if talk.ready(request).status is S.RUNNING:
                talk.end(request)
        assert talk.state.uses == {alone.id: most}
        ran = sum(request.status is S.ENDED for request in talk.state.requests)
        assert ran == (most if len(rules) == 1 else 5)


def test_rules_that_came_later_are_counted_when_they_let_it_start() -> None:
    talk = Talk(relaxed())
    request = talk.ask()
    (rule,) = relaxed().rule
    talk.under(relaxed().model_copy(update={"rule": (rule.model_copy(update={"id": "new", "max_uses": 1}),)}))
    assert talk.ready(request).status is S.RUNNING
    assert talk.state.uses == {"new": 1}


def test_whoever_asked_cannot_let_it_be_remembered() -> None:
    talk = Talk(strict(not_requester=False))
    request = talk.ask(author=LANA)
    assert talk.press(request, Verb.REMEMBER, LANA, choice="exact").kind is ReplyKind.FORBIDDEN
    assert talk.state.rules == ()
    assert talk.press(request, Verb.APPROVE, LANA).kind is ReplyKind.DONE


def test_the_confirm_names_the_size_of_all_that_is_approved() -> None:
    talk = Talk()
    request = talk.post(f"{fence('#' * 5000)}\n```stdin\n{'y' * 1999}\n```")
    assert request is not None
    said = talk.press(request, Verb.APPROVE, LEE).text
    assert "1 line of code, 5001 characters, and 2000 characters of input" in said


@pytest.mark.parametrize("status", [S.ENDED, S.EXPIRED])
def test_a_double_click_asks_again_once(status: Status) -> None:
    talk = Talk()
    request = talk.in_status(status)
    verb = Verb.RUN_AGAIN if status is S.ENDED else Verb.ASK_AGAIN
    assert talk.press(request, verb, BO).text == ""
    talk.at += 0.3
    assert "a moment ago" in talk.press(request, verb, BO).text
    assert len(talk.state.requests) == 2
    talk.press(request, verb, LEE)
    talk.at += 1.0
    talk.press(request, verb, BO)
    assert [r.requester for r in talk.state.requests[1:]] == [BO.id, LEE.id, BO.id]


def test_the_same_again_once_the_first_has_ended_is_meant() -> None:
    talk = Talk(relaxed())
    request = talk.ask()
    talk.ready(request)
    talk.end(request)
    for _ in range(3):
        assert talk.press(request, Verb.RUN_AGAIN, BO).text == ""
        again = talk.state.requests[-1]
        talk.ready(again)
        talk.end(again)
    assert len(talk.state.requests) == 4


def test_other_input_is_no_double_click() -> None:
    talk = Talk()
    request = talk.in_status(S.ENDED)
    for stdin in ("1", "1", "2"):
        talk.press(request, Verb.RUN_INPUT, BO, stdin=stdin)
    assert [r.snapshot.blocks[0].stdin for r in talk.state.requests[1:]] == ["1", "2"]
