"""Counting votes: which needs of a demand are met, and what is still missing."""

from collections.abc import Iterable

from bot.core.policy.decision import Demand, Need
from bot.core.state import Verdict, Vote


def standing(demand: Demand, votes: Iterable[Vote], requester: str) -> tuple[Vote, ...]:
    """The votes that count under this demand, which may be another one than they were given under."""
    return tuple(
        vote
        for vote in votes
        if not (demand.not_requester and vote.verdict is Verdict.APPROVE and vote.voter == requester)
        and not (demand.reason and vote.reason is None)
    )


def missing(demand: Demand, votes: Iterable[Vote]) -> tuple[Need, ...]:
    """What is still needed, each need with the number of approvals that it lacks."""
    approvals = [vote for vote in votes if vote.verdict is Verdict.APPROVE]
    lacking: list[Need] = []
    for need in demand.needs:
        have = sum(not set(vote.groups).isdisjoint(need.groups) for vote in approvals)
        if have < need.need:
            lacking.append(Need(groups=need.groups, need=need.need - have))
    return tuple(lacking)


def is_met(demand: Demand, votes: Iterable[Vote]) -> bool:
    return not missing(demand, votes)


def is_denied(demand: Demand, votes: Iterable[Vote]) -> bool:
    return sum(vote.verdict is Verdict.DENY for vote in votes) >= demand.deny_need


def entitled(demand: Demand) -> frozenset[str]:
    """Every group of which a member has a say in this."""
    return frozenset(group for need in demand.needs for group in need.groups)
