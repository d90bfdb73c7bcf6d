import pytest

from bot.core.keys import Actor
from bot.core.policy.approvers import extend_leads, groups_of, is_lead_or_admin, marks, platform_has_approvers
from bot.core.policy.rules import Group, revision
from tests.unit.core.policy.making import demand, policy

GROUPS = {
    "leads": Group(web_roles=("lead", "admin"), slack_usergroups=("S012",), users=("discord:7",)),
    "sre": Group(discord_roles=("99",), users=("slack:U1",)),
    "empty": Group(),
}
POLICY = policy(approvers=GROUPS)


@pytest.mark.parametrize(
    ("user", "standing", "groups"),
    [
        ("web:ana", set(), set()),
        ("web:lee", {"web_roles:lead"}, {"leads"}),
        ("web:root", {"web_roles:lead", "web_roles:admin"}, {"leads"}),
        ("slack:U2", {"slack_usergroups:S012"}, {"leads"}),
        ("slack:U1", set(), {"sre"}),
        ("slack:U1", {"slack_usergroups:S012"}, {"leads", "sre"}),
        ("discord:8", {"discord_roles:99"}, {"sre"}),
        ("discord:7", set(), {"leads"}),
        ("discord:U1", set(), set()),  # another platform's U1
        ("web:x", {"discord_roles:lead", "web_roles:99", "lead"}, set()),
    ],
)
def test_groups(user: str, standing: set[str], groups: set[str]) -> None:
    assert groups_of(Actor(user, "x", frozenset(standing)), POLICY) == groups


def test_a_failed_look_up_is_no_standing_even_for_a_listed_user() -> None:
    assert groups_of(Actor("slack:U1", "x", None), POLICY) == frozenset()


def test_a_bot_decides_nothing() -> None:
    assert groups_of(Actor("slack:U1", "x", is_bot=True), POLICY) == frozenset()


def test_being_admin_is_no_group() -> None:
    assert groups_of(Actor("slack:U5", "x", admin=True), POLICY) == frozenset()


def test_marks_are_all_that_is_worth_looking_up() -> None:
    assert marks(POLICY) == {"web_roles:lead", "web_roles:admin", "slack_usergroups:S012", "discord_roles:99"}


@pytest.mark.parametrize(("platform", "has"), [("web", True), ("slack", True), ("discord", True), ("console", False)])
def test_whether_anybody_can_decide_here(platform: str, has: bool) -> None:
    assert platform_has_approvers(POLICY, platform) is has


def test_only_groups_that_decide_the_uncovered_count() -> None:
    of = policy(approvers=GROUPS, default_approve=demand(1, "sre"))
    assert not platform_has_approvers(of, "web")


def test_settings_add_people_to_the_leads() -> None:
    of = extend_leads(POLICY, users=["slack:U3", "slack:U3"], marks=["slack_usergroups:S9", "discord_roles:5"])
    assert of.approvers["leads"] == Group(
        web_roles=("lead", "admin"),
        slack_usergroups=("S012", "S9"),
        discord_roles=("5",),
        users=("discord:7", "slack:U3"),
    )
    assert of.approvers["sre"] == GROUPS["sre"]
    assert revision(of) != revision(POLICY)


def test_the_group_is_made_where_it_is_missing() -> None:
    of = policy(approvers={"sre": Group()}, default_approve=demand(1, "sre"))
    assert extend_leads(of, users=["slack:U3"]).approvers["leads"] == Group(users=("slack:U3",))


def test_nothing_to_add_changes_nothing() -> None:
    assert extend_leads(POLICY) is POLICY


@pytest.mark.parametrize(
    ("users", "added"),
    [(["U3"], []), ([], ["S9"]), ([], ["users:slack:U1"]), ([], ["emails:a"]), ([], ["web_roles:"])],
)
def test_what_is_no_id_is_refused(users: list[str], added: list[str]) -> None:
    with pytest.raises(ValueError, match=r"id|mark"):
        extend_leads(POLICY, users=users, marks=added)


@pytest.mark.parametrize(
    ("actor", "may"),
    [
        (Actor("web:ana", "ana"), False),
        (Actor("web:ana", "ana", admin=True), True),
        (Actor("web:lee", "lee", frozenset({"web_roles:lead"})), True),
        (Actor("slack:U1", "sre"), False),
        (Actor("web:lee", "lee", None), False),
    ],
)
def test_leads_and_admins(actor: Actor, may: bool) -> None:
    assert is_lead_or_admin(actor, POLICY) is may
