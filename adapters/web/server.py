"""The HTTP server: an application and a socket, both gone when the block ends."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from aiohttp import web
from aiohttp.typedefs import Middleware

from adapters.web.guard import add_headers, in_json, only_own_names
from adapters.web.reading import JSON_BYTES
from adapters.web.settings import WebSettings

GOODBYE_S = 2.0
"""How long requests that are being served may take when the server stops."""


def application(
    settings: WebSettings, routes: Iterable[web.RouteDef], middlewares: Iterable[Middleware] = ()
) -> web.Application:
    """What is common to all modes; `middlewares` come after the check of the host."""
    app = web.Application(middlewares=[in_json, only_own_names(settings), *middlewares], client_max_size=JSON_BYTES)
    app.on_response_prepare.append(add_headers)
    app.add_routes(routes)
    return app


@asynccontextmanager
async def listening(app: web.Application, host: str, port: int) -> AsyncIterator[int]:
    """Gives the port it is at. Raises OSError where the address is taken."""
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=GOODBYE_S)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()
