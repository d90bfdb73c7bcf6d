"""What holds in each channel: its configuration, its policy, its languages."""

from collections.abc import Mapping
from functools import cache

from bot.bootstrap.policies import load_policy
from bot.core.keys import ChannelKey
from bot.core.languages import DEFAULT_LANGUAGES
from bot.core.policy.rules import Group, Policy
from bot.core.site import Site
from bot.settings import Loaded, Settings
from bot.shell.sites import SiteOf

DEMO_POLICIES = {"general": "team", "data": "strict", "ops": "strict"}
"""Of the demo's channels, in the web chat and in the console, unless the settings name a policy for all of them."""


def demo_policies(loaded: Loaded) -> dict[str, str]:
    return dict.fromkeys(DEMO_POLICIES, loaded.settings.policy) if loaded.names_policy else DEMO_POLICIES


def load_all(names: Mapping[str, str]) -> dict[str, tuple[str, Policy]]:
    """Policies by channel, with what people call them. Raises PolicyError."""
    load = cache(load_policy)
    return {channel: (name, load(name)) for channel, name in names.items()}


def site_provider(settings: Settings, policies: Mapping[str, tuple[str, Policy]], image: str) -> SiteOf:
    """`policies` are by the id of a channel; one that is not in it is asked about nowhere."""
    config = settings.channel_config("always")

    @cache
    def site_of(channel: ChannelKey) -> Site:
        name, policy = policies[channel.channel]
        return Site(
            config=config,
            policy=policy,
            policy_name=name,
            languages=DEFAULT_LANGUAGES,
            image=image,
            channel_name=channel.channel,
        )

    return site_of


def with_people(policy: Policy, roles: Mapping[str, str]) -> Policy:
    """The policy with the console's people in its groups, by the roles that the groups name for the web chat.

    `roles` are by `platform:id`. No mark is of the console's own, so naming its people is how a policy comes to have
    approvers there.
    """
    groups = {name: _with(group, roles) for name, group in policy.approvers.items()}
    return policy.model_copy(update={"approvers": groups})


def _with(group: Group, roles: Mapping[str, str]) -> Group:
    users = tuple(user for user, role in roles.items() if role in group.web_roles)
    return group.model_copy(update={"users": tuple(dict.fromkeys((*group.users, *users)))})
