"""Policies, requests and decisions for tests, and the strategies that make many of them."""

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from bot.core.config import ChannelLimits
from bot.core.policy.decide import Context, decide
from bot.core.policy.decision import Decision, Demand, Effect, Need
from bot.core.policy.rules import Grant, Group, Match, Policy, Rule
from bot.core.policy.text import code_sha256
from bot.core.snapshot import CodeBlock, Snapshot

CHANNEL = "slack:T1/C42"
NOW = 1_800_000_000.0
LANGUAGES = ("python", "bash", "javascript")
CODES = ("print(1)\n", "ls\n")
HASHES = tuple(code_sha256(code) for code in CODES)
LIMITS = ("*", "timeout *", "timeout 30 s", "timeout 60 s", "memory *", "memory 1024 MB")

unhurried = settings(deadline=None)
"""A machine under load is no counterexample."""


def demand(need: int = 1, *groups: str, **fields: Any) -> Demand:
    return Demand(needs=(Need(groups=groups or ("leads",), need=need),), **fields)


def policy(*rules: Rule, **fields: Any) -> Policy:
    return Policy(
        **{
            "default_approve": demand(),
            "approvers": {"leads": Group(web_roles=("lead",)), "sre": Group(users=("slack:U9",))},
            "profiles": {
                "offline": Grant(),
                "small": Grant(workspace="ro", timeout_s=5.0, memory_mb=128),
                "api": Grant(network=("a.example", "b.example")),
                "api-b": Grant(network=("b.example", "c.example"), workspace="none"),
            },
            "rule": rules,
            **fields,
        }
    )


def allow(*languages: str, **fields: Any) -> Rule:
    return Rule(**{"id": "allowing", "effect": Effect.ALLOW, "language": languages, "profile": "offline", **fields})


def exact(code: str, **fields: Any) -> Rule:
    return Rule(**{"id": "exact", "effect": Effect.ALLOW, "code_sha256": code_sha256(code), **fields})


def asking(*languages: str, **fields: Any) -> Rule:
    return Rule(**{"id": "asking", "effect": Effect.ASK, "language": languages, **fields})


def denying(*languages: str, **fields: Any) -> Rule:
    return Rule(**{"id": "denying", "effect": Effect.DENY, "language": languages, **fields})


def block(code: str = CODES[0], language: str = "python", **fields: Any) -> CodeBlock:
    return CodeBlock(language=language, code=code, **fields)


def snapshot(*blocks: CodeBlock, **fields: Any) -> Snapshot:
    return Snapshot(blocks=blocks or (block(),), **fields)


def context(**fields: Any) -> Context:
    return Context(**{"now": NOW, "channel": CHANNEL, "limits": ChannelLimits(), **fields})


def decided(of: Policy, *blocks: CodeBlock, where: Context | None = None, **asked: Any) -> Decision:
    return decide(snapshot(*blocks, **asked), of, where or context())


# ---- strategies

languages = st.lists(st.sampled_from((*LANGUAGES, "*")), max_size=2).map(tuple)
limit_patterns = st.lists(st.sampled_from(LIMITS), max_size=2).map(tuple)
hashes = st.none() | st.sampled_from(HASHES)
ids = st.uuids().map(lambda each: f"r-{each.hex[:12]}")
demands = st.builds(
    demand,
    st.integers(1, 3),
    st.sampled_from(("leads", "sre")),
    not_requester=st.booleans(),
    within_s=st.sampled_from((60.0, 3600.0)),
    reason=st.booleans(),
    deny_need=st.integers(1, 2),
)


@st.composite
def allow_rules(draw: st.DrawFn) -> Rule:
    code = draw(hashes)
    named = draw(languages)
    if code is None:
        named = named or ("python",)
        profile: str | None = draw(st.sampled_from(("offline", "small")))
    else:
        profile = draw(st.sampled_from((None, "offline", "small", "api", "api-b")))
    return Rule(
        id=draw(ids),
        effect=Effect.ALLOW,
        language=named,
        code_sha256=code,
        profile=profile,
        limit=draw(limit_patterns),
        scope=draw(st.sampled_from((None, CHANNEL, "slack:T1/other"))),
        max_uses=draw(st.sampled_from((None, 1))),
        uses=draw(st.integers(0, 2)),
    )


@st.composite
def strict_rules(draw: st.DrawFn) -> Rule:
    """Ask or deny."""
    match = draw(st.none() | st.builds(Match, language=languages, limit=limit_patterns))
    if match is not None and not (match.language or match.limit):
        match = None
    code = draw(hashes)
    effect = draw(st.sampled_from((Effect.ASK, Effect.DENY)))
    asks = effect is Effect.ASK
    named = draw(languages)
    return Rule(
        id=draw(ids),
        effect=effect,
        language=named if named or match or code else ("python",),
        code_sha256=code,
        match=match,
        approve=draw(st.none() | demands) if asks else None,
        always=draw(st.booleans()) if asks else False,
        scope=draw(st.sampled_from((None, CHANNEL, "slack:T1/other"))),
    )


policies = st.builds(
    lambda rules, default, who: policy(*rules, default=default, default_approve=who),
    st.lists(allow_rules() | strict_rules(), max_size=5, unique_by=lambda rule: rule.id),
    st.sampled_from(("ask", "ask", "deny")),
    demands,
)
blocks = st.builds(block, st.sampled_from((*CODES, "x = 1\n", "a\u202eb\n")), st.sampled_from(LANGUAGES))
snapshots = st.builds(
    lambda some, timeout, memory: Snapshot(blocks=tuple(some), timeout_s=timeout, memory_mb=memory),
    st.lists(blocks, min_size=1, max_size=3),
    st.sampled_from((None, None, 3.0, 10.0, 30.0, 60.0, 601.0)),
    st.sampled_from((None, None, 64, 1024, 2048, 5000)),
)
