"""A sentence beside the answers."""

from bot.core.state import Notice
from bot.core.views.view import Note, View


def notice_view(notice: Notice) -> View:
    return View((Note(notice.text),), mention=notice.mention)
