"""A Chromium with an empty profile for each test; what goes wrong in a page that nobody looks at fails the test."""

import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NoReturn

import pytest
from playwright.async_api import Browser, async_playwright, expect

from tests.acceptance.conftest import bot, tidy
from tests.browser.tab import Tab, opened

__all__ = ["bot", "tidy"]

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"

expect.set_options(timeout=10_000)

Open = Callable[..., Awaitable[Tab]]


@pytest.fixture(scope="session")
def chromium_path() -> str:
    names = (os.environ.get("FENCEPOST_BROWSER", "chromium"), "chromium-browser", "google-chrome")
    found = next((path for path in map(shutil.which, names) if path), None)
    if found is None:
        absent("no Chromium is installed: run scripts/browser")
    return found


@pytest.fixture
async def chromium(chromium_path: str) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium_path, args=FLAGS)
        yield browser
        await browser.close()


@pytest.fixture
async def open_tab(chromium: Browser) -> AsyncIterator[Open]:
    """`open_tab(base, user, …)`: a browser of its own at the page, as that user of the demo. Ends with its checks."""
    async with AsyncExitStack() as tabs:

        async def open_one(base: str, user: str | None = None, **more: Any) -> Tab:
            return await tabs.enter_async_context(opened(chromium, base, user, **more))

        yield open_one


@pytest.fixture(scope="session")
def axe() -> str:
    if not AXE.exists():
        absent("the accessibility checker is not installed: run scripts/node-packages")
    return AXE.read_text()


def absent(why: str) -> NoReturn:
    if os.environ.get("FENCEPOST_TEST_BROWSER") == "required":
        pytest.fail(why, pytrace=False)
    pytest.skip(why)
