"""An approval is for exactly this: any other bytes, place, person, sandbox or policy is another binding."""

import math
from typing import Any

import pytest

from bot.core.binding import binding
from bot.core.canonical import canonical, sha256_of, sha256_of_list, sha256_of_text
from bot.core.policy.decision import Decision, Effect, Profile
from bot.core.reports import FileRef
from bot.core.snapshot import CodeBlock, Snapshot

BLOCK = CodeBlock(language="python", code="print(1)\n", filename="a.py", args=("x",), stdin="in")
SNAPSHOT = Snapshot(blocks=(BLOCK,), files=(FileRef(name="f", sha256="0" * 64, bytes=1),), timeout_s=10.0, memory_mb=64)
DECISION = Decision(effect=Effect.ASK, revision="r", code_sha256="c")


def bound(
    snapshot: Snapshot = SNAPSHOT,
    decision: Decision = DECISION,
    requester: str = "slack:U1",
    channel: str = "slack:T1/C1",
    image: str = "sha256:i",
) -> str:
    return binding(snapshot, requester, channel, image, decision)


def with_block(**fields: Any) -> Snapshot:
    return SNAPSHOT.model_copy(update={"blocks": (BLOCK.model_copy(update=fields),)})


def test_it_is_stable() -> None:
    assert bound() == bound()
    assert bound() == "1bf37de43dcfe22f077617eeceefb99282389e2c25a63656941e416c0fb42344"


@pytest.mark.parametrize(
    "snapshot",
    [
        with_block(code="print(2)\n"),
        with_block(code="print(1)\r\n"),
        with_block(language="sh"),
        with_block(filename="b.py"),
        with_block(filename=None),
        with_block(args=()),
        with_block(args=("x", "")),
        with_block(stdin="other"),
        with_block(stdin=""),
        with_block(stdin=None),
        SNAPSHOT.model_copy(update={"blocks": (BLOCK, BLOCK)}),
        SNAPSHOT.model_copy(update={"files": ()}),
        SNAPSHOT.model_copy(update={"files": (FileRef(name="g", sha256="0" * 64, bytes=1),)}),
        SNAPSHOT.model_copy(update={"files": (FileRef(name="f", sha256="1" * 64, bytes=1),)}),
        SNAPSHOT.model_copy(update={"timeout_s": 11.0}),
        SNAPSHOT.model_copy(update={"timeout_s": None}),
        SNAPSHOT.model_copy(update={"memory_mb": 65}),
    ],
)
def test_whatever_would_run_is_bound(snapshot: Snapshot) -> None:
    assert bound(snapshot) != bound()


def test_where_and_for_whom_is_bound() -> None:
    assert bound() not in {bound(requester="slack:U2"), bound(channel="slack:T2/C1"), bound(image="sha256:j")}


def test_profile_and_policy_are_bound_and_the_wording_is_not() -> None:
    for field in ({"revision": "s"}, {"profile": Profile(workspace="ro")}, {"profile": Profile(network=("a",))}):
        assert bound(decision=DECISION.model_copy(update=field)) != bound()
    assert bound(decision=DECISION.model_copy(update={"reasons": ("x",)})) == bound()


def test_anything_can_be_bound() -> None:
    odd = with_block(code="\ud800", stdin="\udfff", args=("\ud800",)).model_copy(update={"timeout_s": math.nan})
    assert len(bound(odd)) == 64


def test_canonical_json() -> None:
    assert canonical({"b": [1, 1.5, None, True], "a": "é\n"}) == '{"a":"\\u00e9\\n","b":[1,1.5,null,true]}'
    assert sha256_of({"a": 1, "b": 2}) == sha256_of({"b": 2, "a": 1})
    with pytest.raises(ValueError, match="JSON"):
        canonical(math.inf)


def test_no_text_has_the_hash_of_a_list() -> None:
    assert sha256_of([1]) == sha256_of_text("[1]")
    assert sha256_of_list([1]) != sha256_of_text("[1]")
