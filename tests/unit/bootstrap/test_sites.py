from bot.bootstrap.policies import load_policy
from bot.bootstrap.sites import demo_policies, load_all, site_provider, with_people
from bot.core.keys import ChannelKey
from bot.core.policy.approvers import platform_has_approvers
from bot.settings import Loaded, Settings


def test_the_demo_has_its_policies_unless_one_is_named() -> None:
    assert demo_policies(Loaded(Settings(), names_policy=False)) == {
        "general": "team",
        "data": "strict",
        "ops": "strict",
    }
    named = demo_policies(Loaded(Settings(policy="open"), names_policy=True))
    assert named == {"general": "open", "data": "open", "ops": "open"}


def test_a_site_is_what_the_settings_say() -> None:
    settings = Settings()
    site_of = site_provider(settings, load_all({"general": "team"}), "image:1")
    site = site_of(ChannelKey("web", "local", "general"))
    assert (site.policy_name, site.channel_name, site.image) == ("team", "general", "image:1")
    assert site.policy == load_policy("team")
    assert site.config.trigger == "always"
    assert site.config.limits.slots == settings.limits.slots


def test_the_consoles_people_are_named_in_the_groups_of_their_roles() -> None:
    policy = load_policy("strict")
    assert not platform_has_approvers(policy, "console")
    known = with_people(policy, {"console:ana": "member", "console:lee": "lead", "console:root": "admin"})
    assert platform_has_approvers(known, "console")
    assert known.approvers["leads"].users == ("console:lee", "console:root")
    assert known.approvers["leads"].web_roles == policy.approvers["leads"].web_roles
