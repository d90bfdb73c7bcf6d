"""The bot with its web chat: the demo, and the one for a team."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, Gauge, PlatformCollector, ProcessCollector

from adapters.web.gateway import WebGateway
from adapters.web.people import People
from adapters.web.settings import DEMO_CHANNELS, WebChannel, WebSettings
from bot.bootstrap.house import House, open_house
from bot.bootstrap.sites import demo_policies, load_all, site_provider
from bot.core.policy.rules import Policy
from bot.settings import Loaded, Settings
from bot.shell.lifecycle import Bot
from bot.shell.overview import open_overview


@dataclass(frozen=True, slots=True)
class WebBot:
    house: House
    gateway: WebGateway
    bot: Bot


@asynccontextmanager
async def open_demo(loaded: Loaded) -> AsyncIterator[WebBot]:
    """Nobody is asked for a password. Its sandboxes go with it. Raises PolicyError, ValueError and what `open_house`
    raises.
    """
    settings = loaded.settings
    policies = load_all(demo_policies(loaded))
    async with open_house(settings, settings.data / "demo", keep_sandboxes=False) as house:
        web = web_settings(settings, house, DEMO_CHANNELS, demo=True)
        async with _open(house, web, People.demo(), policies) as opened:
            yield opened


@asynccontextmanager
async def open_team(settings: Settings) -> AsyncIterator[WebBot]:
    """People log in; sandboxes outlive a restart. Raises as `open_demo`."""
    channels = tuple(WebChannel(channel) for channel in settings.web.channels)
    policies = load_all(dict.fromkeys(settings.web.channels, settings.policy))
    async with open_house(settings, settings.data, keep_sandboxes=True) as house:
        web = web_settings(settings, house, channels, demo=False)
        async with _open(house, web, People.from_file(settings.users_file), policies) as opened:
            yield opened


def web_settings(settings: Settings, house: House, channels: tuple[WebChannel, ...], *, demo: bool) -> WebSettings:
    web = settings.web
    return WebSettings(
        data_dir=house.folder,
        channels=channels,
        host=web.host,
        port=web.port,
        demo=demo,
        demo_for_everyone=web.demo_for_everyone,
        allowed_hosts=web.allowed_hosts,
        cookies_over_tls=web.cookies_over_tls,
    )


@asynccontextmanager
async def _open(
    house: House, web: WebSettings, people: People, policies: Mapping[str, tuple[str, Policy]]
) -> AsyncIterator[WebBot]:
    site_of = site_provider(house.settings, policies, await house.image())
    async with (
        open_overview(house.store, house.sandboxes, site_of, house.clock) as overview,
        WebGateway.open(
            web,
            people,
            house.blobs,
            house.clock,
            registry=_registry(house),
            ready=house.problems,
            overview=overview,
        ) as gateway,
    ):
        bot = Bot(
            store=house.store,
            blobs=house.blobs,
            sandboxes=house.sandboxes,
            gateways=[gateway],
            clock=house.clock,
            site_of=site_of,
        )
        yield WebBot(house, gateway, bot)


def _registry(house: House) -> CollectorRegistry:
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    Gauge("fencepost_sandboxes", "Sandboxes that there are.", registry=registry).set_function(
        lambda: len(house.sandboxes.list())
    )
    return registry
