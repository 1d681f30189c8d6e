"""Measurements as markdown tables."""

from __future__ import annotations

from statistics import median

from tests.benchmarks.costs import Cost
from tests.benchmarks.harness import Measurement, ratios

DISTURBED = 0.05

TIMING_HEADER = """\
| benchmark | who | median ms | min–max | first call ms | × lazygrad's time |
| --- | --- | ---: | ---: | ---: | ---: |"""

COST_HEADER = """\
| cost | median | min–max | design allows |
| --- | ---: | ---: | ---: |"""


def timing_rows(measurement: Measurement) -> list[str]:
    """One row per contender; the first contender is what the others are compared with."""
    ours = measurement.timings[0]
    rows = []
    for timing in measurement.timings:
        title = _title(measurement) if timing is ours else ""
        if not timing.samples:
            rows.append(f"| {title} | {timing.name} | not installed | | | |")
            continue
        spread = f"{min(timing.samples):.3f}–{max(timing.samples):.3f}"
        ratio = "" if timing is ours else f"{median(ratios(ours, timing)):.2f}"
        rows.append(f"| {title} | {timing.name} | {timing.median:.3f} | {spread} | {timing.first:.1f} | {ratio} |")
    return rows


def _title(measurement: Measurement) -> str:
    share = measurement.interference
    if share is None or share < DISTURBED:
        return measurement.title
    return f"{measurement.title} (disturbed: other programs used {share:.0%} of the processors)"


def cost_row(cost: Cost) -> str:
    if not cost.samples:
        return f"| {cost.title} | not installed | | |"
    allowed = f"{cost.budget:g} {cost.unit}" if cost.budget is not None else ""
    spread = f"{min(cost.samples):.2f}–{max(cost.samples):.2f}"
    return f"| {cost.title} | {cost.median:.2f} {cost.unit} | {spread} | {allowed} |"
