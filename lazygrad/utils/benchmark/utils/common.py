"""Measured times, what was measured, and how numbers are written."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from statistics import fmean, pstdev
from typing import Any

from lazygrad.host.threads import get_num_threads, set_num_threads

__all__ = [
    "Measurement",
    "TaskSpec",
    "ordered_unique",
    "select_unit",
    "set_torch_threads",
    "trim_sigfig",
    "unit_to_english",
]

_UNITS = {"ns": ("nanosecond", 1e-9), "us": ("microsecond", 1e-6), "ms": ("millisecond", 1e-3), "s": ("second", 1.0)}
_DOUBTFUL, _VERY_DOUBTFUL = 0.1, 0.25  # of the median, that the middle half of the times spreads over
_MOST_FIGURES = 4
_FINEST = 25e-9  # seconds; no interval of confidence is taken to be narrower
_QUANTILE = 1.645  # of the normal distribution, for a two-sided confidence of 90 %


@dataclass(frozen=True)
class TaskSpec:
    """What a `Timer` measures, but for its globals.

    Attributes:
        stmt: the statement.
        setup: what runs once before it.
        global_setup: of C++ statements, which there are none of here.
        label, sub_label, description: names for tables: of the table, the row and the column.
        env: what distinguishes equal tasks that ran in different surroundings.
        num_threads: how many threads computed.
    """

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label, or the statement, with the label below it."""
        if self.label is None and "\n" in self.stmt:
            return f"stmt:{f' ({self.sub_label})' if self.sub_label else ''}\n{textwrap.indent(self.stmt, '  ')}"
        name = self.stmt if self.label is None else self.label
        return f"{name}: {self.sub_label}" if self.sub_label else name

    def setup_str(self) -> str:
        """The setup as text; nothing for none."""
        if self.setup in ("", "pass"):
            return ""
        return f"setup:\n{textwrap.indent(self.setup, '  ')}" if "\n" in self.setup else f"setup: {self.setup}"

    def summarize(self) -> str:
        """Title, description and setup, a line or paragraph each."""
        parts = (self.title, self.description or "", self.setup_str())
        return "\n".join(f"{part}\n" if "\n" in part else part for part in parts if part)


_TASK_FIELDS = frozenset(field.name for field in fields(TaskSpec))


@dataclass(repr=False)
class Measurement:
    """Times of one statement. What a `TaskSpec` has can be asked of it, too.

    Attributes:
        number_per_run: how often the statement was executed for each of the times.
        raw_times: in seconds.
        task_spec: what was measured.
        metadata: whatever the caller keeps with it.
    """

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = None

    def __getattr__(self, name: str) -> Any:
        if name in _TASK_FIELDS:
            return getattr(self.task_spec, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def times(self) -> list[float]:
        """Seconds of one execution, for each of the raw times."""
        return [time / self.number_per_run for time in self.raw_times]

    @property
    def median(self) -> float:
        return _quantile(sorted(self.times), 0.5)

    @property
    def mean(self) -> float:
        return fmean(self.times) if self.raw_times else -1.0

    @property
    def iqr(self) -> float:
        """The width of the middle half of the times."""
        times = sorted(self.times)
        return _quantile(times, 0.75) - _quantile(times, 0.25)

    @property
    def significant_figures(self) -> int:
        """How many figures of the median mean something, 1 to 4: estimated from the spread of the middle half."""
        times = sorted(self.times)
        middle = times[len(times) // 4 : math.ceil(3 * len(times) / 4)]
        interval = max(_QUANTILE * pstdev(middle) / math.sqrt(len(middle)), _FINEST)
        return min(max(math.floor(math.log10(self.median / interval)), 1), _MOST_FIGURES)

    @property
    def has_warnings(self) -> bool:
        """Whether the times spread so far that the measurement is doubtful."""
        return bool(self.raw_times) and not self.meets_confidence()

    def meets_confidence(self, threshold: float = _DOUBTFUL) -> bool:
        """Whether the middle half of the times spreads over less than ``threshold`` of the median."""
        return self.iqr / self.median < threshold

    @property
    def title(self) -> str:
        return self.task_spec.title

    @property
    def as_row_name(self) -> str:
        return self.sub_label or self.stmt or "[Unknown]"

    def __repr__(self) -> str:
        times, median = sorted(self.times), self.median
        unit, scale = select_unit(median)
        is_one = len(times) <= 1
        lines = [super().__repr__(), self.task_spec.summarize()]
        lines.append(f"  {'' if is_one else 'Median: '}{median / scale:.2f} {unit}")
        if len(times) >= 4:
            low, high = (_quantile(times, share) / scale for share in (0.25, 0.75))
            lines.append(f"  IQR:    {high - low:.2f} {unit} ({low:.2f} to {high:.2f})")
        threads = f"{self.num_threads} thread{'s' if self.num_threads > 1 else ''}"
        runs = f"{self.number_per_run} runs {',' if is_one else 'per measurement,'}"
        lines.append(f"  {len(times)} measurement{'' if is_one else 's'}, {runs} {threads}")
        if self.has_warnings:
            cause = "could indicate system fluctuation" if self.meets_confidence(_VERY_DOUBTFUL) else (
                "suggests significant environmental influence"
            )  # fmt: skip
            share = f"{self.iqr / median * 100:.1f}%"
            lines.append(f"  WARNING: Interquartile range is {share} of the median measurement.")
            lines.append(f"           This {cause}.")
        return "\n".join(lines)

    @staticmethod
    def merge(measurements: Iterable[Measurement]) -> list[Measurement]:
        """One measurement for each task, with the times of all its measurements, each of one execution."""
        times: dict[TaskSpec, list[float]] = {}
        for measurement in measurements:
            times.setdefault(measurement.task_spec, []).extend(measurement.times)
        return [Measurement(1, each, task) for task, each in times.items()]


def _quantile(ordered: list[float], share: float) -> float:
    """What ``share`` of the times lie below, linear between two of them; -1 of none."""
    if not ordered:
        return -1.0
    place = share * (len(ordered) - 1)
    low = ordered[math.floor(place)]
    return low + (ordered[math.ceil(place)] - low) * (place - math.floor(place))


def select_unit(t: float) -> tuple[str, float]:
    """The unit to write a time of ``t`` seconds in, and that unit in seconds."""
    thousands = math.floor(math.log10(t) / 3) if t > 0 else 0
    unit = {-3: "ns", -2: "us", -1: "ms"}.get(thousands, "s")
    return unit, _UNITS[unit][1]


def unit_to_english(u: str) -> str:
    """The name of a unit: "us" is "microsecond"."""
    return _UNITS[u][0]


def trim_sigfig(x: float, n: int) -> float:
    """``x`` rounded to ``n`` figures. AssertionError: ``n`` is no whole number."""
    if n != int(n):
        raise AssertionError("Number of significant figures must be an integer")
    scale = 10 ** (math.ceil(math.log10(abs(x))) - n)
    return float(round(x / scale) * scale)


def ordered_unique(elements: Iterable[Any]) -> list[Any]:
    """The elements in their order, without repetitions."""
    return list(dict.fromkeys(elements))


@contextmanager
def set_torch_threads(n: int) -> Iterator[None]:
    """Within this context ``n`` threads compute."""
    before = get_num_threads()
    try:
        set_num_threads(n)
        yield
    finally:
        set_num_threads(before)
