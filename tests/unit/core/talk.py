"""A channel to talk in: steps events through the real core and remembers what it owed and said."""

from dataclasses import dataclass, field, replace
from typing import Any

from bot.core.config import ChannelConfig, ChannelLimits
from bot.core.effects import Effect, StartExecution
from bot.core.events import (
    AnswerPosted,
    AnyEvent,
    ButtonPressed,
    DeadlinePassed,
    ExecutionEnded,
    ExecutionReady,
    MessageDeleted,
    MessageEdited,
    MessagePosted,
    Verb,
)
from bot.core.keys import Actor, ChannelKey
from bot.core.languages import DEFAULT_LANGUAGES
from bot.core.machine import step
from bot.core.policy.decision import Demand, Need
from bot.core.policy.decision import Effect as Verdict
from bot.core.policy.rules import Grant, Group, Policy, Rule
from bot.core.replies import Reply, ReplyKind
from bot.core.reports import BlockReport
from bot.core.site import Site
from bot.core.state import ChannelState, Request, Status
from bot.core.views.answer import answer_view
from bot.core.views.view import View, plain
from executor.types import Outcome

CHANNEL = ChannelKey("web", "local", "data")
START = 1_700_000_000.0


def person(name: str, *roles: str, admin: bool = False) -> Actor:
    return Actor(f"web:{name}", name, frozenset(f"web_roles:{role}" for role in roles), admin=admin)


ANA = person("ana")
BO = person("bo")
LEE = person("lee", "lead")
KIM = person("kim", "lead")
ROOT = person("root", "admin", admin=True)

LEADS = {"leads": Group(web_roles=("lead", "admin"))}


def strict(need: int = 1, **demand: Any) -> Policy:
    return Policy(
        default_approve=Demand(needs=(Need(groups=("leads",), need=need),), **demand),
        approvers=LEADS,
    )


def relaxed(*languages: str) -> Policy:
    rule = Rule(id="all", effect=Verdict.ALLOW, language=languages or ("python", "bash"), profile="offline")
    return strict().model_copy(update={"rule": (rule,), "profiles": {"offline": Grant()}})


def fence(code: str, info: str = "python") -> str:
    return f"```{info}\n{code}\n```"


def report(text: str = "42\n", outcome: Outcome = Outcome.COMPLETED, exit_code: int | None = 0) -> BlockReport:
    return BlockReport(outcome=outcome, exit_code=exit_code, text=text, duration_ms=12.0)


