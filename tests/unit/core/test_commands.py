"""Commands in chat: private answers, changes for admins only."""

import pytest

from bot.core.effects import ChangeHalt, StopExecution
from bot.core.events import CommandIssued
from bot.core.keys import Actor
from bot.core.replies import Reply, ReplyKind
from bot.core.state import Status
from tests.unit.core.talk import ANA, BO, LEE, ROOT, Talk, relaxed


def say(talk: Talk, text: str, actor: Actor = ANA) -> Reply:
    (reply,) = talk.step(CommandIssued(**talk.base(), actor=actor, text=text))
    return reply


@pytest.mark.parametrize("text", ["", "help", "HELP", "  help  "])
def test_help(text: str) -> None:
    assert "/fencepost status" in say(Talk(), text).text


def test_an_unknown_command_names_the_way_on() -> None:
    reply = say(Talk(), "frobnicate now")
    assert reply.kind is ReplyKind.INVALID
    assert reply.text == "There is no command 'frobnicate'. /fencepost help lists them."


def test_status_lists_what_is_live() -> None:
    talk = Talk()
    talk.in_status(Status.RUNNING)
    talk.ask("print(2)", BO, "m2")
    text = say(talk, "status").text
    assert "1 running · 0 queued · 1 waiting for approval" in text
    assert "waiting · Python (1 line) · bo · just now" in text


def test_status_names_a_halt() -> None:
    talk = Talk()
    talk.halted("root")
    assert "halted by root" in say(talk, "status").text


def test_approvals_and_approvers() -> None:
    talk = Talk()
    assert say(talk, "approvals").text == "Nothing waits for approval here."
    talk.ask()
    assert "needs 1 of @leads" in say(talk, "approvals").text
    assert say(talk, "approvers").text == "@leads: whoever has the role admin or lead"


def test_history_policy_and_config_speak_of_this_channel() -> None:
    talk = Talk(relaxed())
    assert say(talk, "history").text == "Nothing was asked here yet."
    talk.ask()
    assert "Python (1 line) · ana" in say(talk, "history").text
    assert "allow · all" in say(talk, "policy").text
    assert "Takes up: any fence" in say(talk, "config").text


@pytest.mark.parametrize(("actor", "stopped"), [(ANA, 1), (BO, 1), (LEE, 2), (ROOT, 2)])
def test_stop_ends_ones_own_or_for_leads_and_admins_all(actor: Actor, stopped: int) -> None:
    talk = Talk(relaxed())
    running = talk.ask("1", ANA, "m1")
    talk.ready(running)
    queued = talk.ask("2", BO, "m2")
    talk.take_effects()
    say(talk, "stop", actor)
    stops = [e.request for e in talk.effects if isinstance(e, StopExecution)]
    ended = [r.id for r in (talk.now(running), talk.now(queued)) if r.status is Status.CANCELLED]
    assert len(stops) + len(ended) == stopped
    assert say(Talk(), "stop", actor).text == "Nothing runs here."


def test_halt_and_resume() -> None:
    talk = Talk()
    say(talk, "halt", ROOT)
    say(talk, "resume", ROOT)
    assert say(talk, "halt", LEE).kind is ReplyKind.FORBIDDEN
    assert talk.effects == [ChangeHalt(halted=True, by="root"), ChangeHalt(halted=False, by="root")]
