"""One tab of a browser at the chat page, used as a person does, and watched for what no person would see."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Browser, ConsoleMessage, Dialog, Locator, Page, Request, ViewportSize, expect

PHONE = ViewportSize(width=390, height=844)
WIDE = ViewportSize(width=1440, height=900)

TOUR_IS_OVER = "localStorage.setItem('fencepost.tour', JSON.stringify({isOver: true}))"
WATCH = """
window.violations = [];
document.addEventListener('securitypolicyviolation', (event) => window.violations.push(
    `${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber} ${event.sample}`));
"""


@dataclass
class Tab:
    """`troubles` is what went wrong: errors of scripts, violations of the policy, dialogs, requests to elsewhere."""

    page: Page
    base: str
    troubles: list[str] = field(default_factory=list)

    @property
    def box(self) -> Locator:
        return self.page.get_by_role("textbox", name=re.compile("^Message #"))

    @property
    def feed(self) -> Locator:
        return self.page.get_by_role("feed", name=re.compile("^Messages in #"))

    def message(self, text: str | re.Pattern[str]) -> Locator:
        """The last message in view that holds this text."""
        return self.feed.get_by_role("article").filter(has_text=text).last

    @property
    def answer(self) -> Locator:
        """The bot's last message."""
        return self.feed.locator(".row:has(.card)").last

    @property
    def toasts(self) -> Locator:
        return self.page.locator(".toast")

    async def go(self, place: str) -> None:
        """To `channel` or `channel/message`, by the address."""
        await self.page.evaluate("place => { location.hash = `#/${place}` }", place)
        channel = place.partition("/")[0]
        await expect(self.page.get_by_role("heading", name=f"# {channel}")).to_be_visible()

    async def say(self, text: str) -> None:
        await self.box.fill(text)
        await self.box.press("Control+Enter")
        await expect(self.box).to_have_value("")

    async def run(self, code: str, info: str = "python") -> None:
        await self.say(f"```{info}\n{code}\n```")

    async def press(self, label: str, within: Locator | None = None) -> None:
        await (within or self.answer).get_by_role("button", name=label, exact=True).click()

    async def act_as(self, user: str) -> None:
        await self.page.get_by_label("In this tab you act as").select_option(user)
        await expect(self.page.get_by_label("In this tab you act as")).to_have_value(user)
        await self.ready()

    async def ready(self) -> None:
        await expect(self.page.locator(".connection")).to_have_text("Connected")

    async def shown(self) -> list[str]:
        """The ids of all messages in the tree, in their order."""
        ids: list[str] = await self.page.evaluate(
            "[...document.querySelectorAll('main .row')].map(row => row.dataset.id)"
        )
        return ids

    async def check(self) -> None:
        violations: list[str] = await self.page.evaluate("window.violations")
        assert violations == []
        assert self.troubles == []


@asynccontextmanager
async def opened(
    browser: Browser,
    base: str,
    user: str | None,
    *,
    at: str = "",
    tour: bool = False,
    size: ViewportSize = WIDE,
    hears_nothing: bool = False,
    has_clock: bool = False,
    **more: Any,
) -> AsyncIterator[Tab]:
    """`hears_nothing`: the live connection never opens, so that the tab keeps showing what there was at its start.
    `has_clock`: its time can be wound on.
    """
    is_phone = size == PHONE
    context = await browser.new_context(viewport=size, has_touch=is_phone, is_mobile=is_phone, **more)
    context.set_default_timeout(15_000)
    page = await context.new_page()
    tab = Tab(page, base)
    _watch(tab)
    await page.add_init_script(WATCH)
    if not tour:
        await page.add_init_script(TOUR_IS_OVER)
    if user is not None:
        await page.add_init_script(
            f"sessionStorage.getItem('fencepost.user') ?? sessionStorage.setItem('fencepost.user', {json.dumps(user)})"
        )
    if has_clock:
        await page.clock.install()
    if hears_nothing:
        await page.route("**/api/events*", lambda _route: None)
    await page.goto(f"{base}/#/{at}")
    if user is not None and not hears_nothing:
        await tab.ready()
    yield tab
    await tab.check()
    await context.close()


def _watch(tab: Tab) -> None:
    host = urlsplit(tab.base).netloc

    def console(message: ConsoleMessage) -> None:
        is_answer = message.text.startswith("Failed to load resource")  # a no of the API is one to Chromium
        if message.type in {"error", "warning"} and not is_answer:
            tab.troubles.append(f"{message.type}: {message.text}")

    def request(request: Request) -> None:
        url = urlsplit(request.url)
        if url.scheme not in {"data", "blob"} and url.netloc != host:
            tab.troubles.append(f"request to {request.url}")

    async def dialog(dialog: Dialog) -> None:
        tab.troubles.append(f"dialog: {dialog.message}")
        await dialog.dismiss()

    tab.page.on("console", console)
    tab.page.on("pageerror", lambda error: tab.troubles.append(f"error: {error}"))
    tab.page.on("request", request)
    tab.page.on("dialog", dialog)
