"""Clicks that race, come twice, come late: one execution, and each refused click has its own status and sentence."""

import asyncio

import pytest

from tests.acceptance.process import BotProcess, until

pytestmark = pytest.mark.docker

MARK = "open('/workspace/runs', 'a').write('x')\nprint(len(open('/workspace/runs').read()), 'runs')"


async def test_two_approvers_in_the_same_millisecond(bot: BotProcess) -> None:
    ana, lee, kim = bot.person("ana"), bot.person("lee"), bot.person("kim")
    for round_number in range(1, 6):
        message = await ana.run("data", MARK)
        card = await ana.answer("data", message, "waiting")
        clicks = await asyncio.gather(lee.press(card["id"], "approve"), kim.press(card["id"], "approve"))
        assert sorted(click.status for click in clicks) == [202, 410]
        late = next(click for click in clicks if click.status == 410)
        assert late.body["text"].startswith("This was approved by ")
        answer = await ana.answer("data", message)
        assert f"{round_number} runs" in answer["text"]
        assert len(await ana.answers("data", message)) == 1


async def test_one_clicks_twice(bot: BotProcess) -> None:
    ana, lee = bot.person("ana"), bot.person("lee")
    message = await ana.run("data", MARK)
    card = await ana.answer("data", message, "waiting")
    clicks = await asyncio.gather(*(lee.press(card["id"], "approve") for _ in range(5)))
    assert sorted(click.status for click in clicks) == [202, 410, 410, 410, 410]
    assert "1 runs" in (await ana.answer("data", message))["text"]


async def test_one_denies_while_another_approves(bot: BotProcess) -> None:
    ana, lee, kim = bot.person("ana"), bot.person("lee"), bot.person("kim")
    message = await ana.run("data", MARK)
    card = await ana.answer("data", message, "waiting")
    yes, no = await asyncio.gather(lee.press(card["id"], "approve"), kim.press(card["id"], "deny", reason="not now"))
    assert sorted([yes.status, no.status]) == [202, 410]
    answer = await ana.answer("data", message)
    assert answer["status"] == ("completed" if yes.status == 202 else "denied")


async def test_a_click_after_the_message_was_edited(bot: BotProcess) -> None:
    ana, lee = bot.person("ana"), bot.person("lee")
    message = await ana.run("data", "print('harmless')")
    old = await ana.answer("data", message, "waiting")
    await ana.edit(message, "print('other')")

    async def new_card() -> dict[str, object] | None:
        return next((m for m in await ana.answers("data", message) if m["id"] != old["id"]), None)

    new = await until("second card", new_card)
    refused = await lee.press(old["id"], "approve")
    assert refused.status == 410
    assert refused.body["text"] == "The code changed after this card was posted."
    shown = await ana.message("data", old["id"])
    assert shown["status"] == "superseded"
    assert "see the new request below" in shown["text"]
    assert (await lee.press(str(new["id"]), "approve")).status == 202
    assert "other" in (await ana.answer("data", message, "completed"))["text"]


async def test_a_click_after_the_message_was_deleted(bot: BotProcess) -> None:
    ana, lee = bot.person("ana"), bot.person("lee")
    message = await ana.run("data", MARK)
    card = await ana.answer("data", message, "waiting")
    await ana.call("DELETE", f"/api/messages/{message}")
    assert (await lee.press(card["id"], "approve")).status == 410


async def test_a_click_after_it_was_withdrawn(bot: BotProcess) -> None:
    ana, lee = bot.person("ana"), bot.person("lee")
    message = await ana.run("data", MARK)
    card = await ana.answer("data", message, "waiting")
    assert (await lee.press(card["id"], "cancel")).status == 403
    assert (await ana.press(card["id"], "cancel")).status == 202
    late = await lee.press(card["id"], "approve")
    assert (late.status, late.body["text"]) == (410, "This was withdrawn by ana just now.")


async def test_code_that_the_card_does_not_show_whole(bot: BotProcess) -> None:
    ana, lee = bot.person("ana"), bot.person("lee")
    message = await ana.run("data", "\n".join(f"print({n})" for n in range(200)))
    card = await ana.answer("data", message, "waiting")
    asked = await lee.press(card["id"], "approve")
    assert asked.status == 409
    assert "200 lines" in asked.body["confirm"]
    shown = await lee.press(card["id"], "show_code")
    assert shown.status == 202
    assert "print(137)" in shown.body["text"]
    assert (await lee.press(card["id"], "approve", confirm=True)).status == 202
    assert (await ana.answer("data", message))["status"] == "completed"


async def test_deny_with_a_reason_and_remember(bot: BotProcess) -> None:
    ana, lee = bot.person("ana"), bot.person("lee")
    denied = await ana.run("data", "print('no')")
    card = await ana.answer("data", denied, "waiting")
    assert (await lee.press(card["id"], "deny", reason="use the staging host")).status == 202
    shown = await ana.answer("data", denied)
    assert shown["status"] == "denied"
    assert "denied by lee: use the staging host" in shown["text"]
    late = await lee.press(card["id"], "approve")
    assert (late.status, late.body["text"]) == (410, "This was decided by lee just now: denied.")

    message = await ana.run("data", "print('often')")
    card = await ana.answer("data", message, "waiting")
    offered = await lee.press(card["id"], "remember")
    assert offered.status == 409
    assert offered.body["choices"] == [{"id": "exact", "text": "This exact code, in #data, for 30 days"}]
    assert (await lee.press(card["id"], "remember", choice="exact")).status == 202
    assert (await ana.answer("data", message))["status"] == "completed"
    again = await ana.run("data", "print('often')")
    assert (await ana.answer("data", again))["status"] == "completed", "the same bytes run by themselves now"
    other = await ana.run("data", "print('often!')")
    await ana.answer("data", other, "waiting")


async def test_buttons_that_never_were(bot: BotProcess) -> None:
    ana, lee = bot.person("ana"), bot.person("lee")
    message = await ana.run("data", MARK)
    card = await ana.answer("data", message, "waiting")
    assert (await lee.press(card["id"], "full_output")).status == 404
    assert (await lee.press(message, "approve")).status == 404
    assert (await lee.press("m0000000000000000", "approve")).status == 404
    nobody = await lee.call(
        "POST", f"/api/messages/{card['id']}/buttons/approve", headers={"X-Fencepost-User": "mallory"}
    )
    assert nobody.status == 401
