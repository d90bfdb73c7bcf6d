"""The main job in a browser: run, ask, approve, watch, stop, edit. Real process, real sandbox, real Chromium."""

import re
import time

import pytest
from playwright.async_api import ViewportSize, expect

from tests.acceptance.process import BotProcess
from tests.browser.conftest import Open

pytestmark = [pytest.mark.docker, pytest.mark.browser]

TICKS = "import time\nfor n in range(4):\n    print('tick', n, flush=True)\n    time.sleep(0.7)"
PLOT = """\
import matplotlib.pyplot as plt
plt.plot([1, 3, 2])
plt.savefig('waves.png')
open('table.csv', 'w').write('a,b\\n')
"""


async def test_the_tour_is_taken_by_doing_it(bot: BotProcess, open_tab: Open) -> None:
    tab = await open_tab(bot.base, "ana", tour=True)
    tour = tab.page.get_by_role("region", name="Guided tour")
    await expect(tour).to_contain_text("1 of 4 · Run a block")
    await tour.get_by_role("button", name="Write one for me").click()
    await expect(tab.box).to_have_value("```python\nprint(6 * 7)\n```")
    await tab.box.press("Control+Enter")
    await expect(tour).to_contain_text("2 of 4 · See one ask")
    await expect(tab.answer).to_contain_text("42")

    await tour.get_by_role("button", name="Write it there").click()
    await expect(tab.page.get_by_role("heading", name="# data")).to_be_visible()
    await tab.box.press("Control+Enter")
    await expect(tour).to_contain_text("3 of 4 · Approve it as lee")
    await tour.get_by_role("button", name="Act as lee").click()
    await tab.press("Approve")
    await expect(tour).to_contain_text("4 of 4 · Edit and run again")
    await tour.get_by_role("button", name="Act as ana").click()
    await tour.get_by_role("button", name="Edit it").click()
    await tab.box.fill("```python\nprint(6 * 9)\n```")
    await tab.box.press("Control+Enter")
    await expect(tour).to_contain_text("That is all there is to it")
    await expect(tab.answer).to_contain_text("54")
    await tour.get_by_role("button", name="Done").click()
    await expect(tour).to_be_hidden()
    await tab.page.reload()
    await tab.ready()
    await expect(tour).to_be_hidden()


async def test_the_tour_can_be_skipped_and_taken_again(bot: BotProcess, open_tab: Open) -> None:
    tab = await open_tab(bot.base, "ana", tour=True)
    tour = tab.page.get_by_role("region", name="Guided tour")
    await tab.run("print('before')")
    await expect(tour).to_contain_text("2 of 4")
    await tour.get_by_role("button", name="Skip the tour").last.click()
    await tab.page.reload()
    await tab.ready()
    await expect(tour).to_be_hidden()
    await tab.page.get_by_role("button", name="Panels").click()
    await tab.page.get_by_role("tab", name="Help").click()
    await tab.page.get_by_role("button", name="Take the tour again").click()
    await bot.person("bo").post("general", "something changes")
    await expect(tab.message("something changes")).to_be_visible()
    await expect(tour).to_contain_text("1 of 4")  # what was there before does not count


async def test_ana_runs_lee_approves_and_kim_who_is_late_is_told(bot: BotProcess, open_tab: Open) -> None:
    ana, lee = await open_tab(bot.base, "ana", at="data"), await open_tab(bot.base, "lee", at="data")
    await ana.run("print('approved')")
    await expect(ana.answer).to_contain_text("ana wants to run Python (1 line) in #data")
    await ana.press("Approve")
    await expect(ana.toasts).to_contain_text("Only @leads can approve this; you asked for it yourself")
    await expect(ana.page.locator("#alerts")).to_contain_text("Only @leads can approve this")

    kim = await open_tab(bot.base, "kim", at="data", hears_nothing=True)
    await expect(kim.answer.get_by_role("button", name="Approve", exact=True)).to_be_visible()
    await lee.press("Approve")
    for tab in (ana, lee):
        await expect(tab.answer).to_contain_text("Approved by lee")
        await expect(tab.answer.locator(".output")).to_have_text("approved")
    await kim.press("Approve")
    await expect(kim.toasts).to_contain_text(re.compile(r"This was (approved|decided) by lee"))
    await expect(lee.toasts).to_have_count(0)
    assert [m["status"] for m in await bot.person("kim").messages("data")] == [None, "completed"]


async def test_a_click_is_for_the_code_that_was_shown_and_no_other(bot: BotProcess, open_tab: Open) -> None:
    ana, lee = await open_tab(bot.base, "ana", at="data"), bot.person("lee")
    await ana.run("print('harmless')")
    await expect(ana.answer).to_contain_text("wants to run")
    kim = await open_tab(bot.base, "kim", at="data", hears_nothing=True)
    await expect(kim.answer).to_contain_text("print('harmless')")
    card = (await ana.shown())[-1]
    await lee.press(card, "approve")
    await expect(ana.answer).to_contain_text("exit 0")
    await ana.box.press("ArrowUp")
    await ana.box.fill("```python\nprint('something else')\n```")
    await ana.box.press("Control+Enter")
    await expect(ana.answer).to_contain_text("wants to run")
    assert (await ana.shown())[-1] == card, "the same message asks again"

    await expect(kim.answer).to_contain_text("print('harmless')")
    await kim.press("Approve")
    await expect(kim.toasts).to_be_visible()
    assert (await lee.message("data", card))["status"] == "waiting", "what kim never saw was not approved"


