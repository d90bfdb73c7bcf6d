"""The web chat under clients that send much, send nonsense, or go away in the middle."""

import asyncio
import gzip
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from structlog.testing import capture_logs

from adapters.web import lanes
from bot.core.events import AnyEvent
from bot.core.replies import Reply
from tests.integration.webrig import ScriptedCore, site

JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "multipart/form-data; boundary=XX"}
PATH = "/api/channels/general/messages"
FIELD = b'--XX\r\nContent-Disposition: form-data; name="text"\r\n'


class SlowCore(ScriptedCore):
    async def dispatch(self, event: AnyEvent) -> tuple[Reply, ...]:
        await asyncio.sleep(0.005)
        return await super().dispatch(event)


async def test_whoever_sends_more_than_the_core_takes_is_slowed_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lanes, "MOST_WAITING", 3)
    async with site(tmp_path, SlowCore()) as web:
        ana = web.user("ana")

        async def send() -> set[int]:
            return {(await ana.post(PATH, {"text": "x"})).status for _ in range(10)}

        assert await asyncio.gather(*(send() for _ in range(8))) == [{201}] * 8
        assert len(await web.core.has(80)) == 80


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({**JSON, "Content-Encoding": "gzip"}, b"no gzip"),
        ({**JSON, "Content-Encoding": "deflate"}, b"no deflate"),
        ({**JSON, "Content-Encoding": "gzip"}, gzip.compress(b'{"text":"x"}')[:-10]),
        (FORM, b"--XX\r\nno header\r\n\r\nx\r\n--XX--\r\n"),
        (FORM, FIELD + b"\r\nx--XX\r\n" + FIELD + b"--XX\r\n\r\n"),
        (FORM, FIELD + b"X: " + b"a" * 20_000 + b"\r\n\r\nx\r\n--XX--\r\n"),
        (FORM, FIELD + b"X: a\r\n" * 20_000 + b"\r\nx\r\n--XX--\r\n"),
        (FORM, b"--XX\r\nContent-Type: multipart/mixed; boundary=\r\n\r\nx\r\n--XX--\r\n"),
        ({"Content-Type": "multipart/form-data; boundary=" + "X" * 100}, b"x"),
    ],
)
async def test_a_body_that_cannot_be_read_is_whose_fault_it_is(
    tmp_path: Path, headers: dict[str, str], body: bytes
) -> None:
    async with site(tmp_path) as web:
        answer = await web.user("ana").call("POST", PATH, data=body, headers=headers)
        assert answer.status == 400, answer
        assert answer.body["text"].startswith("The ")
        assert await web.user("ana").messages() == []


async def test_a_client_that_goes_away_in_the_middle_is_no_failure_of_ours(tmp_path: Path) -> None:
    async with site(tmp_path) as web:
        address = urlsplit(web.base)
        with capture_logs() as lines:
            for kind in ("application/json", "multipart/form-data; boundary=XX"):
                _, writer = await asyncio.open_connection(address.hostname, address.port)
                head = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nX-Fencepost-User: ana\r\n"
                writer.write(f"{head}Content-Type: {kind}\r\nContent-Length: 1000\r\n\r\n--XX\r\n".encode())
                await writer.drain()
                await asyncio.sleep(0.1)
                writer.transport.abort()
                await asyncio.sleep(0.1)
            assert (await web.user("ana").get("/api/me")).status == 200
        assert [line for line in lines if line["log_level"] == "error"] == []
