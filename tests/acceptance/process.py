"""The real bot as a process of its own: started, spoken to over HTTP, killed, started again on the same data."""

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import aiohttp

from executor.types import Outcome

PATIENCE_S = 30.0
ENDED = frozenset(outcome.value for outcome in Outcome) | {"expired", "superseded", "revoked"}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


T = TypeVar("T")


async def until(what: str, look: Callable[[], Awaitable[T | None]], patience_s: float = PATIENCE_S) -> T:
    """What `look` finds, once it finds something."""
    try:
        async with asyncio.timeout(patience_s):
            while True:
                found = await look()
                if found:
                    return found
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(f"no {what} within {patience_s:g} s") from None


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any


@dataclass(frozen=True)
class Person:
    """One user of the demo, over HTTP."""

    http: aiohttp.ClientSession
    base: str
    name: str

    async def call(self, method: str, path: str, body: Any = None, **more: Any) -> Answer:
        headers = {"X-Fencepost-User": self.name, **more.pop("headers", {})}
        if body is not None:
            more["json"] = body
        async with self.http.request(method, self.base + path, headers=headers, **more) as response:
            text = await response.text()
            body = await response.json() if response.content_type == "application/json" else text
            return Answer(response.status, body)

    async def post(self, channel: str, text: str, **more: Any) -> str:
        answer = await self.call("POST", f"/api/channels/{channel}/messages", {"text": text, **more})
        assert answer.status == 201, answer
        message: str = answer.body["id"]
        return message

    async def run(self, channel: str, code: str, info: str = "python") -> str:
        return await self.post(channel, f"```{info}\n{code}\n```")

    async def edit(self, message: str, code: str, info: str = "python") -> None:
        answer = await self.call("PATCH", f"/api/messages/{message}", {"text": f"```{info}\n{code}\n```"})
        assert answer.status == 200, answer

    async def press(self, message: str, button: str, **body: Any) -> Answer:
        return await self.call("POST", f"/api/messages/{message}/buttons/{button}", body)

    async def messages(self, channel: str) -> list[dict[str, Any]]:
        answer = await self.call("GET", f"/api/channels/{channel}/messages")
        assert answer.status == 200, answer
        found: list[dict[str, Any]] = answer.body["messages"]
        return found

    async def message(self, channel: str, message: str) -> dict[str, Any]:
        found: dict[str, Any] = next(m for m in await self.messages(channel) if m["id"] == message)
        return found

    async def answers(self, channel: str, message: str) -> list[dict[str, Any]]:
        """All of the bot's messages that answer this one, oldest first."""
        return [m for m in await self.messages(channel) if m["reply_to"] == message and m["author"] == "fencepost"]

    async def answer(
        self, channel: str, message: str, status: str | None = None, patience_s: float = PATIENCE_S
    ) -> dict[str, Any]:
        """The newest answer to a message, once it has that status, or has ended."""

        async def look() -> dict[str, Any] | None:
            matching = [
                found
                for found in await self.answers(channel, message)
                if (found["status"] == status if status else found["status"] in ENDED)
            ]
            return matching[-1] if matching else None

        return await until(f"answer {status or 'that has ended'}", look, patience_s)

    @asynccontextmanager
    async def events(self) -> AsyncIterator[AsyncIterator[tuple[str, dict[str, Any]]]]:
        """The server-sent events from here on, as (name, data)."""
        headers = {"X-Fencepost-User": self.name}
        timeout = aiohttp.ClientTimeout(total=None, sock_read=PATIENCE_S)
        async with self.http.get(self.base + "/api/events", headers=headers, timeout=timeout) as response:
            assert response.status == 200
            yield _read_events(response)


async def _read_events(response: aiohttp.ClientResponse) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    name = ""
    async for raw in response.content:
        line = raw.decode().rstrip("\n")
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


@dataclass
class BotProcess:
    """`fencepost demo` on a data folder and a port that it keeps over restarts."""

    folder: Path
    docker: str
    env: Mapping[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    process: asyncio.subprocess.Process | None = None
    http: aiohttp.ClientSession = field(init=False)

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def data(self) -> Path:
        """Where the demo keeps its files."""
        return self.folder / "data" / "demo"

    def person(self, name: str) -> Person:
        return Person(self.http, self.base, name)

    async def start(self) -> None:
        env = {name: value for name, value in os.environ.items() if not name.startswith("FENCEPOST_")}
        env |= {
            "FENCEPOST_DATA_DIR": str(self.folder / "data"),
            "FENCEPOST_WEB__PORT": str(self.port),
            "FENCEPOST_DOCKER__HOST": self.docker,
            **self.env,
        }
        self.folder.mkdir(exist_ok=True)
        with (self.folder / "log").open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "bot", "demo", env=env, stdout=log, stderr=log, stdin=asyncio.subprocess.DEVNULL
            )
        await until("answer of /healthz", self._is_up)

    async def _is_up(self) -> bool:
        assert self.process is not None
        assert self.process.returncode is None, f"the bot ended:\n{self.log()}"
        try:
            async with self.http.get(self.base + "/healthz") as response:
                return response.status == 200
        except aiohttp.ClientConnectionError:
            return False

    async def end(self, sign: signal.Signals) -> int:
        assert self.process is not None
        if self.process.returncode is None:
            self.process.send_signal(sign)
        try:
            return await asyncio.wait_for(self.process.wait(), PATIENCE_S)
        except TimeoutError:
            self.process.kill()
            raise

    async def kill(self) -> None:
        """As a power cut would: no handler of the bot runs."""
        await self.end(signal.SIGKILL)

    async def restart(self) -> None:
        await self.kill()
        await self.start()

    def log(self) -> str:
        return (self.folder / "log").read_text("utf-8", "replace")[-8000:]


@asynccontextmanager
async def running(
    folder: Path, docker: str, env: Mapping[str, str] | None = None, *, start: bool = True
) -> AsyncIterator[BotProcess]:
    bot = BotProcess(folder, docker, env or {})
    async with aiohttp.ClientSession() as bot.http:
        try:
            if start:
                await bot.start()
            yield bot
        except BaseException:
            print(bot.log())  # noqa: T201 - shown by pytest with the failure
            raise
        finally:
            if bot.process is not None and bot.process.returncode is None:
                await bot.kill()
