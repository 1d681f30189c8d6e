"""Tables of measured times: a row for each label below, a column for each description."""

from __future__ import annotations

import builtins
import math
from collections.abc import Iterable, Sequence
from enum import Enum

from lazygrad.utils.benchmark.utils.common import (
    Measurement,
    ordered_unique,
    select_unit,
    trim_sigfig,
    unit_to_english,
)

__all__ = ["Colorize", "Compare"]

_BOLD, _END = "\033[1m", "\033[0m"
_BEST, _GOOD, _BAD, _VERY_BAD = "\033[92m", "\033[34m", "\033[2m\033[91m", "\033[31m"
_BETWEEN = "  |  "

_Row = Sequence[Measurement | None]


class Colorize(Enum):
    """What the colours of a table compare a time with: nothing, its column, or its row."""

    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


class Compare:
    """A table of measurements, one below the other for each label: ``str`` of it, or `print`.

    Args:
        results: what `Timer` returned; measurements of the same task are merged.

    Raises:
        ValueError: something that is no `Measurement`.
    """

    def __init__(self, results: Iterable[Measurement]) -> None:
        self._results: list[Measurement] = []
        self._trims = self._warns = False
        self._colorize = Colorize.NONE
        self.extend_results(results)

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """Adds measurements. ValueError: something that is none."""
        results = list(results)
        for result in results:
            if not isinstance(result, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(result)} instead.")
        self._results += results

    def trim_significant_figures(self) -> None:
        """Have the table show no more figures than the measurements support."""
        self._trims = True

    def colorize(self, rowwise: bool = False) -> None:
        """Have the table show in colours which times are good or bad in their column, or in their row."""
        self._colorize = Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE

    def highlight_warnings(self) -> None:
        """Have the table say how far doubtful measurements spread."""
        self._warns = True

    def print(self) -> None:
        """Prints the table."""
        builtins.print(str(self))

    def __str__(self) -> str:
        groups: dict[str | None, list[Measurement]] = {}
        for result in Measurement.merge(self._results):
            groups.setdefault(result.label, []).append(result)
        return "\n".join(
            _Table(group, self._colorize, self._trims, self._warns).text(label) for label, group in groups.items()
        )


class _Table:
    """The measurements of one label."""

    def __init__(self, results: Sequence[Measurement], colorize: Colorize, trims: bool, warns: bool) -> None:
        self._results, self._colorize, self._trims, self._warns = results, colorize, trims, warns
        self._unit, self._scale = select_unit(min(result.median for result in results))
        found = {(_row_key(result), result.description): result for result in results}
        self._columns = ordered_unique(result.description for result in results)
        keys = sorted(ordered_unique(map(_row_key, results)), key=lambda key: key[:2])
        self._rows: dict[tuple[int, str, str], _Row] = {
            key: [found.get((key, column)) for column in self._columns] for key in keys
        }

    def text(self, label: str | None) -> str:
        cells = [self._column(number) for number in range(len(self._columns))]
        texts = [["", *(column or "" for column in self._columns)]]
        texts += [[name, *row] for name, *row in zip(self._names(), *cells, strict=True)]
        widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
        lines = [_BETWEEN.join(text.center(width) for text, width in zip(texts[0], widths, strict=True))]
        length, threads = len(lines[0]), None
        for (key, row), (name, *values) in zip(self._rows.items(), texts[1:], strict=True):
            if key[0] != threads:
                threads = key[0]
                lines.append(f"{threads} threads: ".ljust(length, "-"))
            padded = [value.center(width) for value, width in zip(values, widths[1:], strict=True)]
            lines.append(_BETWEEN.join([name.ljust(widths[0]), *self._coloured(threads, row, padded)]))
        title = f" {label or ''} ".center(length - 2, "-")
        note = "(! XX%) Measurement has high variance, where XX is the IQR / median * 100.\n"
        ending = note if self._warns and any(result.has_warnings for result in self._results) else ""
        body = "\n".join(lines)
        return f"[{title}]\n{body}\n\nTimes are in {unit_to_english(self._unit)}s ({self._unit}).\n{ending}"

    def _names(self) -> list[str]:
        """What stands at the beginning of each row; surroundings only where they change, and if they differ at all."""
        surroundings = {env for _, env, _ in self._rows}
        width = 4 + (max(map(len, surroundings)) if len(surroundings) > 1 else 0)
        names, before = [], None
        for threads, env, name in self._rows:
            shown = f"({env})" if len(surroundings) > 1 and before != (threads, env) else ""
            names.append(f"  {shown.ljust(width)}{name}")
            before = threads, env
        return names

    def _column(self, number: int) -> list[str]:
        """The times of one column, all of the same length."""
        results = [row[number] for row in self._rows.values()]
        there = [result for result in results if result is not None]
        digits = [math.ceil(math.log10(result.median / self._scale)) for result in there]
        supported = [max(result.significant_figures - d, 0) for result, d in zip(there, digits, strict=True)]
        decimals = min(supported) if self._trims else 1
        length = max(digits) + decimals + (1 if decimals else 0)
        spread = 7 if self._warns and any(result.has_warnings for result in there) else 0

        def text(result: Measurement | None) -> str:
            if result is None:
                return " " * len(f"{1:{length}.{decimals}f}{'':{spread}}")
            value = result.median / self._scale
            if self._trims:
                value = trim_sigfig(value, result.significant_figures)
            warning = f" (! {result.iqr / result.median * 100:.0f}%)" if spread and result.has_warnings else ""
            return f"{value:{length}.{decimals}f}{warning:>{spread or ''}}"

        return list(map(text, results))

    def _coloured(self, threads: int, row: _Row, texts: Sequence[str]) -> list[str]:
        if self._colorize is Colorize.NONE:
            return list(texts)
        best = [_best(row)] * len(row)
        if self._colorize is Colorize.COLUMNWISE:
            group = [each for key, each in self._rows.items() if key[0] == threads]
            best = [_best(column) for column in zip(*group, strict=True)]
        return [
            text if result is None else _colour(text, result.median, least)
            for text, result, least in zip(texts, row, best, strict=True)
        ]


def _row_key(result: Measurement) -> tuple[int, str, str]:
    return result.num_threads, str(result.env), result.as_row_name


def _best(results: _Row) -> float:
    return min((result.median for result in results if result is not None), default=math.inf)


def _colour(text: str, value: float, best: float) -> str:
    if value <= max(best * 1.01, best + 100e-9):
        return _BEST + _BOLD + text + _END * 2
    if value <= best * 1.1:
        return _GOOD + _BOLD + text + _END * 2
    if value >= best * 5:
        return _VERY_BAD + _BOLD + text + _END * 2
    return _BAD + text + _END * 2 if value >= best * 2 else text
