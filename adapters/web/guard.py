"""What every request passes and every answer carries, whatever it is about."""

import ipaddress
import secrets
from http import HTTPStatus

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from adapters.web.access import CSRF_HEADER, Access, Identity
from adapters.web.answers import Refused, answer
from adapters.web.settings import WebSettings
from adapters.web.users_file import UsersFileError
from bot.ports import PlatformUnavailable, StoreUnavailable

log = structlog.get_logger()

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Cache-Control": "no-store",
}

OPEN = frozenset({"/api/login"})
"""Under /api, and yet for whoever has no identity yet."""

IDENTITY = web.RequestKey("identity", Identity)


async def add_headers(_request: web.BaseRequest, response: web.StreamResponse) -> None:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)


@web.middleware
async def in_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Every no as JSON with a sentence; what is ours to mend gets a reference that stands in the log."""
    try:
        return await handler(request)
    except Refused as refused:
        return answer(refused.body, refused.status)
    except web.HTTPException as error:
        if error.status < HTTPStatus.BAD_REQUEST:
            raise
        headers = {"Allow": error.headers["Allow"]} if "Allow" in error.headers else None
        return answer({"text": f"{error.reason}."}, HTTPStatus(error.status), headers)
    except (PlatformUnavailable, StoreUnavailable, UsersFileError) as error:
        reference = secrets.token_hex(4)
        log.warning("request not served", path=request.path, reference=reference, error=str(error))
        text = f"Fencepost cannot reach its own files right now. Try again in a moment. (Reference {reference})"
        return answer({"text": text}, HTTPStatus.SERVICE_UNAVAILABLE, {"Retry-After": "2"})
    except Exception:
        reference = secrets.token_hex(4)
        log.exception("request failed", path=request.path, reference=reference)
        text = f"Something broke in Fencepost. (Reference {reference}, for whoever reads its log)"
        return answer({"text": text}, HTTPStatus.INTERNAL_SERVER_ERROR)


def only_own_names(settings: WebSettings) -> Middleware:
    """Refuse a request for a host name that is not ours (DNS rebinding). An address cannot be rebound."""
    names = {"localhost", settings.host.lower(), *(name.lower() for name in settings.allowed_hosts)}

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        host = host_of(request.headers.get("Host", ""))
        if settings.checks_hosts and host not in names and not _is_address(host):
            raise Refused(
                HTTPStatus.MISDIRECTED_REQUEST, "This server is not known by that name (setting web.allowed_hosts)."
            )
        return await handler(request)

    return guard


def only_identified(access: Access) -> Middleware:
    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        if not request.path.startswith("/api/") or request.path in OPEN:
            return await handler(request)
        identity = await access.identify(request)
        if identity is None:
            raise Refused(HTTPStatus.UNAUTHORIZED, "Say who you are first.")
        if not access.may_write(request, identity):
            raise Refused(HTTPStatus.FORBIDDEN, f"A write by cookie needs the header {CSRF_HEADER} from /api/me.")
        request[IDENTITY] = identity
        return await handler(request)

    return guard


def host_of(header: str) -> str:
    """`example.org:80` → `example.org`, `[::1]:80` → `::1`."""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.rpartition(":")[0].lower() if ":" in header else header.lower()


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
