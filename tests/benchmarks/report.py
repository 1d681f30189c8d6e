"""Measurements as markdown tables."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from tests.benchmarks.machine import Roofline
from tests.benchmarks.measurement import Measurement, Samples

DISTURBED = 0.05
PROBLEM_LENGTH = 120

EXPLANATION = """\
Written by `python -m tests.benchmarks --write docs/benchmarks.md`.

Every contender runs in processes of its own ({processes} each, {threads} threads), all of a case in turn ({rounds}
rounds per process), after their outputs were found equal to torch's. A value is the median over processes of their
medians over rounds, the range that of the processes. A time includes everything a user waits for: recording, finding
the plan, computing. Where a program was measured as recorded anew and through `lazygrad.compile`, lazygrad's value is
the smaller. The ratio is the best peer's value over lazygrad's: above 1 lazygrad is ahead. The roofline is the least
time this machine needs to move the inputs, outputs and state of the work once, or to do its matrix products."""

RATIO_HEADER = """\
| work | lazygrad | best peer | ratio | to reach | | roofline | of it |
| --- | ---: | ---: | ---: | ---: | :-: | ---: | ---: |"""

DETAIL_HEADER = """\
| work | who | median | range | first call, s | ÷ lazygrad's |
| --- | --- | ---: | ---: | ---: | ---: |"""


def document(
    machine: str, roofline: Roofline, measurements: Iterable[Measurement], processes: int, rounds: int, threads: int
) -> str:
    """The whole page."""
    measured = list(measurements)
    explanation = EXPLANATION.format(processes=processes, rounds=rounds, threads=threads)
    rows = [ratio_row(measurement, roofline) for measurement in measured]
    details = [row for measurement in measured for row in detail_rows(measurement)]
    parts = [
        "# Benchmarks",
        explanation,
        f"Machine: {machine}; {roofline}.",
        "\n".join([RATIO_HEADER, *rows]),
        "## Every contender",
        "\n".join([DETAIL_HEADER, *details]),
    ]
    return "\n\n".join(parts) + "\n"


def ratio_row(measurement: Measurement, roofline: Roofline) -> str:
    """lazygrad beside the best peer."""
    ours, best = measurement.ours, measurement.best_peer
    cells = [
        _title(measurement),
        _value_and_range(ours, measurement.unit),
        f"{best.contender.label} {_value(best.median, measurement.unit)}" if best is not None else "",
        f"{measurement.ratio:.2f}" if measurement.ratio is not None else "",
        _to_reach(measurement),
        {None: "", True: "✓", False: "✗"}[measurement.reached],
        *_roofline_cells(measurement, roofline),
    ]
    return f"| {' | '.join(cells)} |"


def detail_rows(measurement: Measurement) -> list[str]:
    """One row per contender."""
    ours = measurement.ours
    rows = []
    for samples in measurement.samples:
        title = measurement.title if samples is measurement.samples[0] else ""
        name = samples.contender.label
        if not samples.values:
            rows.append(f"| {title} | {name} | {_in_short(samples.problem)} | | | |")
            continue
        low, high = samples.range
        spread = f"{_number(low)}–{_number(high)}"
        first = f"{median(samples.first_calls):.2f}" if samples.first_calls else ""
        ratio = f"{samples.median / ours.median:.2f}" if ours.values and samples is not ours else ""
        rows.append(f"| {title} | {name} | {_value(samples.median, measurement.unit)} | {spread} | {first} | {ratio} |")
    return rows


def _title(measurement: Measurement) -> str:
    share = measurement.interference
    if share is None or share < DISTURBED:
        return measurement.title
    return f"{measurement.title} (disturbed: other programs used {share:.0%} of the processors)"


def _to_reach(measurement: Measurement) -> str:
    if measurement.limit is not None:
        return f"≤ {measurement.limit:g} {measurement.unit}"
    return f"≥ {measurement.target:g}" if measurement.target is not None else ""


def _roofline_cells(measurement: Measurement, roofline: Roofline) -> tuple[str, str]:
    if measurement.work is None:
        return "", ""
    least = roofline.milliseconds(measurement.work)
    share = f"{least / measurement.ours.median:.0%}" if measurement.ours.values else ""
    return _value(least, measurement.unit), share


def _value_and_range(samples: Samples, unit: str) -> str:
    if not samples.values:
        return _in_short(samples.problem)
    low, high = samples.range
    return f"{_value(samples.median, unit)} ({_number(low)}–{_number(high)})"


def _value(value: float, unit: str) -> str:
    return f"{_number(value)} {unit}"


def _number(value: float) -> str:
    """Three digits, none of them lost to an exponent."""
    decimals = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3 if value >= 0.1 else 4
    return f"{value:.{decimals}f}"


def _in_short(problem: str | None) -> str:
    """The last line of a problem, which in a traceback names the error."""
    lines = (problem or "not measured").strip().splitlines()
    return lines[-1][:PROBLEM_LENGTH].replace("|", "/")
