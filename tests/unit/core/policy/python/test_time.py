"""Time to decide: a page of code, and the worst 16 KiB that anybody thought of."""

import statistics
import time
from collections.abc import Callable

import pytest

from bot.core.limits import BLOCK_BYTES
from bot.core.policy.python import facts_of
from tests.unit.core.policy.python.preset import runs

PAGE = (
    """\
import csv
import io
import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from statistics import mean


@dataclass
class Order:
    customer: str
    amount: float
    tags: list[str] = field(default_factory=list)

    def label(self):
        return f"{self.customer:<10}|{self.amount:>8.2f}"


def read(text):
    rows = csv.DictReader(io.StringIO(text))
    return [Order(row["customer"], float(row["amount"]), row["tags"].split()) for row in rows]


def by_customer(orders):
    totals = defaultdict(float)
    for order in orders:
        totals[order.customer] += order.amount
    return dict(sorted(totals.items(), key=lambda pair: -pair[1]))

"""
    + "".join(
        f"""
def report_{n}(orders):
    try:
        most = Counter(tag for order in orders for tag in order.tags).most_common({n + 1})
    except ValueError as error:
        print("no tags:", error)
        return None
    if not orders:
        return {{}}
    return {{"mean": mean(order.amount for order in orders), "most": most, "n": {n}}}
"""
        for n in range(7)
    )
    + """
orders = read("customer,amount,tags\\nann,1.5,a b\\nbob,2.5,b\\n")
print(json.dumps(by_customer(orders)), report_1(orders))
"""
)

HOSTILE: dict[str, Callable[[int], str]] = {
    "brackets": lambda size: "(" * size,
    "balanced": lambda size: "[" * (size // 2) + "]" * (size // 2),
    "minus": lambda size: "x=" + "-" * size + "1",
    "attributes": lambda size: "x" + ".a" * (size // 2),
    "calls": lambda size: "f" + "()" * (size // 2),
    "additions": lambda size: "x=" + "1+" * (size // 2) + "1",
    "comparisons": lambda size: "x=" + "1<" * (size // 2) + "1",
    "elifs": lambda size: "if 1:\n p\n" + "elif 1:\n p\n" * (size // 11),
    "names": lambda size: ";".join(f"a{n}" for n in range(size // 6)),
    "digits": lambda size: "x=0x" + "f" * size,
    "text": lambda size: f"x={'a' * size!r}",
    "numbers": lambda size: "x=[" + "1," * (size // 2) + "]",
    "stars": lambda size: "f(" + "*a," * (size // 3) + ")",
    "dataclasses": lambda size: (
        "from dataclasses import dataclass\n"
        + "".join(f"@dataclass\nclass A{n}(A{n - 1}):pass\n" for n in range(size // 36))
    ),
    "two bases": lambda size: (
        "from dataclasses import dataclass\n"
        + "".join(f"class A{n}(A{n - 1},A{n - 2}):pass\n" for n in range(size // 40))
        + "@dataclass\nclass B(A99):pass"
    ),
    "patterns": lambda size: "class A:pass\nmatch x:\n" + " case A(1,2):pass\n" * (size // 19),
    "frames": lambda size: "import pandas\n" + "x.agg(f)\n" * (size // 10),
    "private": lambda size: "class A:\n def f(self):\n" + "  self._x=self._x\n" * (size // 20),
    "scopes": lambda size: "".join(" " * n + "def f(a=a):\n" for n in range(95)) + " " * 95 + "a",
    "fields": lambda size: "'" + "{a:" * (size // 3) + "'.format()",
    "annotations": lambda size: "x:'" + "(" * size + "'",
    "texts in texts": lambda size: "x: '\"a\"'\n" * (size // 10),
    "loops": lambda size: "x=" + "[a for a in " * 60 + "b" + "]" * 60,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_code_is_looked_at_in_bounded_time(name: str) -> None:
    code = HOSTILE[name](BLOCK_BYTES - 200)
    assert len(code) <= BLOCK_BYTES
    began = time.process_time()
    facts_of(code)
    assert time.process_time() - began < 3.0


def test_a_page_is_decided_about_quickly(capsys: pytest.CaptureFixture[str]) -> None:
    assert 90 <= PAGE.count("\n") <= 110
    assert runs(PAGE)
    times = []
    for _ in range(40):
        began = time.process_time()
        runs(PAGE)
        times.append((time.process_time() - began) * 1000)
    worst = 0.0
    for make in HOSTILE.values():
        began = time.process_time()
        facts_of(make(BLOCK_BYTES - 200))
        worst = max(worst, (time.process_time() - began) * 1000)
    p95 = sorted(times)[int(len(times) * 0.95)]
    with capsys.disabled():
        text = f"median {statistics.median(times):.1f} ms, p95 {p95:.1f} ms, worst hostile 16 KiB {worst:.0f} ms"
        print(f"\npython decision on {PAGE.count(chr(10))} lines: {text}")  # noqa: T201 (a figure)
    assert statistics.median(times) < 200
