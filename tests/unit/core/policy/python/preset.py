"""The analysed preset, to try code against."""

from functools import cache
from pathlib import Path

from bot.core.policy.decision import Effect
from bot.core.policy.load import parse_policy
from bot.core.policy.rules import Policy
from tests.unit.core.policy.making import block, decided

FILE = Path(__file__).parents[5] / "config/policies/team-analysed.toml"


@cache
def team() -> Policy:
    return parse_policy(FILE.read_text(encoding="utf-8"), FILE.name)


def runs(code: str) -> bool:
    """Whether it would run by itself."""
    return decided(team(), block(code)).effect is Effect.ALLOW


def asked(code: str) -> list[str]:
    """What it would be asked about, as `kind value`."""
    return [f"{fact.kind} {fact.value}" for fact in decided(team(), block(code)).uncovered]
