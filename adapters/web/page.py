"""What a browser finds at `/`, and at `/help.txt` how to talk to the bot with curl."""

from aiohttp import web

from adapters.web.access import DEMO_HEADER
from adapters.web.settings import WebSettings
from adapters.web.static import Static

HELP = """\
Fencepost

Post a message with a fence in it (channels: {channels}):

  curl -s {base}/api/channels/{channel}/messages \\
    -H '{ana}' -H 'Content-Type: application/json' \\
    -d '{{"text": "```python\\nprint(6 * 7)\\n```"}}'

Read the channel; send the cursor of the answer as after= to get what has changed since:

  curl -s '{base}/api/channels/{channel}/messages?after=' -H '{ana}'

Approve what waits, as somebody else who may (the id is that of the bot's message):

  curl -s -X POST {base}/api/messages/MESSAGE_ID/buttons/approve -H '{lee}'

Follow everything as it happens:

  curl -sN {base}/api/events -H '{ana}'

{who}
"""

DEMO = "This is the demo: the header says who acts. ana and bo are members, lee and kim leads, root and rita admins."
LOGIN = "A token is made by `fencepost web adduser NAME --token`."


def page_routes(settings: WebSettings) -> list[web.RouteDef]:
    ana, lee = (
        (f"{DEMO_HEADER}: ana", f"{DEMO_HEADER}: lee")
        if settings.demo
        else ("Authorization: Bearer TOKEN", "Authorization: Bearer TOKEN_OF_A_LEAD")
    )

    async def help_text(request: web.Request) -> web.Response:
        text = HELP.format(
            base=f"http://{request.host}",
            channels=", ".join(channel.id for channel in settings.channels),
            channel=settings.channels[0].id,
            ana=ana,
            lee=lee,
            who=DEMO if settings.demo else LOGIN,
        )
        return web.Response(text=text, content_type="text/plain")

    return [web.get("/help.txt", help_text), *Static.read(demo=settings.demo).routes()]
