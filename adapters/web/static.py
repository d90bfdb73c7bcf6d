"""The files of the page: read once, served under a name that changes with any of them, so that a browser may keep them
for ever and never mixes two versions.
"""

import gzip
import hashlib
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from aiohttp import web

from adapters.web.answers import Refused

FOLDER = Path(__file__).parent / "page"
INDEX = "index.html"
PREFIX = "/page"

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

VERSION = "{{version}}"
MODE = "{{mode}}"
PRELOADS = "<!-- preloads -->"


@dataclass(frozen=True, slots=True)
class Asset:
    body: bytes
    content_type: str
    packed: bytes

    @classmethod
    def of(cls, name: str, body: bytes) -> "Asset":
        return cls(body, TYPES[Path(name).suffix], gzip.compress(body, mtime=0))


class Static:
    """`index` is the page itself; everything else it names under `/page/<version>/`."""

    def __init__(self, files: dict[str, bytes], *, demo: bool) -> None:
        self.version = _digest(files)
        self._assets = {name: Asset.of(name, body) for name, body in files.items() if name != INDEX}
        scripts = sorted(name for name in self._assets if name.endswith(".js"))
        preloads = "\n    ".join(f'<link rel="modulepreload" href="{PREFIX}/{VERSION}/{name}">' for name in scripts)
        index = files[INDEX].decode().replace(PRELOADS, preloads).replace(VERSION, self.version)
        mode = "demo" if demo else "login"
        self._index = Asset.of(INDEX, index.replace(MODE, mode).encode())
        self._index_tag = f"{self.version}-{mode}"

    @classmethod
    def read(cls, folder: Path = FOLDER, *, demo: bool) -> "Static":
        found = sorted(path for path in folder.rglob("*") if path.suffix in TYPES)
        return cls({path.relative_to(folder).as_posix(): path.read_bytes() for path in found}, demo=demo)

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/", self.index), web.get(f"{PREFIX}/{{version}}/{{name:.+}}", self.asset)]

    async def index(self, request: web.Request) -> web.Response:
        """Asked about each time, sent only if it is another than the browser has."""
        return _answer(request, self._index, self._index_tag, "no-cache")

    async def asset(self, request: web.Request) -> web.Response:
        asset = self._assets.get(request.match_info["name"])
        if asset is None or request.match_info["version"] != self.version:
            raise Refused(HTTPStatus.NOT_FOUND, "There is no such file; load the page again.")
        return _answer(request, asset, self.version, "public, max-age=31536000, immutable")


def _answer(request: web.Request, asset: Asset, tag: str, caching: str) -> web.Response:
    headers = {
        "ETag": f'"{tag}"',
        "Cache-Control": caching,
        "Content-Security-Policy": POLICY,
        "Vary": "Accept-Encoding",
    }
    if any(known.value in {tag, "*"} for known in request.if_none_match or ()):
        return web.Response(status=HTTPStatus.NOT_MODIFIED, headers=headers)
    headers["Content-Type"] = asset.content_type
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        return web.Response(body=asset.packed, headers=headers | {"Content-Encoding": "gzip"})
    return web.Response(body=asset.body, headers=headers)


def _digest(files: dict[str, bytes]) -> str:
    whole = hashlib.sha256()
    for name, body in sorted(files.items()):
        whole.update(f"{name}\0{len(body)}\0".encode() + body)
    return whole.hexdigest()[:16]
