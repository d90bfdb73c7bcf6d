"""Files of messages and hand-outs, for whoever may see those; never as something a browser would run."""

from http import HTTPStatus
from urllib.parse import quote

from aiohttp import web

from adapters.web.answers import Refused
from adapters.web.chat import Chat
from adapters.web.guard import IDENTITY
from adapters.web.handouts import PREFIX, Handouts
from adapters.web.people import User
from adapters.web.reading import clean_media_type
from bot.core.reports import FileRef
from bot.ports import Blobs

SHOWN = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""What a browser may draw in place; all else is saved."""

NO_FILE = "There is no such file."


class FileRoutes:
    def __init__(self, chat: Chat, handouts: Handouts, blobs: Blobs) -> None:
        self._chat = chat
        self._handouts = handouts
        self._blobs = blobs

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/api/files/{holder}/{sha256}/{name}", self.file)]

    async def file(self, request: web.Request) -> web.Response:
        """The holder, not the hash, gives the right to read: the same content elsewhere opens nothing."""
        info = request.match_info
        held = await self._held(request[IDENTITY].user, info["holder"])
        file = next((file for file in held if (file.sha256, file.name) == (info["sha256"], info["name"])), None)
        if file is None:
            raise Refused(HTTPStatus.NOT_FOUND, NO_FILE)
        try:
            data = await self._blobs.get(file.sha256)
        except KeyError:
            raise Refused(HTTPStatus.GONE, "That file is no longer kept.") from None
        media_type = clean_media_type(file.media_type)
        place = "inline" if media_type in SHOWN else "attachment"
        return web.Response(
            body=data,
            headers={
                "Content-Type": media_type,
                "Content-Disposition": f"{place}; filename*=UTF-8''{quote(file.name, safe='')}",
                "Content-Security-Policy": "sandbox; default-src 'none'",
                "Cache-Control": "private, max-age=3600, immutable",
            },
        )

    async def _held(self, user: User, holder: str) -> tuple[FileRef, ...]:
        if not holder.startswith(PREFIX):
            return (await self._chat.find(user, holder)).body.files
        handout = await self._handouts.get(holder)
        if handout is None or handout.person != user.id or not user.may_see(handout.channel):
            raise Refused(HTTPStatus.NOT_FOUND, NO_FILE)
        return (handout.file,)
