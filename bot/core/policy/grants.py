"""What the sandbox would give: the strictest of the covering profiles where rules allow, the channel's own limits or
those that were asked for where people do.
"""

from collections.abc import Iterable, Mapping

from bot.core.config import ChannelLimits
from bot.core.policy.asked import Asked, impossible
from bot.core.policy.decision import Profile
from bot.core.policy.rules import Grant, Rule
from bot.core.snapshot import Snapshot
from executor.types import WorkspaceAccess

_LEAST_FIRST: tuple[WorkspaceAccess, ...] = ("none", "ro", "rw")


def click_profile(snapshot: Snapshot, limits: ChannelLimits) -> Profile:
    """What a click grants: no network, the workspace, and the limits that were asked for or else the channel's."""
    can_be = not impossible(snapshot)
    return Profile(
        timeout_s=snapshot.timeout_s if can_be and snapshot.timeout_s is not None else limits.timeout_s,
        memory_mb=snapshot.memory_mb if can_be and snapshot.memory_mb is not None else limits.memory_mb,
    )


def rule_profile(rules: Iterable[Rule], grants: Mapping[str, Grant], wanted: Profile) -> Profile:
    """`wanted`, cut down to what every one of these rules grants. A rule without a profile grants no network."""
    names = sorted({rule.profile for rule in rules if rule.profile is not None})
    every = [Grant() if rule.profile is None else grants[rule.profile] for rule in rules]
    hosts = frozenset.intersection(*(frozenset(grant.network) for grant in every))
    return Profile(
        name="+".join(names) or wanted.name,
        network=tuple(sorted(hosts)),
        workspace=min((grant.workspace for grant in every), key=_LEAST_FIRST.index),
        timeout_s=min([wanted.timeout_s, *(grant.timeout_s for grant in every if grant.timeout_s is not None)]),
        memory_mb=min([wanted.memory_mb, *(grant.memory_mb for grant in every if grant.memory_mb is not None)]),
    )


def in_words(profile: Profile, limits: Iterable[Asked]) -> tuple[str, ...]:
    """What is given beyond the default."""
    network = (f"network to {', '.join(profile.network)}",) if profile.network else ()
    return (*network, *(limit.words for limit in limits))
