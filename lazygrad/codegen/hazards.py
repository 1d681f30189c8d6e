"""Where threads have to meet: the barriers between the steps of a plan that a team of threads runs."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from dataclasses import dataclass, field

from lazygrad.ir.view import View


@dataclass(frozen=True, slots=True)
class Region:
    """Bytes of one of the plan's memories, for example of the arena.

    Attributes:
        owner: which memory.
        begin, end: the range they lie in.
        period, width: of a slice in strides, ``width`` bytes of every ``period`` from ``begin`` on; otherwise 0, and it
            is the whole range.
    """

    owner: tuple[str, int]
    begin: int = 0
    end: int = 1
    period: int = 0
    width: int = 0

    def overlaps(self, other: Region) -> bool:
        if self.owner != other.owner or self.begin >= other.end or other.begin >= self.end:
            return False
        if not self.period or self.period != other.period:
            return True
        ahead = (other.begin - self.begin) % self.period
        return ahead < self.width or self.period - ahead < other.width

    def part(self, view: View, itemsize: int) -> Region:
        """What a view of the values in a whole range takes of it."""
        runs: list[tuple[int, int]] = []  # (size, stride) of axes, neighbours merged
        for size, stride in zip(view.shape, view.strides, strict=True):
            if runs and runs[-1][1] == size * stride:
                runs[-1] = (runs[-1][0] * size, stride)
            elif size != 1:
                runs.append((size, stride))
        begin = self.begin + view.offset * itemsize
        end = begin + (sum([(size - 1) * stride for size, stride in runs]) + 1) * itemsize
        inner = runs.pop()[0] if runs and runs[-1][1] == 1 else 1
        if len(runs) != 1:
            return Region(self.owner, begin, end)
        return Region(self.owner, begin, end, runs[0][1] * itemsize, inner * itemsize)


@dataclass(slots=True)
class _Ranges:
    """A set of bytes as disjoint ranges in order, so that asking takes a search and not a walk."""

    begins: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def add(self, begin: int, end: int) -> None:
        first, last = bisect_left(self.ends, begin), bisect_right(self.begins, end)
        if first < last:
            begin, end = min(begin, self.begins[first]), max(end, self.ends[last - 1])
        self.begins[first:last], self.ends[first:last] = [begin], [end]

    def overlap(self, begin: int, end: int) -> bool:
        last = bisect_left(self.begins, end) - 1
        return last >= 0 and self.ends[last] > begin


@dataclass(slots=True)
class _Slices:
    """Slices of one period: the ranges of those that begin at the same place of the period and are equally wide."""

    period: int
    whole: _Ranges = field(default_factory=_Ranges)
    starts: list[int] = field(default_factory=list)
    ranges: dict[int, dict[int, _Ranges]] = field(default_factory=dict)
    widest: int = 0

    def add(self, region: Region) -> None:
        start = region.begin % self.period
        if start not in self.ranges:
            insort(self.starts, start)
            self.ranges[start] = {}
        self.ranges[start].setdefault(region.width, _Ranges()).add(region.begin, region.end)
        self.whole.add(region.begin, region.end)
        self.widest = max(self.widest, region.width)

    def overlap(self, region: Region) -> bool:
        if region.period != self.period:
            return self.whole.overlap(region.begin, region.end)
        start = region.begin % self.period
        return any(
            ranges.overlap(region.begin, region.end)
            for near in self._near(start, region.width)
            for width, ranges in self.ranges[near].items()
            if (near - start) % self.period < region.width or (start - near) % self.period < width
        )

    def _near(self, start: int, width: int) -> Iterator[int]:
        """Where slices start that may reach into ``width`` bytes from ``start`` on, also of the next period."""
        for shift in (-self.period, 0, self.period):
            first = bisect_left(self.starts, start + shift - self.widest + 1)
            yield from self.starts[first : bisect_left(self.starts, start + shift + width)]


@dataclass(slots=True)
class _Touched:
    """What steps touched of one of the plan's memories."""

    anything: _Ranges = field(default_factory=_Ranges)
    without_gaps: _Ranges = field(default_factory=_Ranges)
    slices: dict[int, _Slices] = field(default_factory=dict)

    def add(self, region: Region) -> None:
        self.anything.add(region.begin, region.end)
        if region.period:
            self.slices.setdefault(region.period, _Slices(region.period)).add(region)
        else:
            self.without_gaps.add(region.begin, region.end)

    def overlap(self, region: Region) -> bool:
        if not self.anything.overlap(region.begin, region.end):
            return False
        if not region.period or self.without_gaps.overlap(region.begin, region.end):
            return True
        return any(slices.overlap(region) for slices in self.slices.values())


@dataclass(slots=True)
class _Accesses:
    """Regions that steps touched since all threads met. Asking is as ``any(earlier.overlaps(region))``."""

    owners: dict[tuple[str, int], _Touched] = field(default_factory=dict)

    def add(self, regions: list[Region]) -> None:
        for region in regions:
            if region.begin < region.end:
                self.owners.setdefault(region.owner, _Touched()).add(region)

    def overlap(self, regions: list[Region]) -> bool:
        for region in regions:
            touched = self.owners.get(region.owner)
            if touched is not None and touched.overlap(region):
                return True
        return False


@dataclass(slots=True)
class _Steps:
    """What the steps of one kind read and wrote."""

    reads: _Accesses = field(default_factory=_Accesses)
    writes: _Accesses = field(default_factory=_Accesses)

    def conflict(self, reads: list[Region], writes: list[Region]) -> bool:
        return self.writes.overlap(reads) or self.writes.overlap(writes) or self.reads.overlap(writes)


class Barriers:
    """Decides step by step whether all threads must have finished what came before.

    Two steps need a barrier between them if one writes what the other touches and they are not both done by the first
    thread alone.
    """

    def __init__(self) -> None:
        self.passed()

    def before(self, reads: list[Region], writes: list[Region], serial: bool) -> bool:
        """Whether a barrier is needed before a step with these accesses; the step is taken into account."""
        needed = self._shared.conflict(reads, writes) or (not serial and self._serial.conflict(reads, writes))
        if needed:
            self.passed()
        steps = self._serial if serial else self._shared
        steps.reads.add(reads)
        steps.writes.add(writes)
        return needed

    def passed(self) -> None:
        """All threads have met."""
        self._shared, self._serial = _Steps(), _Steps()
