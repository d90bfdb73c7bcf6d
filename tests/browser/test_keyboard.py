"""Everything without a mouse."""

import re

import pytest
from playwright.async_api import FilePayload, expect

from tests.acceptance.process import BotProcess
from tests.browser.conftest import Open

pytestmark = [pytest.mark.docker, pytest.mark.browser]


async def test_from_the_first_word_to_the_approval_by_keys_alone(bot: BotProcess, open_tab: Open) -> None:
    tab = await open_tab(bot.base, "ana")
    keys = tab.page.keyboard
    await expect(tab.box).to_be_focused()
    await keys.type("```py")
    await expect(tab.page.get_by_role("option", name=re.compile("^python"))).to_have_attribute("aria-selected", "true")
    await keys.press("Enter")
    await keys.type("for n in range(2):\nprint('key', n)")
    await expect(tab.box).to_have_value("```python\nfor n in range(2):\n    print('key', n)\n```")
    await keys.press("Control+Enter")
    await expect(tab.answer.locator(".output")).to_have_text("key 0\nkey 1")

    await keys.press("Escape")
    await expect(tab.feed.get_by_role("article").last).to_be_focused()
    await keys.press("k")
    await expect(tab.feed.get_by_role("article").first).to_be_focused()
    await keys.press("e")
    await expect(tab.box).to_be_focused()
    await expect(tab.box).to_have_value(re.compile("print"))
    await keys.press("Escape")
    await expect(tab.box).to_have_value("")

    await keys.press("Alt+ArrowDown")
    await expect(tab.page.get_by_role("heading", name="# data")).to_be_visible()
    await keys.type("```python\nprint('asked')")
    await keys.press("Control+Enter")
    await expect(tab.answer).to_contain_text("wants to run")
    await tab.page.get_by_label("In this tab you act as").focus()
    await keys.type("lee")
    await expect(tab.page.get_by_label("In this tab you act as")).to_have_value("lee")
    await tab.ready()
    await expect(tab.page.get_by_role("heading", name="# data")).to_be_visible()
    await tab.box.focus()
    await keys.press("Escape")
    await expect(tab.feed.get_by_role("article").last).to_be_focused()
    while not await tab.answer.get_by_role("button", name="Approve", exact=True).evaluate(
        "b => b === document.activeElement"
    ):
        await keys.press("Tab")
    await keys.press("Enter")
    await expect(tab.answer.locator(".output")).to_have_text("asked")
    assert await tab.page.evaluate("document.activeElement.closest('.row') !== null")


async def test_enter_tab_and_escape_where_one_writes(bot: BotProcess, open_tab: Open) -> None:
    tab = await open_tab(bot.base, "ana")
    keys = tab.page.keyboard
    await keys.type("one")
    await keys.press("Shift+Enter")
    await keys.type("two")
    await expect(tab.box).to_have_value("one\ntwo")
    await keys.press("Enter")
    await expect(tab.message("one")).to_be_visible()
    await keys.type("~~~sh\nif true; then")
    await keys.press("Enter")
    await keys.press("Tab")
    await keys.type("echo yes")
    await keys.press("Enter")
    await keys.press("Shift+Tab")
    await keys.type("fi")
    await keys.press("Enter")
    await keys.type("~~~")
    await expect(tab.box).to_have_value("~~~sh\nif true; then\n    echo yes\nfi\n~~~")
    await keys.press("Enter")
    await expect(tab.answer.locator(".output")).to_have_text("yes")
    assert await tab.page.evaluate("document.activeElement.tagName") == "TEXTAREA"
    await keys.press("Tab")
    assert await tab.page.evaluate("document.activeElement.tagName") != "TEXTAREA", "no trap for the focus"


async def test_commands_are_completed_and_answered_to_oneself_alone(bot: BotProcess, open_tab: Open) -> None:
    ana, bo = await open_tab(bot.base, "ana"), await open_tab(bot.base, "bo")
    keys = ana.page.keyboard
    await keys.type("/f")
    await keys.press("Tab")
    await expect(ana.page.get_by_role("listbox").get_by_role("option")).to_have_count(10)
    await keys.type("st")
    await expect(ana.page.get_by_role("listbox").get_by_role("option").locator(".word")).to_have_text(
        ["status", "stop"]
    )
    await keys.press("Enter")
    await expect(ana.box).to_have_value("/fencepost status")
    await keys.press("Enter")
    await expect(ana.answer).to_contain_text("0 running")
    await expect(ana.answer).to_contain_text("only you see this")
    await bo.say("hello")
    await expect(bo.feed.get_by_role("article")).to_have_count(1)


async def test_files_are_picked_pasted_and_dropped(bot: BotProcess, open_tab: Open) -> None:
    tab = await open_tab(bot.base, "ana")
    async with tab.page.expect_file_chooser() as choosing:
        await tab.page.get_by_role("button", name="Attach files").click()
    chooser = await choosing.value
    await chooser.set_files([FilePayload(name="picked.txt", mimeType="text/plain", buffer=b"picked")])
    give = """([kind, name]) => {
        const data = new DataTransfer();
        data.items.add(new File([name], name, { type: 'text/plain' }));
        const event = kind === 'paste'
            ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
            : new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true });
        (kind === 'paste' ? document.querySelector('textarea') : document.body).dispatchEvent(event);
    }"""
    await tab.page.evaluate(give, ["paste", "pasted.txt"])
    await tab.page.evaluate(give, ["dragover", "x"])
    await expect(tab.page.get_by_text("Drop files to attach them")).to_be_visible()
    await tab.page.evaluate(give, ["drop", "dropped.txt"])
    await tab.page.evaluate(give, ["drop", "unwanted.txt"])
    await tab.page.get_by_role("button", name="Remove unwanted.txt").click()
    await tab.run("import os\nprint(sorted(os.listdir()))\nprint(open('picked.txt').read())")
    await expect(tab.answer.locator(".output")).to_contain_text("'dropped.txt'")
    await expect(tab.answer.locator(".output")).to_contain_text("'pasted.txt', 'picked.txt'")
    await expect(tab.answer.locator(".output")).not_to_contain_text("unwanted")
    await expect(tab.feed.get_by_role("article").first.get_by_role("link")).to_have_count(3)
    await expect(tab.page.locator(".chip")).to_have_count(0)
