"""What a decision costs, without any sandbox."""

import time
from pathlib import Path

from bot.core.config import ChannelLimits
from bot.core.policy.decide import Context, decide
from bot.core.policy.load import parse_policy
from bot.core.snapshot import CodeBlock, Snapshot


def decision_times_ms(rounds: int = 200) -> list[float]:
    path = Path(__file__).parent.parent / "config" / "policies" / "team.toml"
    policy = parse_policy(path.read_text(), "team")
    code = "".join(f"value_{n} = sum(range({n}))  # line {n}\n" for n in range(100))
    snapshot = Snapshot(blocks=(CodeBlock(language="python", code=code),))
    context = Context(now=0.0, channel="web:local/general", limits=ChannelLimits())
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        decide(snapshot, policy, context)
        times.append((time.perf_counter() - began) * 1000)
    return times
