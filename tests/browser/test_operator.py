"""The operator's drawer: everything that waits and runs, in all channels, decided and ended from there."""

import re

import pytest
from playwright.async_api import Locator, ViewportSize, expect

from tests.acceptance.process import BotProcess
from tests.browser.conftest import Open
from tests.browser.tab import PHONE, WIDE, Tab
from tests.browser.test_access import findings

pytestmark = [pytest.mark.docker, pytest.mark.browser]

LONG = "import time\nprint('on', flush=True)\ntime.sleep(9)"
HOSTILE = "print('<img src=x onerror=alert(1)>') # \u202e</script>"


async def panel(tab: Tab, title: str) -> Locator:
    drawer = tab.page.get_by_role("complementary", name="Panel")
    if not await drawer.is_visible():
        await tab.page.get_by_role("button", name="Panels").click()
    await drawer.get_by_role("tab", name=title).click()
    return drawer.get_by_role("tabpanel")


async def test_what_waits_in_two_channels_is_decided_from_the_drawer(bot: BotProcess, open_tab: Open) -> None:
    ana, bo = bot.person("ana"), bot.person("bo")
    asked = await ana.run("data", "print('of data')")
    await ana.answer("data", asked, "waiting")
    lee = await open_tab(bot.base, "lee", at="general")
    shown = await panel(lee, "Approvals")
    await expect(shown.get_by_role("status")).to_have_text("1 request waits, 1 for you to decide.")

    also = await bo.run("ops", "print('of ops')")
    await expect(shown.get_by_role("status")).to_have_text("2 requests wait, 2 for you to decide.")
    items = shown.get_by_role("list").first.locator("> li")
    await expect(items).to_contain_text(["of data", "of ops"])

    await items.first.get_by_role("button", name="Approve", exact=True).click()
    await ana.answer("data", asked, "completed")
    await expect(shown.get_by_role("status")).to_have_text("1 request waits, 1 for you to decide.")
    await expect(items.first.locator(".where")).to_contain_text("exit 0")  # in its place, while the pointer is there
    await expect(items.first.get_by_role("button", name="Approve", exact=True)).to_be_hidden()
    await lee.box.hover()
    await lee.box.focus()
    await expect(items).to_contain_text(["of ops"])

    await items.get_by_role("button", name="Deny…").click()
    await lee.page.get_by_role("dialog").get_by_role("textbox").fill("not there")
    await lee.page.get_by_role("dialog").get_by_role("button", name="Deny").click()
    await bo.answer("ops", also, "denied")
    await expect(shown.get_by_role("status")).to_have_text("Nothing waits for approval.")

    shown = await panel(lee, "History")
    lines = shown.get_by_role("listitem")
    await expect(lines).to_contain_text(
        [re.compile("#ops · bo · denied by lee: not there"), re.compile("#data · ana · approved by lee")]
    )
    await lines.last.get_by_role("button").click()
    await expect(lee.page.get_by_role("heading", name="# data")).to_be_visible()
    await expect(lee.message("Approved by lee")).to_be_in_viewport()
    await expect(shown).to_be_visible()  # it is about all channels


async def test_whoever_asked_sees_it_wait_for_others(bot: BotProcess, open_tab: Open) -> None:
    lee = bot.person("lee")
    await lee.answer("ops", await lee.run("ops", HOSTILE), "waiting")
    tab = await open_tab(bot.base, "lee", at="general")
    shown = await panel(tab, "Approvals")
    await expect(shown.get_by_role("status")).to_have_text("1 request waits, none for you to decide.")
    await expect(shown.get_by_role("heading", name="For others to decide")).to_be_visible()
    await expect(shown.get_by_role("heading", name="Yours to decide")).to_be_hidden()
    await expect(shown.locator(".code")).to_contain_text("<img src=x onerror=alert(1)>")
    await expect(shown.locator("img[src=x]")).to_have_count(0)


async def test_what_runs_is_stopped_from_the_drawer(bot: BotProcess, open_tab: Open) -> None:
    ana, bo = bot.person("ana"), bot.person("bo")
    lee = await open_tab(bot.base, "lee", at="ops")
    shown = await panel(lee, "Running")
    await expect(shown.get_by_role("status")).to_have_text("Nothing runs and nothing is in line.")
    message = await ana.run("general", LONG)
    queued = await ana.run("general", "print('after')")
    await expect(shown.get_by_role("status")).to_have_text("1 running, 1 execution to come.")
    lines = shown.get_by_role("listitem")
    await expect(lines.first).to_contain_text(
        re.compile(r"Python \(3 lines\).*#general · ana.*running · \d+ s", re.DOTALL)
    )
    await expect(lines.last).to_contain_text("next in line")
    stop = shown.get_by_role("button", name=re.compile("^Stop "))
    await expect(stop).to_have_count(1)
    await expect(stop).to_have_accessible_name("Stop Python (3 lines) of ana in #general")
    await stop.click()
    await ana.answer("general", message, "cancelled")
    await ana.answer("general", queued, "completed")
    await expect(lines.first).to_contain_text("ended")
    await lee.box.hover()
    await lee.box.focus()
    await expect(lines).to_have_count(0)
    await bo.answer("general", await bo.run("general", "print(1)"), "completed")


