"""Policies as data: rules, profiles, approver groups. The same shape in TOML, in the store and in the API.

Every value here is valid or does not exist; `load` says where in a file the fault is. Fields are matched as they stand:
no regular expressions, no expressions, and the order of rules means nothing.
"""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field, PlainSerializer, model_validator

from bot.core.canonical import sha256_of
from bot.core.model import Model
from bot.core.policy.check import first_fault
from bot.core.policy.cover import Named
from bot.core.policy.decision import Demand, Effect
from bot.core.policy.fields import (
    Language,
    LimitPattern,
    MarkId,
    Name,
    Scope,
    Sha256,
    UserId,
    demand_from,
    demand_to,
    in_utc,
    network_from,
    network_to,
    no_secrets,
    one_need,
)
from executor.types import WorkspaceAccess

WrittenDemand = Annotated[Demand, BeforeValidator(demand_from), AfterValidator(one_need), PlainSerializer(demand_to)]
Network = Annotated[tuple[str, ...], BeforeValidator(network_from), PlainSerializer(network_to)]
Instant = Annotated[AwareDatetime, AfterValidator(in_utc)]


class Group(Model):
    """Who belongs to a group of approvers: ids only. Marks are looked up on the platform at the click."""

    web_roles: tuple[MarkId, ...] = ()
    slack_usergroups: tuple[MarkId, ...] = ()
    discord_roles: tuple[MarkId, ...] = ()
    users: tuple[UserId, ...] = ()

    @property
    def marks(self) -> frozenset[str]:
        """As they stand in `Actor.standing`."""
        kinds = {"web_roles": self.web_roles, "slack_usergroups": self.slack_usergroups}
        kinds["discord_roles"] = self.discord_roles
        return frozenset(f"{kind}:{each}" for kind, ids in kinds.items() for each in ids)

    @property
    def platforms(self) -> frozenset[str]:
        """Platforms on which somebody may be in it."""
        return frozenset(user.partition(":")[0] for user in self.users) | frozenset(
            mark.partition("_")[0] for mark in self.marks
        )


class Grant(Model):
    """A profile as it is written: the most that an allow rule may give. Limits left out are the channel's own.

    `scratch` and `secrets` have one value today and are there so that a policy can say it.
    """

    network: Network = ()
    workspace: WorkspaceAccess = "rw"
    scratch: Literal["/tmp"] = "/tmp"  # noqa: S108 (the sandbox's own)
    secrets: Annotated[tuple[str, ...], AfterValidator(no_secrets)] = ()
    timeout_s: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    memory_mb: int | None = Field(default=None, gt=0)


class Match(Named):
    """What an ask or deny rule looks for: every field that is given has a match."""

    language: tuple[Language, ...] = ()
    limit: tuple[LimitPattern, ...] = ()


class Examples(Model):
    """Code with the effect that it must have, for each language of the rule."""

    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


class Rule(Named):
    """One rule. `language`, `code_sha256`, `scope` and `expires` narrow down where any rule holds.

    An allow rule covers all facts of exactly this code (`code_sha256`), or those that its fact fields name (`cover`;
    `limit`: up to the limits named), or without any fact field everything in its languages, without network. An ask or
    deny rule holds where `match` finds something. `always` is for ask rules that not even a hash gets past. `uses` is
    counted by whoever keeps the rule.
    """

    id: Name
    effect: Effect
    why: str = Field(default="", max_length=500)
    language: tuple[Language, ...] = ()
    code_sha256: Sha256 | None = None
    limit: tuple[LimitPattern, ...] = ()
    profile: Name | None = None
    match: Match | None = None
    approve: WrittenDemand | None = None
    always: bool = False
    taint_ok: bool = False
    scope: Scope | None = None
    expires: Instant | None = None
    max_uses: int | None = Field(default=None, ge=1)
    uses: int = Field(default=0, ge=0)
    from_request: str | int | None = None
    added_by: UserId | None = None
    examples: Examples = Examples()


class Policy(Model):
    """One revision. `default` is what becomes of anything that no rule covers; `default_approve` who decides then."""

    format: Literal[1] = 1
    default: Literal["ask", "deny"] = "ask"
    default_approve: WrittenDemand
    approvers: dict[Name, Group] = Field(default_factory=dict)
    profiles: dict[Name, Grant] = Field(default_factory=dict)
    rule: tuple[Rule, ...] = ()

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        fault = first_fault(self)
        if fault is not None:
            raise fault
        return self

    def approvers_for(self, platform: str) -> frozenset[str]:
        """Groups that may decide what no rule covers and that have somebody on this platform."""
        return frozenset(
            name
            for need in self.default_approve.needs
            for name in need.groups
            if platform in self.approvers[name].platforms
        )


def revision(policy: Policy) -> str:
    """The policy's name: sha256 of its canonical JSON, 64 hex."""
    return sha256_of(policy.model_dump(mode="json"))
