"""For everybody: an accessibility checker over every state of the page, in light and dark, on a phone and wide."""

import pytest
from playwright.async_api import ViewportSize, expect

from tests.acceptance.process import BotProcess
from tests.browser.conftest import Open
from tests.browser.tab import PHONE, WIDE, Tab

pytestmark = [pytest.mark.docker, pytest.mark.browser]

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


async def findings(tab: Tab, axe: str) -> list[str]:
    await tab.page.evaluate(axe)
    found = await tab.page.evaluate("rules => axe.run(document, rules).then(result => result.violations)", RULES)
    return [
        f"{one['impact']} {one['id']}: {node['html'][:160]} {node['failureSummary'][:300]}"
        for one in found
        if one["impact"] in {"serious", "critical"}
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
async def test_no_state_of_the_page_has_a_serious_finding(
    bot: BotProcess, open_tab: Open, axe: str, scheme: str, size: ViewportSize
) -> None:
    ana = bot.person("ana")
    tab = await open_tab(bot.base, "ana", at="ops", tour=True, size=size, color_scheme=scheme)
    await expect(tab.page.get_by_role("heading", name="Paste a fence to run it")).to_be_visible()
    assert await findings(tab, axe) == [], "empty, with the tour"
    await tab.page.get_by_role("button", name="Skip the tour").first.click()

    failed = await ana.run("general", "import sys\n# why\nprint(1 / 0)  # 'no'")
    await ana.answer("general", failed)
    await ana.answer("general", await ana.run("general", "open('a.txt', 'w').write('1')\nprint('x' * 300)"))
    await ana.post("general", "/fencepost status")
    await ana.run("data", "print('asks')")
    await tab.go("general")
    await expect(tab.message("ZeroDivisionError")).to_be_visible()
    assert await findings(tab, axe) == [], "answers"
    await ana.run("general", "import time\nprint('on', flush=True)\ntime.sleep(8)")
    await expect(tab.answer).to_contain_text("running")
    assert await findings(tab, axe) == [], "running"

    await tab.go("data")
    await expect(tab.answer).to_contain_text("wants to run")
    await tab.press("Approve")
    await expect(tab.toasts).to_be_visible()
    assert await findings(tab, axe) == [], "card and toast"
    await tab.press("Deny…")
    await expect(tab.page.get_by_role("dialog")).to_be_visible()
    assert await findings(tab, axe) == [], "dialog"
    await tab.page.keyboard.press("Escape")
    await tab.box.fill("/fencepost ")
    await tab.box.press("End")
    await expect(tab.page.get_by_role("listbox")).to_be_visible()
    assert await findings(tab, axe) == [], "suggestions"
    await tab.box.fill("")
    await tab.page.keyboard.press("Control+k")
    await tab.page.get_by_role("searchbox").fill("asks")
    assert await findings(tab, axe) == [], "search"
    await tab.page.get_by_role("tab", name="Help").click()
    assert await findings(tab, axe) == [], "help"
    await tab.page.get_by_role("button", name="Close the panel").click()
    if size == PHONE:
        await tab.page.get_by_role("button", name="Channels", exact=True).click()
        await expect(tab.page.get_by_label("In this tab you act as")).to_be_visible()
        assert await findings(tab, axe) == [], "channels"


async def test_colours_by_choice_and_less_motion(bot: BotProcess, open_tab: Open) -> None:
    tab = await open_tab(bot.base, "ana", color_scheme="light", reduced_motion="reduce")
    paint = "getComputedStyle(document.body).backgroundColor"
    light = await tab.page.evaluate(paint)
    switch = tab.page.get_by_role("button", name="Colours")
    await switch.click()
    await switch.click()
    await expect(switch).to_have_attribute("aria-label", "Colours: dark")
    dark = await tab.page.evaluate(paint)
    assert dark != light
    await tab.page.reload()
    await tab.ready()
    assert await tab.page.evaluate(paint) == dark, "remembered"
    await tab.run("import time\ntime.sleep(2)")
    await expect(tab.answer).to_contain_text("running")
    assert await tab.page.evaluate("document.getAnimations().length") == 0
