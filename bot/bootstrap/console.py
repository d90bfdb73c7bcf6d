"""The bot with one channel in a terminal."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from adapters.console.gateway import ConsoleGateway, Terminal
from adapters.console.journal import open_journal
from adapters.console.outbound import Ink
from adapters.console.people import Person
from adapters.web.people import DEMO_ROLES
from bot.bootstrap.house import House, local, open_house
from bot.bootstrap.sites import demo_policies, load_all, site_provider, with_people
from bot.core.effects import StartExecution
from bot.core.keys import ChannelKey
from bot.core.reports import FileRef
from bot.core.state import Status
from bot.settings import Loaded, Settings, make_private
from bot.shell.lifecycle import Bot

PLATFORM = "console"
LOOK_EVERY_S = 0.05


@dataclass(frozen=True, slots=True)
class Screen:
    """The terminal itself; see `adapters.console.gateway.Terminal`."""

    lines: AsyncIterator[str]
    write: Callable[[str], None]
    prompt: Callable[[str], None]
    ink: Ink = field(default_factory=Ink)
    interactive: bool = False


@dataclass(frozen=True, slots=True)
class ConsoleBot:
    house: House
    gateway: ConsoleGateway
    bot: Bot


def console_folder(settings: Settings, channel: str) -> Path:
    """Made if it is not there."""
    make_private(settings.data)
    return make_private(make_private(settings.data / "console") / channel)


def _for_one_channel(settings: Settings) -> Settings:
    """Its sandbox is made while the first message is being typed; a second one would be for nobody."""
    reserve = min(1, settings.limits.reserve)
    return settings.model_copy(update={"limits": settings.limits.model_copy(update={"reserve": reserve})})


@asynccontextmanager
async def open_console(loaded: Loaded, channel: str, acting: str, screen: Screen) -> AsyncIterator[ConsoleBot]:
    """A bot with a data directory of its own for each channel. Raises PolicyError and what `open_house` raises."""
    settings = _for_one_channel(loaded.settings)
    key = local(PLATFORM, channel)
    people = {name: Person(name, role) for name, role in DEMO_ROLES.items()}
    roles = {f"{PLATFORM}:{person.id}": person.role for person in people.values()}
    [(name, policy)] = load_all({channel: demo_policies(loaded)[channel]}).values()
    policies = {channel: (name, with_people(policy, roles))}
    async with open_house(settings, console_folder(settings, channel), keep_sandboxes=False) as house:
        with open_journal(house.folder / "messages.jsonl") as journal:
            terminal = Terminal(
                lines=screen.lines,
                write=screen.write,
                prompt=screen.prompt,
                settled=lambda ended: _settled(house, key, ended=ended),
                keep=lambda file, message: _keep(house, file, message),
                now=house.clock.now,
                ink=screen.ink,
                interactive=screen.interactive,
            )
            gateway = ConsoleGateway(key, people, acting, journal, terminal)
            bot = Bot(
                store=house.store,
                blobs=house.blobs,
                sandboxes=house.sandboxes,
                gateways=[gateway],
                clock=house.clock,
                site_of=site_provider(settings, policies, await house.image()),
            )
            yield ConsoleBot(house, gateway, bot)


async def _settled(house: House, channel: ChannelKey, *, ended: bool) -> None:
    """Return once everything owed has been shown, and everything that can start is running (and shown so, or in line
    behind what is) or, with `ended`, has ended.
    """
    while not await _is_settled(house, channel, ended=ended):  # noqa: ASYNC110 - the store tells nobody of a change
        await asyncio.sleep(LOOK_EVERY_S)


async def _is_settled(house: House, channel: ChannelKey, *, ended: bool) -> bool:
    requests = (await house.store.load(channel)).state.requests
    held = await house.store.halted_by() is not None
    running = [request for request in requests if request.status is Status.RUNNING]
    to_start = [r for r in requests if r.status is Status.APPROVED and r.held is None and not held]
    if (to_start and (ended or not running)) or (running and ended):
        return False
    if any(request.answer is None or request.answer.message is None for request in (*running, *to_start)):
        return False
    return all(isinstance(owed.effect, StartExecution) for owed in await house.store.owed())


async def _keep(house: House, file: FileRef, message: str) -> str:
    """Store a file that came out under a name of our own making, and say where."""
    folder = house.folder / "files"
    name = re.sub(r"[^A-Za-z0-9._-]", "_", file.name.rsplit("/", 1)[-1]).lstrip(".")[-80:] or "file"
    path = folder / f"{message}-{name}"
    data = await house.blobs.get(file.sha256)
    await asyncio.to_thread(_write, path, data)
    return str(path)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.write_bytes(data)
