"""`python -m bench.page`: what the chat page costs a browser with 10 000 messages, idle and under a fast stream.

Needs Chromium (`scripts/browser`), no Docker. Figures are Chromium's own (Performance.getMetrics).
"""

import argparse
import asyncio
import shutil
import tempfile
import time
from pathlib import Path

from playwright.async_api import CDPSession, async_playwright

from tests.browser.conftest import FLAGS
from tests.browser.crowd import A_SECOND, output, post_many, stream
from tests.browser.tab import Tab, opened
from tests.integration.webrig import GENERAL, site

FIRST_VIEW = """performance.getEntriesByType('paint').find(one => one.name === 'first-contentful-paint').startTime"""


async def metrics(session: CDPSession) -> dict[str, float]:
    found = await session.send("Performance.getMetrics")
    return {one["name"]: one["value"] for one in found["metrics"]}


async def used_mb(session: CDPSession) -> float:
    await session.send("HeapProfiler.collectGarbage")
    return (await metrics(session))["JSHeapUsedSize"] / 1e6


async def scroll(tab: Tab, steps: int) -> list[float]:
    """From the end to the beginning in that many jumps; the milliseconds from each jump to its second frame."""
    took: list[float] = await tab.page.evaluate(
        """async steps => {
            const feed = document.querySelector('.feed'), took = [];
            for (let step = steps; step >= 0; step -= 1) {
                const began = performance.now();
                feed.scrollTop = step * feed.scrollHeight / steps;
                await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
                took.push(performance.now() - began);
            }
            return took.sort((one, other) => one - other);
        }""",
        steps,
    )
    return took


def say(what: str, figure: str) -> None:
    print(f"{what:<58} {figure:>14}", flush=True)


async def run(messages: int, seconds: float, folder: Path) -> None:
    chromium = next(path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path)
    async with site(folder) as web, async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        await post_many(web, messages)
        began = time.monotonic()
        async with opened(browser, web.base, "ana") as tab:
            await tab.page.locator("main .row").last.wait_for()
            say("page asked for → newest messages shown", f"{(time.monotonic() - began) * 1000:.0f} ms")
            say("first paint of content", f"{await tab.page.evaluate(FIRST_VIEW):.0f} ms")
            session = await tab.page.context.new_cdp_session(tab.page)
            await session.send("Performance.enable")
            say("heap at the newest messages", f"{await used_mb(session):.1f} MB")

            began = time.monotonic()
            await tab.page.keyboard.press("Control+k")
            await tab.page.wait_for_function(
                "!document.querySelector('.search [role=status]').textContent.includes('…')"
            )
            await tab.page.get_by_role("searchbox").fill("needle")
            await tab.page.locator(".hit").wait_for()
            say(f"all {messages} messages loaded and searched", f"{time.monotonic() - began:.1f} s")
            await tab.page.get_by_role("button", name="Close the panel").click()
            say("heap with all of them", f"{await used_mb(session):.1f} MB")
            took = await scroll(tab, 200)
            say("jump to anywhere, until drawn: median", f"{took[len(took) // 2]:.0f} ms")
            say("  worst of 200", f"{took[-1]:.0f} ms")
            rows = await tab.page.evaluate("document.querySelectorAll('main .row').length")
            elements = await tab.page.evaluate("document.getElementsByTagName('*').length")
            say("rows in the tree, elements of the page", f"{rows}, {elements}")

            message = await web.gateway.post(GENERAL, "stream", None, None, output(0))
            await tab.page.get_by_role("button", name="Newest").click()
            before, heap = await metrics(session), await used_mb(session)
            await stream(web, message, int(seconds * A_SECOND))
            last = int(seconds * A_SECOND)
            await tab.page.get_by_text(f"line {last}", exact=False).last.wait_for()
            after = await metrics(session)
            spent = {name: 100 * (after[name] - before[name]) / seconds for name in after}
            say(f"stream of {seconds:g} s, {A_SECOND} updates a second: scripting", f"{spent['ScriptDuration']:.1f} %")
            say("  layout", f"{spent['LayoutDuration']:.1f} %")
            say("  all tasks of the page's thread", f"{spent['TaskDuration']:.1f} %")
            say("  heap grown", f"{await used_mb(session) - heap:+.1f} MB")
            await tab.check()
        await browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.page", description=__doc__)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(args.messages, args.seconds, Path(folder)))


if __name__ == "__main__":
    main()
