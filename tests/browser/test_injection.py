"""What people, programs and names of files and users are made of is text: it runs nothing, loads nothing, stays put."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect

from adapters.web.people import User
from bot.core.views.view import Button, CodeText, Headline, Note, OutputText, View
from tests.browser.conftest import Open
from tests.browser.tab import PHONE, Tab
from tests.integration.webrig import GENERAL, Site, site

pytestmark = pytest.mark.browser

MARK = "window.hit = 1"

CORPUS = (
    f"<script>{MARK}</script>",
    f"<img src=x onerror='{MARK}'>",
    f"<svg onload='{MARK}'><animate onbegin='{MARK}' attributeName=x dur=1s></svg>",
    f'"><iframe srcdoc="<script>parent.{MARK}</script>"></iframe>',
    "<style>*{background:url(http://evil.example/x)}</style><div style='position:fixed;inset:0'>over all</div>",
    f"<a href='javascript:{MARK}'>click</a> javascript:{MARK} [click](javascript:{MARK})",
    "<link rel=stylesheet href=//evil.example/x.css><base href=//evil.example/>",
    "<meta http-equiv=refresh content=0;url=//evil.example>",
    f"</pre></code></div><form action=//evil.example><button>Approve</button></form><script>{MARK}</script>",
    f"</title></textarea></noscript><img src=1 onerror={MARK}>",
    f"{{{{constructor.constructor('{MARK}')()}}}} ${{{MARK}}} <%= 1 %>",
    "\u202egpj.exe\u202c \u2066isolated\u2069 \u200bzero\u200b \ufeffmark \u00ad",
    "`<b>` ```<b>``` ~~~<i>~~~ **bold** _it_ # head > quote | a | b |",
    "&lt;script&gt; &#x3c;script&#x3e; &nbsp;",
    "x" * 20_000,
    "W" * 200 + " " * 3_000 + "hidden at the far right",
    "Z" + "\u0335\u0322\u0347\u0359\u034d\u0317\u0321\u0321\u0336" * 80 + "algo",
    "\x1b[2J\x1b]8;;http://evil.example\x07link\x1b]8;;\x07 \x00 \x08\x08",
    "http://evil.example/?leak=1 //evil.example data:text/html,<script>1</script>",
    "__proto__ constructor toString hasOwnProperty",
    "line\u2028separator\u2029paragraph\rreturn\r\nboth",
)

NAMES = (
    "<img src=x onerror=alert(1)>.png",
    "photo\u202egnp.exe",
    "a" * 190 + ".csv",
    "'\"><svg onload=alert(1)>.svg",
    "..%2f..%2fetc%2fpasswd",
    "javascript:alert(1)",
)

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="window.hit=1"><script>window.hit=1</script></svg>'
HTML = b"<!doctype html><script>window.hit = 1; parent.hit = 1</script>"


def view(hostile: str) -> View:
    return View(
        (
            Headline("✅", hostile),
            Note(hostile),
            CodeText(hostile[:30], hostile),
            CodeText("Python", f"'''{hostile}\n# {hostile}"),
            CodeText("Bash", f'"{hostile}\n${{{hostile}'),
            OutputText(hostile),
        ),
        status=hostile[:20],
        buttons=(Button("run_again", hostile[:60], "v1:r1:run_again:0123abcd", "default"),),
    )


async def fill(web: Site) -> None:
    ana = web.user("ana")
    for number, hostile in enumerate(CORPUS):
        text = hostile.replace("\x00", "")
        asked = await ana.say(f"{text}\n```python {text[:40]}\n{text}\n```\nafter {text[:300]}")
        await web.gateway.post(GENERAL, f"key{number}", asked, None, view(hostile))
    for number, name in enumerate(NAMES):
        for body, media_type in ((SVG, "image/svg+xml"), (HTML, "text/html"), (SVG, "image/png")):
            ref = await web.blobs.put(body, name, media_type)
            await web.gateway.post(
                GENERAL, f"file{number}{media_type}", None, None, View((Note("file"),), files=(ref,))
            )


async def walk(tab: Tab) -> None:
    """From the end to the beginning, so that each message has been drawn once."""
    await expect(tab.feed.get_by_role("article").last).to_be_visible()
    for _ in range(400):
        await _looks_well(tab)
        top = await tab.page.evaluate(
            "(f => { f.scrollTop -= f.clientHeight * 0.9; return f.scrollTop })(document.querySelector('.feed'))"
        )
        await tab.page.evaluate("new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
        if top <= 0 and await tab.page.locator('main .row[aria-posinset="1"]').count():
            break
    else:
        raise AssertionError("never at the beginning")
    await _looks_well(tab)


OUTSIDE = """() => {
    const troubles = [];
    if (window.hit) troubles.push('something ran');
    if (document.documentElement.scrollWidth > innerWidth) troubles.push('the page became wider');
    const allowed = new Set(%s);
    for (const element of document.querySelectorAll('body *')) {
        if (!allowed.has(element.localName)) troubles.push(`a ${element.localName}`);
        for (const { name, value } of element.attributes) {
            const leads = ['href', 'src', 'action', 'formaction'].includes(name);
            const isOurs = /^(#|\\/|blob:|http:\\/\\/127)/.test(value);
            if (name.startsWith('on') || (leads && !isOurs)) troubles.push(`${name}=${value}`);
        }
    }
    for (const row of document.querySelectorAll('main .row')) {
        const box = row.getBoundingClientRect();
        const feed = row.closest('.feed').getBoundingClientRect();
        if (box.left < feed.left - 1 || box.right > feed.right + 1) troubles.push('a row beyond the feed');
        for (const inner of row.querySelectorAll('.code, .output, .prose, .note, .headline, button, bdi')) {
            const { left, right, width } = inner.getBoundingClientRect();
            const isOut = width && (left < box.left - 1 || right > box.right + 1);
            if (isOut) troubles.push(`${inner.outerHTML.slice(0, 200)} beyond its row`);
        }
        if (getComputedStyle(row).contain !== 'layout paint') troubles.push('a row that can be painted over');
    }
    return [...new Set(troubles)];
}"""
ALLOWED = (
    "a article aside bdi button code dd div dl dt figcaption figure footer form h1 h2 h3 header img input kbd label li "
    "main mark menu nav noscript ol option p path pre script section select span svg textarea time ul"
)


async def _looks_well(tab: Tab) -> None:
    assert await tab.page.evaluate(OUTSIDE % json.dumps(ALLOWED.split())) == []


@pytest.mark.parametrize("more", [{}, {"size": PHONE, "color_scheme": "dark"}], ids=["wide", "phone"])
async def test_nothing_runs_and_nothing_leaves_its_box(tmp_path: Path, open_tab: Open, more: dict[str, Any]) -> None:
    hostile = {f"u{n}": User(f"u{n}", text[:120], ("member",)) for n, text in enumerate(CORPUS) if text.isprintable()}
    people = {"ana": User("ana", "<img src=x onerror=window.hit=1>\u202eana", ("member",)), **hostile}
    async with site(tmp_path) as web:
        web.gateway._people._read = lambda: people
        await fill(web)
        tab = await open_tab(web.base, "ana", **more)
        await walk(tab)
        await tab.page.keyboard.press("Control+k")
        await tab.page.get_by_role("searchbox").fill("<script>")
        await expect(tab.page.locator(".hit").first).to_be_visible()
        await _looks_well(tab)


async def test_what_turns_text_around_or_hides_is_shown(tmp_path: Path, open_tab: Open) -> None:
    async with site(tmp_path) as web:
        await web.user("ana").say("```python\nis_admin = 'user\u202e \u2066# check\u2069 \u2066'\u200b\n```")
        ref = await web.blobs.put(b"MZ", "photo\u202egnp.exe", "application/octet-stream")
        await web.gateway.post(GENERAL, "k", None, None, View((OutputText("a\u202eb ❤️ \x1b[2J"),), files=(ref,)))
        tab = await open_tab(web.base, "ana")
        code = tab.feed.locator(".code .line")
        await expect(code).to_have_text("is_admin = 'userU+202E U+2066# checkU+2069 U+2066'U+200B")
        await expect(tab.feed.locator(".output")).to_have_text("aU+202Eb ❤️ U+001B[2J")
        await expect(tab.feed.locator(".file bdi")).to_have_text("photoU+202Egnp.exe")


async def test_a_picture_that_is_none_and_a_page_that_is_a_file(tmp_path: Path, open_tab: Open) -> None:
    async with site(tmp_path) as web:
        picture = await web.blobs.put(SVG, "a.png", "image/png")
        page = await web.blobs.put(HTML, "a.html", "text/html")
        await web.gateway.post(GENERAL, "k", None, None, View((Note("x"),), files=(picture, page)))
        tab = await open_tab(web.base, "ana", accept_downloads=True)
        await expect(tab.feed.get_by_text("This picture cannot be drawn.")).to_be_visible()
        link = tab.feed.get_by_role("link", name="a.html")
        async with tab.page.expect_download():
            await link.click()
        assert await tab.page.evaluate("window.hit") is None