@dataclass
class Talk:
    policy: Policy = field(default_factory=strict)
    limits: ChannelLimits = field(default_factory=ChannelLimits)
    at: float = START
    state: ChannelState = field(default_factory=lambda: ChannelState(channel=str(CHANNEL)))
    effects: list[Effect] = field(default_factory=list)
    replies: tuple[Reply, ...] = ()
    number: int = 0
    site: Site = field(init=False)

    def __post_init__(self) -> None:
        config = ChannelConfig(trigger="always", limits=self.limits)
        self.site = Site(config, self.policy, "test", DEFAULT_LANGUAGES, image="sha256:i", channel_name="data")

    # ---- what happens

    def step(self, event: AnyEvent) -> tuple[Reply, ...]:
        done = step(self.state, event, self.site)
        self.state, self.replies = done.state, done.replies
        self.effects.extend(done.effects)
        return done.replies

    def base(self) -> dict[str, Any]:
        self.number += 1
        return {"id": f"e{self.number}", "channel": CHANNEL, "at": self.at}

    def post(self, text: str, author: Actor = ANA, message: str = "m1", **more: Any) -> Request | None:
        """Post a message; the request that came of it."""
        before = {r.id for r in self.state.requests}
        self.step(MessagePosted(**self.base(), message=message, author=author, text=text, **more))
        return next((r for r in self.state.requests if r.id not in before), None)

    def ask(self, code: str = "print(42)", author: Actor = ANA, message: str = "m1") -> Request:
        request = self.post(fence(code), author, message)
        assert request is not None
        return request

    def edit(self, text: str, author: Actor = ANA, message: str = "m1", **more: Any) -> Request | None:
        before = {r.id for r in self.state.requests}
        self.step(MessageEdited(**self.base(), message=message, author=author, text=text, **more))
        return next((r for r in self.state.requests if r.id not in before), None)

    def delete(self, message: str = "m1") -> None:
        self.step(MessageDeleted(**self.base(), message=message))

    def press(self, request: Request, verb: Verb, actor: Actor, **more: Any) -> Reply:
        binding = more.pop("binding", request.binding[:8])
        event = ButtonPressed(**self.base(), request=request.id, verb=verb, binding=binding, actor=actor, **more)
        (reply,) = self.step(event)
        return reply

    def posted(self, request: Request, message: str = "b1") -> Request:
        """The platform has the answer now."""
        answer = self.now(request).answer
        assert answer is not None
        self.step(AnswerPosted(**self.base(), key=answer.key, message=message))
        return self.now(request)

    def ready(self, request: Request, *voters: Actor) -> Request:
        self.step(ExecutionReady(**self.base(), request=request.id, execution=f"x-{request.id}", voters=tuple(voters)))
        return self.now(request)

    def end(self, request: Request, *reports: BlockReport, **more: Any) -> Request:
        event = ExecutionEnded(
            **self.base(), request=request.id, execution=f"x-{request.id}", blocks=reports or (report(),), **more
        )
        self.step(event)
        return self.now(request)

    def pass_time(self, seconds: float) -> None:
        self.at += seconds
        self.step(DeadlinePassed(**self.base()))

    def halted(self, by: str | None) -> None:
        self.site = replace(self.site, halted=by)

    def under(self, policy: Policy) -> None:
        self.site = replace(self.site, policy=policy)

    # ---- what is to be seen

    def now(self, request: Request) -> Request:
        current = self.state.request(request.id)
        assert current is not None, f"{request.id} is no longer in the state"
        return current

    def view(self, request: Request) -> View:
        return answer_view(self.now(request), self.state, self.site)

    def text(self, request: Request) -> str:
        return plain(self.view(request))

    def buttons(self, request: Request) -> list[str]:
        return [button.label for button in self.view(request).buttons]

    def take_effects(self) -> list[Effect]:
        effects, self.effects = self.effects, []
        return effects

    def starts(self) -> list[str]:
        return [effect.request for effect in self.effects if isinstance(effect, StartExecution)]

    # ---- a request in each status

    def in_status(self, status: Status) -> Request:
        """A fresh request of ana's, brought to this status by events alone."""
        request = self.ask()
        match status:
            case Status.WAITING:
                pass
            case Status.APPROVED:
                self.press(request, Verb.APPROVE, LEE)
            case Status.RUNNING:
                self.press(request, Verb.APPROVE, LEE)
                self.ready(request, LEE)
            case Status.ENDED:
                self.press(request, Verb.APPROVE, LEE)
                self.ready(request, LEE)
                self.end(request)
            case Status.DENIED:
                self.press(request, Verb.DENY, LEE)
            case Status.EXPIRED:
                self.pass_time(3601)
            case Status.SUPERSEDED:
                self.edit(fence("print(43)"))
            case Status.CANCELLED:
                self.press(request, Verb.CANCEL, ANA)
            case Status.REVOKED:
                self.press(request, Verb.APPROVE, LEE)
                self.ready(request, person("lee"))
            case Status.REFUSED:
                self.under(self.policy.model_copy(update={"default": "deny"}))
                self.press(request, Verb.APPROVE, LEE)
                self.under(self.policy)
            case Status.INTERRUPTED:
                self.press(request, Verb.APPROVE, LEE)
                self.ready(request, LEE)
                from bot.core.events import BotStarted

                self.step(BotStarted(**self.base()))
        request = self.now(request)
        assert request.status is status
        return request


def kind(reply: Reply) -> ReplyKind:
    return reply.kind
