"""Who may decide: groups of a policy, and people as their platform knows them at this moment."""

from collections.abc import Iterable

from bot.core.keys import Actor
from bot.core.policy.rules import Group, Policy

LEADS = "leads"


def groups_of(actor: Actor, policy: Policy) -> frozenset[str]:
    """Groups that the actor is in. A failed look-up means none, and a bot is in none."""
    if actor.standing is None or actor.is_bot:
        return frozenset()
    standing = actor.standing
    return frozenset(
        name
        for name, group in policy.approvers.items()
        if actor.id in group.users or not standing.isdisjoint(group.marks)
    )


def marks(policy: Policy) -> frozenset[str]:
    """Every mark that makes somebody an approver: all that is worth looking up."""
    return frozenset(mark for group in policy.approvers.values() for mark in group.marks)


def platform_has_approvers(policy: Policy, platform: str) -> bool:
    """Whether anybody on this platform could decide what no rule covers."""
    return bool(policy.approvers_for(platform))


def extend_leads(policy: Policy, *, users: Iterable[str] = (), marks: Iterable[str] = ()) -> Policy:
    """The policy with more people in the group `leads`, which is made where it is missing.

    `users` are `platform:id`, `marks` as in `Actor.standing` (`slack_usergroups:S012`). ValueError names what is
    neither. Without any the policy comes back as it was.
    """
    added: dict[str, list[str]] = {}
    for user in users:
        added.setdefault("users", []).append(user)
    for mark in marks:
        kind, _, each = mark.partition(":")
        if kind not in Group.model_fields or kind == "users":
            raise ValueError(f"not a mark of an approver: {mark!r}")
        added.setdefault(kind, []).append(each)
    if not added:
        return policy
    group = policy.approvers.get(LEADS, Group())
    fields = {kind: tuple(dict.fromkeys([*getattr(group, kind), *ids])) for kind, ids in added.items()}
    leads = Group.model_validate({**group.model_dump(), **fields})
    return policy.model_copy(update={"approvers": {**policy.approvers, LEADS: leads}})


def is_lead_or_admin(actor: Actor, policy: Policy) -> bool:
    """Whether they may do what is for leads and admins in every channel: stop, approve and remember."""
    return actor.admin or LEADS in groups_of(actor, policy)
