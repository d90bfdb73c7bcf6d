"""Messages: what is taken up, what an edit changes, what is hinted at."""

from dataclasses import replace

import pytest

from bot.core.effects import RemovePost, ShowAnswer, ShowNotice, StopExecution
from bot.core.events import Verb
from bot.core.keys import Actor
from bot.core.limits import EDIT_WINDOW_S
from bot.core.replies import ReplyKind
from bot.core.state import Status
from tests.unit.core.talk import ANA, BO, LEE, Talk, fence, relaxed, report

S = Status


def listening(trigger: str, sources: tuple[str, ...] = ()) -> Talk:
    talk = Talk(relaxed())
    config = talk.site.config.model_copy(update={"trigger": trigger, "sources": sources})
    talk.site = replace(talk.site, config=config)
    return talk


@pytest.mark.parametrize(
    ("trigger", "addressed", "taken"),
    [("mention", False, False), ("mention", True, True), ("always", False, True), ("off", True, False)],
)
def test_when_it_listens(trigger: str, addressed: bool, taken: bool) -> None:
    request = listening(trigger).post(fence("1"), addressed=addressed)
    assert (request is not None) == taken


def test_bots_are_heard_only_where_they_are_named() -> None:
    coder = Actor("web:coder", "coder", is_bot=True)
    assert listening("always").post(fence("1"), coder) is None
    assert listening("always", ("web:coder",)).post(fence("1"), coder) is not None


def test_all_blocks_of_a_message_are_one_request() -> None:
    talk = listening("always")
    request = talk.post(fence("x = 1") + "\nand\n" + fence("ls", "bash"))
    assert request is not None
    assert [b.language for b in request.snapshot.blocks] == ["python", "bash"]


def test_what_does_not_run_is_hinted_at_beside_what_does() -> None:
    talk = listening("always")
    request = talk.post(fence("print(1)") + "\n" + fence("puts 1", "ruby"))
    assert request is not None
    talk.ready(request)
    talk.end(request)
    assert "ruby" in talk.text(request)


def test_a_message_that_only_has_a_bad_fence_gets_one_hint_that_goes_when_it_is_mended() -> None:
    talk = listening("always")
    assert talk.post(fence("print(1)", "")) is None
    (notice,) = talk.state.notices
    assert "```python" in notice.text
    assert talk.effects == [ShowNotice(notice=notice.key)]
    talk.take_effects()
    request = talk.edit(fence("print(1)"))
    assert request is not None
    assert RemovePost(post=notice.key, message=None) in talk.effects
    assert talk.state.notices == ()


def test_a_hint_is_edited_in_place_while_the_fence_stays_wrong() -> None:
    talk = listening("always")
    talk.post(fence("print(1)", ""))
    (before,) = talk.state.notices
    talk.edit(fence("print(1)", "pyhton"))
    (after,) = talk.state.notices
    assert after.key == before.key
    assert after.text != before.text


def test_talk_is_left_alone() -> None:
    talk = listening("always")
    assert talk.post("how was your weekend?") is None
    assert talk.state.notices == ()


def test_whoever_talks_to_the_bot_is_answered() -> None:
    talk = listening("mention")
    talk.post("how many primes are there below a million?", addressed=True)
    assert "No model is set up here" in talk.state.notices[0].text


def test_network_on_the_fence_line_is_not_granted_silently() -> None:
    talk = listening("always")
    assert talk.post(fence("1", "python network")) is None
    assert "no network" in talk.state.notices[0].text


def test_more_time_on_the_fence_line_asks() -> None:
    talk = listening("always")
    request = talk.post(fence("1", "python timeout=60"))
    assert request is not None
    assert request.status is S.WAITING
    assert request.decision.profile.timeout_s == 60


def test_an_edit_of_other_words_changes_nothing() -> None:
    talk = listening("always")
    request = talk.post("look: \n" + fence("1"))
    assert request is not None
    talk.take_effects()
    assert talk.edit("see here: \n" + fence("1")) is None
    assert talk.effects == []


def test_only_the_author_edits() -> None:
    talk = Talk()
    request = talk.ask()
    assert talk.edit(fence("2"), BO) is None
    assert talk.now(request).status is S.WAITING


def test_an_edit_while_it_waits_supersedes_and_asks_anew_below() -> None:
    talk = Talk()
    old = talk.posted(talk.ask())
    new = talk.edit(fence("print(43)"))
    assert new is not None
    assert talk.now(old).status is S.SUPERSEDED
    assert "the message was edited; see the new request below" in talk.text(old)
    assert talk.buttons(old) == []
    assert old.answer is not None
    assert new.answer is not None
    assert new.answer.key != old.answer.key
    assert talk.press(old, Verb.APPROVE, LEE).text == "The code changed after this card was posted."
    assert talk.starts() == []


