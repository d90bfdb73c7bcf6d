"""Values that stores are tried with."""

from bot.core.effects import Effect
from bot.core.keys import ChannelKey
from bot.core.policy.decision import Decision
from bot.core.policy.decision import Effect as Ruling
from bot.core.snapshot import CodeBlock, Snapshot
from bot.core.state import Answer, ChannelState, Request, Status, Verdict, Vote
from bot.ports import Commit

CHANNEL = ChannelKey("web", "local", "general")
OTHER = ChannelKey("web", "local", "data")
AT = 1_700_000_000.0


def request(request_id: str, status: Status = Status.WAITING, source: str = "m1", **changes: object) -> Request:
    return Request(
        id=request_id,
        source=source,
        requester="web:ana",
        requester_name="ana",
        thread=None,
        snapshot=Snapshot(blocks=(CodeBlock(language="python", code="print('😀 é \\udc80 \0')\n"),)),
        decision=Decision(effect=Ruling.ASK, revision="0" * 64, code_sha256="1" * 64),
        binding="2" * 64,
        status=status,
        answer=Answer(key=f"a-{request_id}", reply_to=source),
        created_at=AT,
    ).model_copy(update=changes)


def vote(voter: str, verdict: Verdict = Verdict.APPROVE) -> Vote:
    return Vote(voter=voter, name=voter, verdict=verdict, groups=("leads",), at=AT, revision="0" * 64)


def state(*requests: Request, channel: ChannelKey = CHANNEL) -> ChannelState:
    return ChannelState(channel=str(channel), requests=requests, next_number=len(requests) + 1)


def commit(
    base: int,
    event_id: str,
    *requests: Request,
    effects: tuple[Effect, ...] = (),
    settles: tuple[int, ...] = (),
    channel: ChannelKey = CHANNEL,
    at: float = AT,
    touched: tuple[Request, ...] | None = None,
) -> Commit:
    """A step to a state of these requests, all of which it touched if `touched` does not say otherwise."""
    return Commit(
        channel=channel,
        base_version=base,
        state=state(*requests, channel=channel),
        event_id=event_id,
        at=at,
        effects=effects,
        requests=requests if touched is None else touched,
        settles=settles,
    )
