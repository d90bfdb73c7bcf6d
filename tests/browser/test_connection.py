"""Nothing is lost and nothing comes twice, whatever happens to the page, the connection or the server."""

import re

import pytest
from playwright.async_api import expect

from tests.acceptance.process import BotProcess
from tests.browser.conftest import Open
from tests.browser.tab import Tab

pytestmark = [pytest.mark.docker, pytest.mark.browser]

TICKS = "import time\nfor n in range(5):\n    print('tick', n, flush=True)\n    time.sleep(0.6)"


async def test_a_page_that_is_loaded_again_in_the_middle_of_a_stream_goes_on(bot: BotProcess, open_tab: Open) -> None:
    tab = await open_tab(bot.base, "ana")
    await tab.run(TICKS)
    await expect(tab.answer).to_contain_text("tick 1")
    await tab.box.fill("half a thought")
    await tab.page.reload()
    await tab.ready()
    await expect(tab.box).to_have_value("half a thought")
    for n in range(2, 5):
        await expect(tab.answer.locator(".output")).to_contain_text(f"tick {n}")
    await expect(tab.answer).to_contain_text("exit 0")
    await expect(tab.answer.locator(".output")).to_have_text("".join(f"tick {n}\n" for n in range(5)).strip())
    await expect(tab.feed.get_by_role("article")).to_have_count(2)


async def test_a_server_that_is_killed_and_started_again_under_the_page(bot: BotProcess, open_tab: Open) -> None:
    ana, bo = await open_tab(bot.base, "ana"), await open_tab(bot.base, "bo")
    await ana.run("print('before')")
    await expect(bo.answer).to_contain_text("before")
    await ana.run("import time\nprint('asleep', flush=True)\ntime.sleep(60)")
    await expect(bo.answer).to_contain_text("asleep")

    await bot.kill()
    await expect(ana.page.locator(".connection")).to_contain_text("No connection")
    await ana.box.fill("```python\nprint('written without a server')\n```")
    await ana.box.press("Control+Enter")
    await expect(ana.page.locator(".outbox")).to_contain_text("Not sent yet")
    await bo.press("Run again", bo.message("before"))
    await expect(bo.toasts).to_contain_text("Fencepost does not answer right now")

    await bot.start()
    for tab in (ana, bo):
        await expect(tab.page.locator(".connection")).to_have_text("Connected", timeout=15_000)
        await expect(tab.message("interrupted by a restart")).to_be_visible()
        await expect(tab.answer.locator(".output")).to_have_text("written without a server", timeout=15_000)
    await expect(ana.page.locator(".outbox")).to_be_empty()
    kept = [m["id"] for m in await bot.person("ana").messages("general")]
    assert len(kept) == 6
    for tab in (ana, bo):
        assert sorted(await tab.shown()) == sorted(kept)
        _forget_what_a_dead_server_says(tab)


async def test_a_post_whose_answer_was_lost_is_not_posted_twice(bot: BotProcess, open_tab: Open) -> None:
    tab = await open_tab(bot.base, "ana")
    lost = 0

    async def lose_the_first(route):  # type: ignore[no-untyped-def]
        nonlocal lost
        lost += 1
        if lost == 1:
            await route.fetch()
            await route.abort()
        else:
            await route.continue_()

    await tab.page.route(re.compile("/messages$"), lose_the_first)
    await tab.say("only once")
    await expect(tab.message("only once")).to_be_visible()
    await expect(tab.page.locator(".outbox")).to_be_empty()
    assert lost == 2
    assert [m["text"] for m in await bot.person("ana").messages("general")] == ["only once"]
    _forget_what_a_dead_server_says(tab)


async def test_what_is_unread_is_marked_until_it_is_read(bot: BotProcess, open_tab: Open) -> None:
    ana = await open_tab(bot.base, "ana")
    bo = bot.person("bo")
    link = ana.page.get_by_role("link", name=re.compile("# data"))
    await bo.post("data", "one")
    await bo.post("data", "two")
    await expect(link.get_by_label("2 unread")).to_be_visible()
    await expect(ana.page).to_have_title(re.compile(r"^\(2\) #general"))
    await ana.page.reload()
    await ana.ready()
    await expect(link.get_by_label("2 unread")).to_be_visible()
    await link.click()
    await expect(ana.feed.get_by_text("New", exact=True)).to_be_visible()
    await expect(link.get_by_label("2 unread")).to_have_count(0)
    await expect(ana.page).to_have_title(re.compile("^#data"))
    await ana.go("general")
    await ana.page.reload()
    await ana.ready()
    await expect(link.get_by_label(re.compile("unread"))).to_have_count(0)


async def test_a_link_to_a_message_leads_to_it(bot: BotProcess, open_tab: Open) -> None:
    ana = bot.person("ana")
    first = await ana.post("data", "the first of many")
    for number in range(120):
        await ana.post("data", f"number {number}\n" * 5)
    root = await ana.post("data", "root of a thread")
    reply = await ana.post("data", "deep in a thread", thread=root)
    tab = await open_tab(bot.base, "bo", at=f"data/{first}")
    await expect(tab.page.locator(f'[data-id="{first}"]')).to_be_in_viewport()
    await expect(tab.page.locator(f'[data-id="{first}"]')).to_be_focused()
    await tab.go(f"data/{reply}")
    await expect(tab.page.get_by_role("feed", name="Thread").get_by_text("deep in a thread")).to_be_visible()
    await tab.go("data/m0000000000000000")
    await expect(tab.toasts).to_contain_text("That message is not here any more")


async def test_threads_and_search(bot: BotProcess, open_tab: Open) -> None:
    tab = await open_tab(bot.base, "ana")
    await tab.say("Shall we talk about needles?")
    await tab.message("needles").hover()
    await tab.message("needles").get_by_role("button", name="Reply in a thread").click()
    thread = tab.page.get_by_role("feed", name="Thread")
    await tab.page.get_by_role("textbox", name="Reply in the thread").fill("```python\nprint('in the thread')\n```")
    await tab.page.get_by_role("textbox", name="Reply in the thread").press("Control+Enter")
    await expect(thread.locator(".output")).to_have_text("in the thread")
    await expect(tab.message("needles").get_by_role("button", name="2 replies")).to_be_visible()
    await expect(tab.feed.get_by_role("article")).to_have_count(1)

    for number in range(30):
        await bot.person("bo").post("general", f"hay {number}\n" * 4)
    await tab.page.keyboard.press("Control+k")
    await tab.page.get_by_role("searchbox").fill("NEEDLES talk")
    hit = tab.page.locator(".hit")
    await expect(hit).to_have_count(1)
    await expect(hit.locator("mark")).to_have_text(["talk", "needles"])
    await hit.click()
    await expect(tab.message("needles")).to_be_in_viewport()
    assert "/m" in tab.page.url


def _forget_what_a_dead_server_says(tab: Tab) -> None:
    """Chromium logs requests that failed as errors; they were meant to fail."""
    tab.troubles = [trouble for trouble in tab.troubles if "ERR_" not in trouble]
