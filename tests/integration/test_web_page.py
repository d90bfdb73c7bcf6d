"""The page's files: what a browser is given, how long it may keep it, and what it may do with it."""

import re
from pathlib import Path

from adapters.web.static import FOLDER, TYPES, Static
from tests.integration.webrig import site

MOST_BYTES = 200_000


async def test_the_page_names_only_files_that_are_served(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        page = await web.anybody.get("/")
        assert page.status == 200
        assert page.headers["Content-Type"] == "text/html; charset=utf-8"
        assert b'content="demo"' in page.body
        named = set(re.findall(r'"(/page/[^"]+)"', page.body.decode()))
        assert len(named) > 10
        for path in named:
            asset = await web.anybody.get(path)
            assert asset.status == 200, path
            assert asset.headers["Content-Type"] == TYPES[Path(path).suffix]
            assert asset.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        modules = {path for path in named if path.endswith(".js")}
        assert len(modules) == len(list(FOLDER.rglob("*.js"))), "all modules are fetched at once"


async def test_the_page_may_neither_run_nor_load_anything_else(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        page = await web.anybody.get("/")
        policy = dict(part.strip().split(" ", 1) for part in page.headers["Content-Security-Policy"].split(";"))
        assert policy == {
            "default-src": "'none'",
            "script-src": "'self'",
            "style-src": "'self'",
            "img-src": "'self' blob:",
            "connect-src": "'self'",
            "form-action": "'self'",
            "base-uri": "'none'",
            "frame-ancestors": "'none'",
        }
        text = page.body.decode()
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|https?://", text)


async def test_what_the_browser_has_is_not_sent_again(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        page = await web.anybody.get("/")
        tag = page.headers["ETag"]
        again = await web.anybody.get("/", headers={"If-None-Match": f'"other", W/{tag}'})
        assert (again.status, again.body) == (304, b"")
        assert page.headers["Cache-Control"] == "no-cache"
        assert (await web.anybody.get("/", headers={"If-None-Match": '"other"'})).status == 200


async def test_it_is_sent_packed_to_whoever_can_unpack_it(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        packed = await web.anybody.get("/", headers={"Accept-Encoding": "gzip"})
        plain = await web.anybody.get("/", headers={"Accept-Encoding": "identity"})
        assert packed.headers["Content-Encoding"] == "gzip"
        assert "Content-Encoding" not in plain.headers
        assert packed.body == plain.body
        assert int(packed.headers["Content-Length"]) < int(plain.headers["Content-Length"])


async def test_another_version_and_another_path_are_not_there(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        version = Static.read(demo=True).version
        assert (await web.anybody.get(f"/page/{version}/js/main.js")).status == 200
        for path in (
            "/page/0000000000000000/js/main.js",
            f"/page/{version}/index.html",
            f"/page/{version}/../page.py",
            f"/page/{version}/%2e%2e/page.py",
            f"/page/{version}/js/",
        ):
            assert (await web.anybody.get(path)).status == 404, path


def test_any_change_is_another_version() -> None:
    files = {"index.html": b"<html>", "js/a.js": b"1", "js/b.js": b"2"}
    versions = {
        Static(files, demo=True).version,
        Static(files | {"js/a.js": b"2"}, demo=True).version,
        Static({"index.html": b"<html>", "js/a.js": b"12", "js/b.js": b""}, demo=True).version,
    }
    assert len(versions) == 3


async def test_the_page_arrives_usable_in_under_200_kb(tmp_path: Path) -> None:
    """Without what only operators look at, even unpacked; with it as it is sent."""
    sizes = {path: path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()}
    assert sum(size for path, size in sizes.items() if "panels" not in str(path.relative_to(FOLDER))) < MOST_BYTES
    async with site(tmp_path) as web:
        page = await web.anybody.get("/", headers={"Accept-Encoding": "gzip"})
        named = set(re.findall(r'"(/page/[^"]+)"', page.body.decode()))
        sent = [await web.anybody.get(path, headers={"Accept-Encoding": "gzip"}) for path in named]
        assert sum(int(one.headers["Content-Length"]) for one in (page, *sent)) < MOST_BYTES / 2
