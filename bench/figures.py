"""Samples and what is printed of them."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One case: for each contender its samples in `unit`, in the order of the columns; None where it cannot do it."""

    case: str
    unit: str
    samples: tuple[Sequence[float] | None, ...]


def median(samples: Sequence[float]) -> float:
    return statistics.median(samples)


def p95(samples: Sequence[float]) -> float:
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))]


def table(columns: Sequence[str], rows: Sequence[Row]) -> str:
    """Medians (and p95 where there are enough samples), then how many times the first column each other one takes."""
    head = ["case", *columns, *(f"{name} ÷ {columns[0]}" for name in columns[1:])]
    lines = [head, *(_cells(row) for row in rows)]
    widths = [max(len(line[n]) for line in lines) for n in range(len(head))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)


def _cells(row: Row) -> list[str]:
    ours = row.samples[0]
    ratios = [
        "–" if ours is None or other is None or median(ours) <= 0 else f"{median(other) / median(ours):.1f} ×"
        for other in row.samples[1:]
    ]
    return [row.case, *(_shown(samples, row.unit) for samples in row.samples), *ratios]


def _shown(samples: Sequence[float] | None, unit: str) -> str:
    if samples is None:
        return "–"
    if len(samples) < 20:
        return f"{median(samples):.4g} {unit}"
    return f"{median(samples):.4g} (p95 {p95(samples):.4g}) {unit}"
