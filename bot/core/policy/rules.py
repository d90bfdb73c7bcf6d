"""Policies as data: rules, profiles, approver groups."""

from typing import Literal

from pydantic import Field

from bot.core.model import Model
from bot.core.policy.decision import Effect


class Rule(Model):
    id: str
    effect: Effect
    language: tuple[str, ...] = ()
    code_sha256: str | None = None
    profile: str | None = None


class Policy(Model):
    format: Literal[1] = 1
    default: Literal["ask", "deny"] = "ask"
    rule: tuple[Rule, ...] = Field(default=())