def test_an_edit_after_the_end_runs_again_in_the_same_answer() -> None:
    talk = Talk(relaxed())
    old = talk.ask("print(1)")
    talk.posted(old)
    talk.ready(old)
    talk.end(old)
    talk.at += EDIT_WINDOW_S
    new = talk.edit(fence("print(2)"))
    assert new is not None
    assert new.answer is not None
    assert new.answer.message == "b1"
    assert talk.now(old).answer is None
    talk.ready(new)
    talk.take_effects()
    talk.end(new, report("2\n"))
    assert talk.effects == [ShowAnswer(request=new.id, answer=new.answer.key)]


def test_an_edit_long_after_the_end_does_not() -> None:
    talk = Talk(relaxed())
    old = talk.ask("print(1)")
    talk.posted(old)
    talk.ready(old)
    talk.end(old)
    talk.at += EDIT_WINDOW_S + 1
    assert talk.edit(fence("print(2)")) is None


def test_an_edit_while_an_allowed_one_runs_stops_it() -> None:
    talk = Talk(relaxed())
    old = talk.ask("print(1)")
    talk.ready(old)
    new = talk.edit(fence("print(2)"))
    assert new is not None
    assert any(isinstance(e, StopExecution) for e in talk.effects)
    assert new.answer is not None
    assert old.answer is not None
    assert new.answer.key != old.answer.key


def test_an_edit_while_an_approved_one_runs_lets_it_run() -> None:
    talk = Talk()
    old = talk.in_status(S.RUNNING)
    new = talk.edit(fence("print(2)"))
    assert new is not None
    assert new.status is S.WAITING
    assert talk.now(old).status is S.RUNNING
    assert not any(isinstance(e, StopExecution) for e in talk.effects)


@pytest.mark.parametrize("by_click", [False, True])
def test_an_edit_before_the_start_supersedes_only_what_nobody_approved(by_click: bool) -> None:
    talk = Talk() if by_click else Talk(relaxed())
    old = talk.in_status(S.APPROVED) if by_click else talk.ask()
    assert talk.edit(fence("print(2)")) is not None
    assert talk.now(old).status is (S.APPROVED if by_click else S.SUPERSEDED)


def test_taking_the_code_out_ends_the_request_and_putting_it_back_asks_again() -> None:
    talk = Talk()
    old = talk.posted(talk.ask())
    assert talk.edit("never mind") is None
    assert talk.now(old).status is S.SUPERSEDED
    again = talk.edit(fence("print(42)"))
    assert again is not None
    assert again.status is S.WAITING


def test_a_first_fence_by_edit_is_taken_up_while_the_message_is_young() -> None:
    talk = listening("always")
    talk.post("hello")
    assert talk.edit(fence("1"), posted_at=talk.at - EDIT_WINDOW_S - 1) is None
    assert talk.edit(fence("1")) is None, "its age is unknown"
    assert talk.edit(fence("1"), posted_at=talk.at - 60) is not None


def test_requests_asked_by_button_are_superseded_with_their_message() -> None:
    talk = Talk()
    request = talk.in_status(S.ENDED)
    talk.press(request, Verb.RUN_AGAIN, BO)
    again = talk.state.requests[-1]
    talk.edit(fence("print(2)"), ANA)
    assert talk.now(again).status is S.SUPERSEDED


def test_deleting_a_message_takes_its_hint_along() -> None:
    talk = listening("always")
    talk.post(fence("print(1)", ""))
    talk.take_effects()
    talk.delete()
    assert talk.state.notices == ()
    assert [type(e) for e in talk.take_effects()] == [RemovePost]


def test_half_a_character_is_said_and_nothing_is_lost() -> None:
    talk = listening("always")
    assert talk.post(fence("x = '\ud800'")) is None
    assert "half of a surrogate pair" in talk.state.notices[0].text
    assert talk.state.model_dump_json()
    request = talk.ask()
    talk.ready(request)
    talk.end(request)
    assert talk.press(request, Verb.RUN_INPUT, ANA, stdin="\udc00").kind is ReplyKind.INVALID


def test_a_rule_that_may_be_used_twice_allows_twice() -> None:
    (rule,) = relaxed().rule
    talk = Talk(relaxed().model_copy(update={"rule": (rule.model_copy(update={"max_uses": 2}),)}))
    statuses = [talk.ask("1", ANA, f"m{n}").status for n in range(3)]
    assert statuses == [S.APPROVED, S.APPROVED, S.WAITING]


@pytest.mark.parametrize(("count", "taken"), [(20, True), (21, False)])
def test_a_message_holds_so_many_blocks_and_no_more(count: int, taken: bool) -> None:
    talk = listening("always")
    request = talk.post("\n".join(fence("1") for _ in range(count)))
    assert (request is not None) == taken
    if not taken:
        assert talk.state.notices[0].text == "A message may hold at most 20 blocks that run; this one holds 21."