async def test_output_is_seen_growing_in_its_place(bot: BotProcess, open_tab: Open) -> None:
    tab = await open_tab(bot.base, "ana")
    await tab.run("print('warm')")
    await expect(tab.answer).to_contain_text("warm")
    await tab.run(TICKS)
    output = tab.answer.locator(".output")
    began = time.monotonic()
    for n in range(4):
        await expect(output).to_contain_text(f"tick {n}")
        if n == 1:
            assert time.monotonic() - began < 2.5
            await expect(tab.answer.get_by_role("button", name="Stop")).to_be_visible()
            await output.evaluate("element => { window.first = element }")
    await expect(tab.answer).to_contain_text("exit 0")
    assert await output.evaluate("element => window.first === element"), "patched, not made anew"
    assert (
        await tab.page.evaluate("(f => f.scrollHeight - f.scrollTop - f.clientHeight)(document.querySelector('.feed'))")
        < 2
    )


async def test_a_reader_who_has_scrolled_up_is_not_moved(bot: BotProcess, open_tab: Open) -> None:
    tab = await open_tab(bot.base, "ana")
    await tab.run("for n in range(120): print('line', n)")
    await expect(tab.answer).to_contain_text("exit 0")
    await tab.run(TICKS)
    await expect(tab.answer).to_contain_text("tick 0")
    await tab.page.mouse.move(700, 400)
    await tab.page.mouse.wheel(0, -600)
    await expect(tab.page.get_by_role("button", name="Newest")).to_be_visible()
    place = "[...document.querySelectorAll('main .row')].map(row => row.getBoundingClientRect().top)[0]"
    before = await tab.page.evaluate(place)
    await bot.person("ana").answer("general", (await tab.shown())[-2])
    assert await tab.page.evaluate(place) == before
    await tab.page.get_by_role("button", name="Newest").click()
    await expect(tab.answer).to_contain_text("tick 3")
    await expect(tab.page.get_by_role("button", name="Newest")).to_be_hidden()


async def test_stop(bot: BotProcess, open_tab: Open) -> None:
    ana, bo = await open_tab(bot.base, "ana"), await open_tab(bot.base, "bo")
    await ana.run("import time\nprint('asleep', flush=True)\ntime.sleep(9)")
    await expect(bo.answer).to_contain_text("asleep")
    await bo.press("Stop")
    await expect(bo.toasts).to_contain_text("Only ana")
    await ana.answer.get_by_role("button", name="Stop").focus()
    await ana.page.keyboard.press("Enter")
    await expect(ana.answer).to_contain_text("stopped by ana")
    await expect(ana.answer.get_by_role("button", name="Stop")).to_have_count(0)
    assert await ana.page.evaluate("document.activeElement.closest('.row') !== null"), "focus stays at the message"


async def test_the_second_half_of_a_double_click_presses_nothing_else(bot: BotProcess, open_tab: Open) -> None:
    """Stop is Run again within milliseconds, in the same place."""
    ana = await open_tab(bot.base, "ana", at="general")
    await ana.run("import time\nprint('on', flush=True)\ntime.sleep(60)")
    await expect(ana.answer.locator(".output")).to_have_text("on")
    place = await ana.answer.get_by_role("button", name="Stop").bounding_box()
    assert place is not None
    began = time.monotonic()
    await ana.page.mouse.click(place["x"] + 10, place["y"] + 10)
    await expect(ana.answer.get_by_role("button", name="Run again")).to_be_visible()
    await ana.page.mouse.click(place["x"] + 10, place["y"] + 10)
    if time.monotonic() - began > 0.5:
        pytest.skip("this machine is too busy for a double click")
    await ana.page.wait_for_timeout(700)
    assert len(await ana.shown()) == 2, "it was not run again"
    await ana.page.mouse.click(place["x"] + 10, place["y"] + 10)
    await expect(ana.answer.get_by_role("button", name="Stop")).to_be_visible()
    await ana.press("Stop")


