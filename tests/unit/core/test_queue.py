"""First come, first served; one at a time for each requester; slots, queue and shares are bounded, and told."""

import pytest

from bot.core.config import ChannelLimits
from bot.core.deadlines import next_deadline
from bot.core.effects import ShowAnswer
from bot.core.events import Verb
from bot.core.limits import WAITING_PER_USER
from bot.core.queue import place_in_line, queued
from bot.core.state import Request, Status
from tests.unit.core.talk import ANA, LEE, START, Talk, person, relaxed

S = Status


def fill(talk: Talk, people: int, each: int = 1) -> list[Request]:
    asked = []
    for number in range(people):
        for nth in range(each):
            talk.at += 0.001
            asked.append(talk.ask(f"print({nth})", person(f"p{number}"), f"m{number}-{nth}"))
    return asked


@pytest.mark.parametrize("slots", [1, 4])
def test_slots_and_the_line(slots: int) -> None:
    talk = Talk(relaxed(), ChannelLimits(slots=slots))
    asked = fill(talk, slots + 2)
    assert talk.starts() == [r.id for r in asked[:slots]]
    assert [r.id for r in queued(talk.state)] == [r.id for r in asked[slots:]]
    assert talk.text(asked[slots]).startswith(f"⏳ Next in line ({slots} running in this channel)")
    assert talk.text(asked[slots + 1]).startswith("⏳ Second in line")
    assert talk.buttons(asked[-1]) == ["Cancel"]


def test_one_at_a_time_for_each_requester() -> None:
    talk = Talk(relaxed())
    first, second = talk.ask("1", ANA, "m1"), talk.ask("2", ANA, "m2")
    assert talk.starts() == [first.id]
    talk.ready(first)
    talk.end(first)
    assert talk.starts() == [first.id, second.id]


def test_whoever_waits_is_told_when_the_line_moves() -> None:
    talk = Talk(relaxed(), ChannelLimits(slots=1))
    first, second, third = fill(talk, 3)
    talk.ready(first)
    talk.take_effects()
    talk.end(first)
    shown = [e.request for e in talk.effects if isinstance(e, ShowAnswer)]
    assert third.id in shown
    assert place_in_line(talk.state, talk.now(third)) == 1
    assert place_in_line(talk.state, talk.now(second)) == 0


@pytest.mark.parametrize(("queue", "refused"), [(0, 1), (1, 0)])
def test_the_queue_is_bounded_and_says_so(queue: int, refused: int) -> None:
    talk = Talk(relaxed(), ChannelLimits(slots=1, queue=queue))
    asked = fill(talk, 2)
    assert [talk.now(r).status for r in asked].count(S.REFUSED) == refused
    if refused:
        assert "the queue of this channel is full" in talk.text(asked[-1])
        assert talk.view(asked[-1]).status == "refused"


def test_nobody_fills_it_alone() -> None:
    talk = Talk(relaxed(), ChannelLimits(per_user=3))
    asked = fill(talk, 1, 4)
    assert [talk.now(r).status for r in asked] == [S.APPROVED, S.APPROVED, S.APPROVED, S.REFUSED]
    assert "the most that one person may have" in talk.text(asked[-1])


def test_nobody_floods_the_approvers_alone() -> None:
    talk = Talk()
    asked = [talk.ask(f"print({n})", ANA, f"m{n}") for n in range(WAITING_PER_USER + 1)]
    assert [talk.now(r).status for r in asked[-2:]] == [S.WAITING, S.REFUSED]


def test_an_approved_one_goes_to_the_end_of_the_line() -> None:
    talk = Talk(limits=ChannelLimits(slots=1))
    asked = fill(talk, 3)
    for request in reversed(asked):
        talk.at += 1
        talk.press(request, Verb.APPROVE, LEE)
    assert talk.starts() == [asked[2].id]
    assert [r.id for r in queued(talk.state)] == [asked[1].id, asked[0].id]


def test_a_click_that_finds_the_queue_full_is_told() -> None:
    talk = Talk(limits=ChannelLimits(slots=1, queue=0))
    first, second = fill(talk, 2)
    talk.press(first, Verb.APPROVE, LEE)
    reply = talk.press(second, Verb.APPROVE, LEE)
    assert "queue of this channel is full" in reply.text
    assert talk.now(second).status is S.REFUSED


def test_deadlines_are_those_of_live_requests() -> None:
    talk = Talk()
    assert next_deadline(talk.state) is None
    request = talk.ask()
    assert next_deadline(talk.state) == START + 3600
    talk.press(request, Verb.APPROVE, LEE)
    assert next_deadline(talk.state) == pytest.approx(START + 0.4)
    talk.pass_time(0.4)
    assert next_deadline(talk.state) == START + 600
    talk.ready(request, LEE)
    talk.pass_time(0.4)
    assert next_deadline(talk.state) is None
    talk.end(request)
    assert next_deadline(talk.state) is None


def test_no_deadline_comes_back_at_once() -> None:
    """A deadline that has passed is done with, or the timer would spin."""
    talk = Talk(relaxed(), ChannelLimits(slots=1))
    fill(talk, 3)
    for _ in range(20):
        at = next_deadline(talk.state)
        if at is None:
            break
        talk.pass_time(at - talk.at)
        after = next_deadline(talk.state)
        assert after is None or after > talk.at
