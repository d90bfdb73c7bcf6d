"""What stays in the state, what is recalled, what a post that exists changes, and what the sandbox is given."""

import pytest

from bot.core.effects import RemovePost
from bot.core.events import AnswerPosted, PostRefused, Verb
from bot.core.execution import execution_of
from bot.core.keys import ChannelKey
from bot.core.limits import EDIT_WINDOW_S, RECENT_REQUESTS
from bot.core.replies import ReplyKind
from bot.core.retention import forget, recall
from bot.core.state import Status
from bot.core.views.notice import notice_view
from bot.core.views.view import plain
from executor.types import InputFile
from tests.unit.core.talk import ANA, LEE, Talk, fence, relaxed


def test_what_has_ended_and_was_posted_leaves_once_no_edit_can_reach_it() -> None:
    talk = Talk(relaxed())
    request = talk.ask()
    talk.posted(request)
    talk.ready(request)
    talk.end(request)
    assert forget(talk.state, talk.at + EDIT_WINDOW_S) is talk.state
    assert forget(talk.state, talk.at + EDIT_WINDOW_S + 1).requests == ()


def test_what_is_live_or_not_posted_yet_stays_however_old() -> None:
    talk = Talk()
    talk.ask()
    never_posted = talk.ask("2", ANA, "m2")
    talk.press(never_posted, Verb.CANCEL, ANA)
    assert len(forget(talk.state, talk.at + 10**9).requests) == 2


def test_only_so_many_recent_ones_stay() -> None:
    talk = Talk()
    for number in range(RECENT_REQUESTS + 3):
        request = talk.ask(f"{number}", ANA, f"m{number}")
        talk.posted(request, f"b{number}")
        talk.press(request, Verb.CANCEL, ANA)
    assert len(talk.state.requests) == RECENT_REQUESTS
    assert talk.state.requests[-1].source == f"m{RECENT_REQUESTS + 2}"


def test_an_old_button_works_on_a_recalled_request() -> None:
    talk = Talk(relaxed())
    request = talk.ask()
    talk.posted(request)
    talk.ready(request)
    ended = talk.end(request)
    talk.at += 30 * 86400
    talk.pass_time(0)
    assert talk.state.requests == ()
    talk.state = recall(talk.state, [ended])
    assert talk.press(ended, Verb.RUN_AGAIN, LEE).kind is ReplyKind.DONE
    assert talk.state.requests[-1].requester == LEE.id


def test_recall_keeps_the_order_and_adds_nothing_twice() -> None:
    talk = Talk()
    first = talk.ask("1", ANA, "m1")
    talk.at += 1
    second = talk.ask("2", ANA, "m2")
    whole = talk.state
    assert recall(whole, [first]) is whole
    part = whole.model_copy(update={"requests": (second,)})
    assert recall(part, [first]).requests == (first, second)


def test_a_post_that_exists_is_edited_from_then_on() -> None:
    talk = Talk()
    request = talk.posted(talk.ask(), "b7")
    assert request.answer is not None
    assert request.answer.message == "b7"
    talk.post(fence("x", ""), message="m2")
    (notice,) = talk.state.notices
    talk.step(AnswerPosted(**talk.base(), key=notice.key, message="b8"))
    assert talk.state.notices[0].message == "b8"
    assert "language" in plain(notice_view(notice))


def test_a_post_that_came_too_late_for_anything_is_removed() -> None:
    talk = Talk()
    request = talk.ask()
    assert request.answer is not None
    talk.delete()
    talk.take_effects()
    talk.step(AnswerPosted(**talk.base(), key=request.answer.key, message="b1"))
    assert talk.effects == [RemovePost(post=request.answer.key, message="b1")]


def test_the_sandbox_gets_what_was_approved_and_no_more() -> None:
    talk = Talk()
    request = talk.post(
        fence("# filename: a/b.py\nprint(input())", 'python timeout=60 args="-v"') + "\n" + fence("7", "stdin")
    )
    assert request is not None
    talk.press(request, Verb.APPROVE, LEE)
    with pytest.raises(ValueError, match="has no execution"):
        execution_of(request)
    running = talk.ready(request, LEE)
    files = (InputFile("data.csv", b"1"),)
    execution = execution_of(running, files)
    (block,) = execution.blocks
    assert (block.language, block.filename, block.args, block.stdin) == ("python", "a/b.py", ("-v",), b"7\n")
    assert (execution.id, execution.requester, execution.files) == (running.execution, ANA.id, files)
    assert (execution.limits.timeout_s, execution.limits.memory_mb, execution.workspace) == (60, 512, "rw")
    assert running.status is Status.RUNNING


@pytest.mark.parametrize("text", ["web", "web:local", "web/local", ":a/b", "a:/b", "a:b/", "a:b/c/d", "a b:c/d"])
def test_channel_keys_are_read_exactly(text: str) -> None:
    with pytest.raises(ValueError, match=r"channel key"):
        ChannelKey.parse(text)


def test_channel_keys_round_trip() -> None:
    key = ChannelKey("slack", "T1", "C42")
    assert ChannelKey.parse(str(key)) == key


def test_a_post_that_can_never_be_made_is_not_waited_for() -> None:
    talk = Talk(relaxed())
    request = talk.ask()
    talk.ready(request)
    assert request.answer is not None
    talk.step(PostRefused(**talk.base(), key=request.answer.key))
    assert talk.now(request).answer is None
    assert talk.end(request).status is Status.ENDED
    assert forget(talk.state, talk.at + EDIT_WINDOW_S + 1).requests == ()
    talk.post(fence("x", ""), message="m2")
    talk.step(PostRefused(**talk.base(), key=talk.state.notices[0].key))
    assert talk.state.notices == ()


def test_a_long_run_that_ends_now_outlives_many_short_ones_that_came_after_it() -> None:
    talk = Talk(relaxed())
    long_one = talk.posted(talk.ask("long", ANA, "m-long"), "b-long")
    talk.ready(long_one)
    for number in range(RECENT_REQUESTS + 1):
        talk.at += 1
        request = talk.ask(f"{number}", LEE, f"m{number}")
        talk.posted(request, f"b{number}")
        talk.ready(request)
        talk.end(request)
    talk.at += 1
    assert talk.end(long_one).status is Status.ENDED
