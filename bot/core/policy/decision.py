"""What the policy said about a request: the record that card, audit and shell commands all speak from."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from bot.core.model import Model
from executor.types import WorkspaceAccess


class Effect(StrEnum):
    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class Computed(Model):
    """A word of a command that is known at run time only; `dyn` is how it is written.

    `words` says what it becomes: exactly one word, names of files (or the pattern itself), or any number of words.
    """

    dyn: str
    words: Literal["one", "glob", "many"] = "many"


Argument = str | Computed


class Fact(Model):
    """One thing that the code does or asks for, as far as analysis understands it.

    `kind` is a word of the policy (`cmd`, `net`, `limit`, `unknown`, …); `value` is text, for a command the
    `shlex.join` of its words; `line` counts from 1 within the block, 0 where the fact is about the whole of it. `argv`
    is there for commands only.
    """

    kind: str
    value: str
    line: int = 0
    argv: tuple[Argument, ...] = ()

    @property
    def dyn(self) -> tuple[int, ...]:
        """Which words of `argv` are computed."""
        return tuple(index for index, word in enumerate(self.argv) if isinstance(word, Computed))


class Profile(Model):
    """What the sandbox gives to an execution: the most that an allow rule may grant."""

    name: str = "default"
    network: tuple[str, ...] = ()
    workspace: WorkspaceAccess = "rw"
    timeout_s: float = Field(default=10.0, gt=0, allow_inf_nan=False)
    memory_mb: int = Field(default=512, gt=0)


class Need(Model):
    """`need` different members of the groups named in `groups` have to approve."""

    groups: tuple[str, ...]
    need: int = Field(ge=1)


class Demand(Model):
    """Everything that a waiting request waits for: all `needs`, within `within_s`, and what each approver has to do."""

    needs: tuple[Need, ...]
    not_requester: bool = True
    within_s: float = Field(default=3600.0, gt=0, allow_inf_nan=False)
    reason: bool = False
    deny_need: int = Field(default=1, ge=1)

    @property
    def quorum(self) -> int:
        return max((need.need for need in self.needs), default=1)


class Decision(Model):
    """`rule` is the decider's id (deny before ask before allow, then the lowest id), None for the default.

    `revision` is the sha256 of the policy's canonical JSON, `code_sha256` that of the code after normalisation.
    `reasons` are sentences generated from the other fields. `demand` is set where `effect` is ask; where it is allow,
    `allowed_by` has the ids of all rules under whose profiles it runs.
    """

    effect: Effect
    revision: str
    code_sha256: str
    rule: str | None = None
    allowed_by: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    uncovered: tuple[Fact, ...] = ()
    profile: Profile = Profile()
    grants: tuple[str, ...] = ()
    demand: Demand | None = None
    remember: bool = True
