"""/healthz, /readyz and /metrics: served on the web port in every mode, with or without the chat."""

from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus

from aiohttp import web
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from adapters.web.answers import answer

Ready = Callable[[], Awaitable[Sequence[str]]]
"""What is wrong, a sentence each; nothing: ready."""


class HealthRoutes:
    def __init__(self, registry: CollectorRegistry, ready: Ready) -> None:
        self._registry = registry
        self._ready = ready

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/healthz", self.alive),
            web.get("/readyz", self.ready),
            web.get("/metrics", self.metrics),
        ]

    async def alive(self, _request: web.Request) -> web.Response:
        return answer({"ok": True})

    async def ready(self, _request: web.Request) -> web.Response:
        problems = list(await self._ready())
        status = HTTPStatus.SERVICE_UNAVAILABLE if problems else HTTPStatus.OK
        return answer({"ok": not problems, "problems": problems}, status)

    async def metrics(self, _request: web.Request) -> web.Response:
        return web.Response(body=generate_latest(self._registry), headers={"Content-Type": CONTENT_TYPE_LATEST})


async def always_ready() -> Sequence[str]:
    return ()