async def test_by_keyboard_alone_and_never_onto_the_next_button(bot: BotProcess, open_tab: Open) -> None:
    ana = bot.person("ana")
    asked = [await ana.run("data", f"print({number})") for number in range(2)]
    for each in asked:
        await ana.answer("data", each, "waiting")
    tab = await open_tab(bot.base, "kim", at="general")
    await tab.page.get_by_role("button", name="Panels").press("Enter")
    shown = tab.page.get_by_role("tabpanel")
    await expect(shown).to_be_focused()
    approve = shown.get_by_role("button", name="Approve", exact=True)
    await approve.first.focus()
    await tab.page.keyboard.press("Enter")
    await ana.answer("data", asked[0], "completed")
    await expect(shown.get_by_role("status")).to_have_text("1 request waits, 1 for you to decide.")
    await expect(shown.locator("li").first.get_by_role("article")).to_be_focused()
    await tab.page.keyboard.press("Enter")
    await expect(approve).to_have_count(1)
    tabs = tab.page.get_by_role("tab")
    await tabs.first.focus()
    await tab.page.keyboard.press("ArrowRight")
    await expect(tab.page.get_by_role("tab", name="Running")).to_be_focused()
    await tab.page.keyboard.press("Escape")
    await expect(shown).to_be_hidden()


async def test_policies_and_sandboxes(bot: BotProcess, open_tab: Open) -> None:
    ana = bot.person("ana")
    await ana.answer("general", await ana.run("general", "print(1)"), "completed")
    lee = await open_tab(bot.base, "lee", at="general")
    shown = await panel(lee, "Policy")
    here = shown.locator("details").first
    await expect(here).to_contain_text(
        "Python, Bash and Shell code runs by itself, without network, with the workspace."
    )
    await expect(here).to_contain_text("allowed 1 request in 7 days")
    await expect(here).to_contain_text("@leads: kim, lee, rita, root")
    await shown.get_by_text("#ops").click()
    await expect(shown.get_by_text("Code in any language that asks for more").last).to_be_visible()

    shown = await panel(lee, "Sandboxes")
    row = shown.get_by_role("row").filter(has_text="#general")
    await expect(row).to_contain_text(re.compile(r"idle.*\d+(\.\d)? MB"), timeout=30_000)
    member = await open_tab(bot.base, "ana", at="general")
    await panel(member, "Running")
    await expect(member.page.get_by_role("tab", name="Sandboxes")).to_have_count(0)


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_no_panel_has_a_serious_finding_or_is_wider_than_the_screen(
    bot: BotProcess, open_tab: Open, axe: str, scheme: str, size: ViewportSize
) -> None:
    ana = bot.person("ana")
    await ana.answer("general", await ana.run("general", "print(1)"), "completed")
    await ana.answer(
        "data", await ana.run("data", "print('a wide line ' * 40, 'and more of it so that it has to wrap')"), "waiting"
    )
    await ana.run("general", LONG)
    tab = await open_tab(bot.base, "lee", at="general", size=size, color_scheme=scheme)
    for title in ("Running", "Approvals", "History", "Policy", "Sandboxes"):
        shown = await panel(tab, title)
        await expect(shown).not_to_contain_text("Reading …")
        assert await findings(tab, axe) == [], title
        wide = "element => element.scrollWidth > element.clientWidth"
        assert not await shown.evaluate(wide), title
        assert not await tab.page.evaluate("document.documentElement.scrollWidth > innerWidth"), title


async def test_on_a_phone_the_drawer_makes_way_for_what_was_chosen(bot: BotProcess, open_tab: Open) -> None:
    ana = bot.person("ana")
    await ana.answer("data", await ana.run("data", "print('x')"), "waiting")
    tab = await open_tab(bot.base, "lee", at="general", size=PHONE)
    shown = await panel(tab, "Approvals")
    await shown.get_by_role("button", name="#data").click()
    await expect(tab.page.get_by_role("heading", name="# data")).to_be_visible()
    await expect(shown).to_be_hidden()
    await expect(tab.answer).to_be_in_viewport()
