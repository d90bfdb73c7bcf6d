"""Several demands taken together: whoever decides has to meet all of them."""

from collections.abc import Sequence

from bot.core.policy.decision import Demand, Need


def add_up(demands: Sequence[Demand]) -> Demand:
    """The largest number for each list of groups, the shortest time, and every duty that any of them names."""
    most: dict[tuple[str, ...], int] = {}
    for need in (need for demand in demands for need in demand.needs):
        groups = tuple(sorted(set(need.groups)))
        most[groups] = max(need.need, most.get(groups, 0))
    return Demand(
        needs=tuple(Need(groups=groups, need=count) for groups, count in sorted(most.items())),
        not_requester=any(demand.not_requester for demand in demands),
        within_s=min(demand.within_s for demand in demands),
        reason=any(demand.reason for demand in demands),
        deny_need=min(demand.deny_need for demand in demands),
    )
