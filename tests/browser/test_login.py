"""Outside of the demo: a login, its cookie and the token that writes carry."""

from pathlib import Path

import pytest
from playwright.async_api import expect

from adapters.web.passwords import hash_password
from adapters.web.people import People, User
from tests.browser.conftest import Open
from tests.integration.webrig import site

pytestmark = pytest.mark.browser


async def test_log_in_write_and_log_out(tmp_path: Path, open_tab: Open) -> None:
    users = {
        "ana": User("ana", "Ana", ("member",), frozenset({"general"}), password=hash_password("right")),
        "kim": User("kim", "Kim", ("lead",), password=hash_password("right")),
    }
    async with site(tmp_path, people=People(lambda: users)) as web:
        tab = await open_tab(web.base, at="general")
        await tab.page.get_by_label("Name").fill("ana")
        await tab.page.get_by_label("Password").fill("wrong")
        await tab.page.keyboard.press("Enter")
        await expect(tab.page.get_by_role("alert").first).to_have_text("That name and password do not belong together.")
        await tab.page.get_by_label("Password").fill("right")
        await tab.page.get_by_role("button", name="Log in").click()
        await tab.ready()
        await expect(tab.page.get_by_role("navigation").get_by_role("link")).to_have_count(1)
        await expect(tab.page.get_by_label("In this tab you act as")).to_have_count(0)
        await tab.say("written by cookie and token")
        await expect(tab.message("written by cookie and token")).to_be_visible()

        await tab.page.reload()
        await tab.ready()
        await expect(tab.message("written by cookie and token")).to_be_visible()
        await tab.page.get_by_role("button", name="Log out").click()
        await expect(tab.page.get_by_role("button", name="Log in")).to_be_visible()
        await expect(tab.page.get_by_text("written by cookie and token")).to_have_count(0)


async def test_a_login_that_ends_elsewhere_leads_back_to_the_form(tmp_path: Path, open_tab: Open) -> None:
    users = {"ana": User("ana", "Ana", ("member",), password=hash_password("right"))}
    async with site(tmp_path, people=People(lambda: users), heartbeat_s=0.2) as web:
        tab = await open_tab(web.base, at="general")
        await tab.page.get_by_label("Name").fill("ana")
        await tab.page.get_by_label("Password").fill("right")
        await tab.page.get_by_role("button", name="Log in").click()
        await tab.ready()
        users["ana"] = User("ana", "Ana", ("member",), password=hash_password("another"))
        await expect(tab.page.get_by_role("button", name="Log in")).to_be_visible(timeout=10_000)