async def test_edit_and_delete_ones_own_message(bot: BotProcess, open_tab: Open) -> None:
    tab = await open_tab(bot.base, "ana")
    await tab.run("print('first')")
    await expect(tab.answer.locator(".output")).to_have_text("first")
    [_, answer] = await tab.shown()
    await tab.box.press("ArrowUp")
    await expect(tab.box).to_have_value("```python\nprint('first')\n```")
    await tab.box.press("Escape")
    await expect(tab.box).to_have_value("")
    await tab.box.press("ArrowUp")
    await tab.box.fill("```python\nprint('second')\n```")
    await tab.box.press("Control+Enter")
    await expect(tab.answer.locator(".output")).to_have_text("second")
    assert (await tab.shown())[1] == answer
    await expect(tab.feed.get_by_role("article").first).to_contain_text("edited")

    await tab.feed.get_by_role("article").first.hover()
    await tab.feed.get_by_role("article").first.get_by_role("button", name="Delete").click()
    await tab.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(tab.feed.get_by_role("article")).to_have_count(0)
    await expect(tab.page.get_by_role("heading", name="Paste a fence to run it")).to_be_visible()


async def test_a_picture_is_shown_and_a_file_is_saved(bot: BotProcess, open_tab: Open) -> None:
    tab = await open_tab(bot.base, "ana", accept_downloads=True)
    await tab.run(PLOT)
    picture = tab.answer.get_by_role("img", name="waves.png")
    await expect(picture).to_be_visible()
    assert await picture.evaluate("image => image.naturalWidth") > 100
    await tab.press("Enlarge waves.png")
    await expect(tab.page.get_by_role("dialog").get_by_role("img")).to_be_visible()
    await tab.page.keyboard.press("Escape")
    async with tab.page.expect_download() as download:
        await tab.answer.get_by_role("link", name="table.csv").click()
    saved = await download.value
    assert saved.suggested_filename == "table.csv"
    assert (await saved.path()).read_text() == "a,b\n"


async def test_run_with_input(bot: BotProcess, open_tab: Open) -> None:
    tab = await open_tab(bot.base, "ana")
    await tab.run("import sys\nprint(sys.argv[1:], sys.stdin.read())")
    await expect(tab.answer).to_contain_text("[]")
    await tab.press("Run with input…")
    dialog = tab.page.get_by_role("dialog", name="Run with input")
    await dialog.get_by_label("Standard input").fill("hello")
    await dialog.get_by_label("Arguments").fill("-n 'a b'")
    await dialog.get_by_role("button", name="Run").click()
    await expect(tab.answer.locator(".output")).to_have_text("['-n', 'a b'] hello")
    await expect(tab.answer.get_by_role("button", name=re.compile("^↳ ana"))).to_be_visible()


async def test_deny_with_a_reason_and_approve_and_remember(bot: BotProcess, open_tab: Open) -> None:
    ana, lee = await open_tab(bot.base, "ana", at="data"), await open_tab(bot.base, "lee", at="data")
    await ana.run("print('no')")
    await lee.press("Deny…")
    dialog = lee.page.get_by_role("dialog")
    await dialog.get_by_role("textbox").fill("use the staging host")
    await dialog.get_by_role("button", name="Deny").click()
    await expect(ana.answer).to_contain_text("denied by lee: use the staging host")

    await ana.run("print('again and again')")
    await expect(lee.answer).to_contain_text("wants to run")
    await lee.press("Approve and remember…")
    choices = lee.page.get_by_role("dialog").get_by_role("radio")
    await expect(choices.first).to_be_checked()
    await lee.page.get_by_role("dialog").get_by_role("button", name="Approve and remember").click()
    await expect(ana.answer.locator(".output")).to_have_text("again and again")
    await ana.press("Run again")
    await expect(ana.feed.locator(".row:has(.card)")).to_have_count(3)
    await expect(ana.answer).to_contain_text("exit 0")


async def test_code_that_was_not_shown_whole_asks_once_more(bot: BotProcess, open_tab: Open) -> None:
    ana, lee = await open_tab(bot.base, "ana", at="data"), await open_tab(bot.base, "lee", at="data")
    await ana.run("\n".join(f"print('line {n}')" for n in range(400)))
    await lee.answer.get_by_role("button", name=re.compile("^Show all 400 lines")).click()
    await expect(lee.page.get_by_role("dialog")).to_contain_text("print('line 399')")
    await lee.page.keyboard.press("Escape")
    await lee.press("Approve")
    dialog = lee.page.get_by_role("dialog")
    await expect(dialog).to_contain_text("not shown whole")
    await dialog.get_by_role("button", name="Approve").click()
    await expect(ana.answer).to_contain_text("Approved by lee")


async def test_two_browsers_see_the_same_order(bot: BotProcess, open_tab: Open) -> None:
    tall = ViewportSize(width=1000, height=4000)  # all in view, so all in the tree
    ana, bo = await open_tab(bot.base, "ana", size=tall), await open_tab(bot.base, "bo", size=tall)
    for round_ in range(3):
        await ana.run(f"print('ana {round_}')")
        await bo.run(f"print('bo {round_}')")
        await ana.say(f"words of ana {round_}")
    for tab in (ana, bo):
        await expect(tab.feed.get_by_role("article")).to_have_count(15)
        await expect(tab.feed.locator('.row[data-status="completed"]')).to_have_count(6)
    assert await ana.shown() == await bo.shown()
