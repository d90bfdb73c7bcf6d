"""Ten thousand messages and a fast stream: what is not in view is not in the tree, and no update is lost."""

import time
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.conftest import Open
from tests.browser.crowd import A_SECOND, LINES, output, post_many, stream
from tests.browser.tab import Tab
from tests.integration.webrig import GENERAL, site

pytestmark = pytest.mark.browser

MESSAGES = 10_000
MOST_ROWS = 60
STREAM_S = 10.0

WITHOUT_GAPS = """(() => {
    const boxes = [...document.querySelectorAll('main .row')].map(row => row.getBoundingClientRect());
    return boxes.slice(1).every((box, at) => Math.abs(box.top - boxes[at].bottom) < 1);
})()"""
FRAMES = "new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))"


async def rows(tab: Tab) -> int:
    count: int = await tab.page.evaluate("document.querySelectorAll('main .row').length")
    return count


async def test_of_ten_thousand_messages_only_those_in_view_are_in_the_tree(tmp_path: Path, open_tab: Open) -> None:
    async with site(tmp_path) as web:
        ids = await post_many(web, MESSAGES)
        began = time.monotonic()
        tab = await open_tab(web.base, "ana")
        await expect(tab.message(f"message {MESSAGES - 1} line")).to_be_visible()
        assert time.monotonic() - began < 3
        await tab.page.keyboard.press("Control+k")
        await expect(tab.page.locator(".search [role=status]")).not_to_contain_text("loaded …", timeout=30_000)
        await tab.page.get_by_role("searchbox").fill("needle")
        await expect(tab.page.locator(".search [role=status]")).to_have_text("1 message")
        await tab.page.locator(".hit").click()
        await expect(tab.page.locator(f'[data-id="{ids[17]}"]')).to_be_in_viewport()
        await tab.page.get_by_role("button", name="Close the panel").click()
        seen: set[str] = set()
        for step in range(120):
            await tab.page.evaluate(
                "step => { const f = document.querySelector('.feed'); f.scrollTop = step * f.scrollHeight / 119 }", step
            )
            await tab.page.evaluate(FRAMES)
            assert 0 < await rows(tab) <= MOST_ROWS
            seen.update(await tab.shown())
            assert await tab.page.evaluate(WITHOUT_GAPS)
        assert len(seen) > 1000
        await tab.page.get_by_role("button", name="Newest").click() if await tab.page.get_by_role(
            "button", name="Newest"
        ).is_visible() else None
        await expect(tab.message(f"message {MESSAGES - 1} line")).to_be_in_viewport()
        positions = await tab.page.evaluate(
            "[...document.querySelectorAll('main .row')].map(row => Number(row.getAttribute('aria-posinset')))"
        )
        assert positions == list(range(positions[0], MESSAGES + 1))


async def test_a_stream_of_fifty_updates_a_second_loses_none(tmp_path: Path, open_tab: Open) -> None:
    async with site(tmp_path) as web:
        await post_many(web, 2_000)
        tab = await open_tab(web.base, "ana")
        message = await web.gateway.post(GENERAL, "stream", None, None, output(0))
        shown = tab.page.locator(f'[data-id="{message}"] .output')
        await expect(shown).to_have_text("line 0")
        await tab.page.evaluate("""() => {
            window.grown = [];
            new MutationObserver(() => window.grown.push(document.querySelectorAll('main .row').length))
                .observe(document.querySelector('.feed'), { childList: true, subtree: true, characterData: true });
        }""")
        updates = int(STREAM_S * A_SECOND)
        await stream(web, message, updates)
        await expect(shown).to_contain_text(f"line {updates}")
        assert await shown.inner_text() == "\n".join(f"line {n}" for n in range(updates - LINES + 1, updates + 1))
        counts = await tab.page.evaluate("window.grown")
        assert len(counts) > updates / 4, "it was seen growing"
        assert max(counts) <= MOST_ROWS
        assert (
            await tab.page.evaluate(
                "(f => f.scrollHeight - f.scrollTop - f.clientHeight)(document.querySelector('.feed'))"
            )
            < 2
        )


async def test_a_tab_that_nobody_looks_at_lets_its_connection_go(tmp_path: Path, open_tab: Open) -> None:
    async with site(tmp_path) as web:
        tab = await open_tab(web.base, "ana", has_clock=True)
        look = """isHidden => {
            Object.defineProperty(document, 'hidden', { get: () => isHidden, configurable: true });
            document.dispatchEvent(new Event('visibilitychange'));
        }"""
        await tab.page.evaluate(look, True)
        await web.gateway.post(GENERAL, "one", None, None, output(1))
        await expect(tab.page).to_have_title("(1) #general · Fencepost")
        await tab.page.clock.run_for(121_000)
        await expect(tab.page.locator(".connection")).to_contain_text("No connection")
        await web.gateway.post(GENERAL, "two", None, None, output(2))
        for _ in range(3):
            await tab.page.clock.run_for(20_500)
        await expect(tab.page).to_have_title("(2) #general · Fencepost")
        await tab.page.evaluate(look, False)
        await tab.page.clock.resume()
        await expect(tab.page.locator(".connection")).to_have_text("Connected")
        await web.gateway.post(GENERAL, "three", None, None, output(3))
        await expect(tab.feed.get_by_role("article")).to_have_count(3)
