"""What `compare` found, as text, HTML, CSV and a picture."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from lazygrad.inspect.comparing.differences import Difference, largest
from lazygrad.inspect.comparing.roofline import Roofline
from lazygrad.inspect.costs import Cost
from lazygrad.inspect.tables import Cell, html_table, text_table
from lazygrad.inspect.timing import BUSY, Timing, ratio

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_HEAD = (
    "group", "from", "side", "kernels", "calls", "passes", "bytes", "FLOPs", "ms", "ms low", "ms high", "GB/s",
    "% of roofline", "max |Δ|", "ulp",
)  # fmt: skip
_SHARE = "% of roofline"


@dataclass(frozen=True, slots=True)
class Side:
    """One way of running the program.

    Attributes:
        name: what it is called.
        target: the backend that ran.
        cost: what its steps do.
        timing: of the whole program, without clocks between its steps.
    """

    name: str
    target: str
    cost: Cost
    timing: Timing


@dataclass(frozen=True, slots=True)
class Part:
    """What one side does of a row; ``timing`` is None where an earlier row has it, or nothing is left to do."""

    cost: Cost
    timing: Timing | None


@dataclass(frozen=True, slots=True)
class Row:
    """A group of the first side, and what the others do instead.

    Attributes:
        label: its operations.
        place: the user's line that most of them come from.
        parts: by side.
        differences: by further side, how far what it stores is from that of the first; empty if results are equal.
    """

    label: str
    place: str
    parts: tuple[Part, ...]
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """The result of `compare`; prints as a table.

    Attributes:
        sides: the ways of running, the first of which the others are compared with.
        rows: group by group; empty where the sides do not compute the same primitives, or not on one device.
        differences: by further side, how far its results are from those of the first; None if they do not match.
        interference: the part of all processors that other programs used meanwhile; None if the system does not say.
        limits: what the machine can do at best.
    """

    sides: tuple[Side, ...]
    rows: tuple[Row, ...]
    differences: tuple[Difference | None, ...]
    interference: float | None
    limits: Roofline

    def __getitem__(self, name: str) -> Side:
        return {side.name: side for side in self.sides}[name]

    @property
    def speedup(self) -> float:
        """The median of the last side's times over the first's, round by round."""
        return ratio(self.sides[-1].timing, self.sides[0].timing).value

    @property
    def max_difference(self) -> float:
        """The largest absolute difference between the results."""
        return largest([each for each in self.differences if each is not None]).absolute

    def verdicts(self) -> list[str]:
        """In words: which side is faster, and how far the results are apart."""
        first, lines = self.sides[0], []
        for side, apart in zip(self.sides[1:], self.differences, strict=True):
            found = ratio(side.timing, first.timing)
            bounds = f"95 %: {found.low:.2f} to {found.high:.2f}" if found.low else "fewer than six rounds"
            if found.is_distinguishable:
                lines.append(f"{side.name} takes {found.value:.2f} times as long as {first.name} ({bounds})")
            else:
                lines.append(f"{side.name} and {first.name}: not distinguishable, {found.value:.2f} times ({bounds})")
            lines.append(f"max |Δ| {apart}" if apart is not None else "their results have other shapes or dtypes")
        shares = [share for record in self.records() if isinstance(share := record[_SHARE], float)]
        if max(shares, default=0.0) > 100:
            lines.append("above 100 % of the roofline: what is read or written lies in a cache")
        if self.interference is not None and self.interference > BUSY:
            share = round(100 * self.interference)
            lines.append(f"busy machine: other programs used {share} % of the processors, so the times say little")
        return lines

    def records(self) -> Iterator[dict[str, Cell]]:
        """The table: for each group and for the total, a record of each side."""
        for row in self.rows:
            apart = (None, *(row.differences or [None] * (len(self.sides) - 1)))
            for side, part, delta in zip(self.sides, row.parts, apart, strict=True):
                yield self._record(row.label, row.place, side, part.cost, part.timing, delta)
        for side, delta in zip(self.sides, (None, *self.differences), strict=True):
            yield self._record("total", "", side, side.cost, side.timing, delta)

    def _record(
        self, label: str, place: str, side: Side, cost: Cost, timing: Timing | None, delta: Difference | None
    ) -> dict[str, Cell]:
        numbers: list[Cell] = [cost.kernels, cost.library_calls, cost.passes, cost.bytes]
        numbers.append(cost.flops if cost.counts_all else f"≥ {cost.flops:,}")
        if timing is not None and timing.median > 0:
            milliseconds = timing.median
            least = self.limits.milliseconds(cost.bytes, cost.flops)
            numbers += [milliseconds, *timing.spread, cost.bytes / milliseconds / 1e6, 100 * least / milliseconds]
        else:
            numbers += [None] * 5
        numbers += [None, None] if delta is None else [delta.absolute, delta.ulp]
        return dict(zip(_HEAD, (label, place, side.name, *numbers), strict=True))

    def __str__(self) -> str:
        ran = ", ".join(f"{side.name} on {side.target}" for side in self.sides)
        rounds = len(self.sides[0].timing.milliseconds)
        title = f"{ran}; {rounds} rounds in turn; this machine: {self.limits}"
        return "\n".join([title, *text_table(_without_repeats(self.records())), *self.verdicts()])

    __repr__ = __str__

    def to_html(self) -> str:
        """The table and what is said about it, as a piece of HTML."""
        said = "".join(f"<p>{escape(line)}</p>" for line in self.verdicts())
        return html_table(self.records()) + said

    _repr_html_ = to_html

    def to_csv(self, path: str | Path | None = None) -> str:
        """The table as CSV, with plain numbers; written to ``path`` if there is one."""
        text = io.StringIO()
        writer = csv.DictWriter(text, _HEAD, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.records())
        if path is not None:
            Path(path).write_text(text.getvalue(), encoding="utf-8")
        return text.getvalue()

    def figure(self) -> Figure:
        """The times of groups and total as bars, with their quartiles; needs matplotlib.

        Raises:
            ImportError: matplotlib is not installed.
        """
        from matplotlib.figure import Figure  # not needed for anything else

        parts: Sequence[tuple[str, Sequence[Timing | None]]] = [
            *[(f"{row.label}\n{row.place}", [part.timing for part in row.parts]) for row in self.rows],
            ("total", [side.timing for side in self.sides]),
        ]
        figure = Figure(figsize=(8, 1 + 0.3 * len(parts) * len(self.sides)), layout="constrained")
        axes = figure.subplots()
        thickness = 0.8 / len(self.sides)
        for number, side in enumerate(self.sides):
            drawn = [(place, each[number]) for place, (_, each) in enumerate(parts)]
            known = [(place, timing) for place, timing in drawn if timing is not None]
            spans = [(timing.median - timing.spread[0], timing.spread[1] - timing.median) for _, timing in known]
            axes.barh(
                [place + number * thickness for place, _ in known],
                [timing.median for _, timing in known],
                thickness,
                xerr=list(zip(*spans, strict=True)),
                label=f"{side.name} on {side.target}",
            )
        axes.set_yticks([place + 0.4 - thickness / 2 for place in range(len(parts))], [label for label, _ in parts])
        axes.invert_yaxis()
        axes.set_xlabel("ms")
        axes.legend()
        return figure


def _without_repeats(records: Iterator[dict[str, Cell]]) -> Iterator[dict[str, Cell]]:
    """What a group is called stands in its first line only."""
    last: tuple[Cell, Cell] | None = None
    for record in records:
        name = record["group"], record["from"]
        yield record if name != last else record | {"group": "", "from": ""}
        last = name
