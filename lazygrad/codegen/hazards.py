"""Where threads have to meet: the barriers between the steps of a plan that a team of threads runs."""

from __future__ import annotations

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
class Barriers:
    """Decides step by step whether all threads must have finished what came before.

    Two steps need a barrier between them if one writes what the other touches and they are not both done by the first
    thread alone.
    """

    _reads: list[tuple[Region, bool]] = field(default_factory=list)
    _writes: list[tuple[Region, bool]] = field(default_factory=list)

    def before(self, reads: list[Region], writes: list[Region], serial: bool) -> bool:
        """Whether a barrier is needed before a step with these accesses; the step is taken into account."""
        needed = self._conflict(reads, self._writes, serial)
        needed = needed or self._conflict(writes, self._writes, serial) or self._conflict(writes, self._reads, serial)
        if needed:
            self.passed()
        self._reads += [(region, serial) for region in reads]
        self._writes += [(region, serial) for region in writes]
        return needed

    def passed(self) -> None:
        """All threads have met."""
        self._reads.clear()
        self._writes.clear()

    @staticmethod
    def _conflict(touched: list[Region], earlier: list[tuple[Region, bool]], serial: bool) -> bool:
        return any(
            region.overlaps(other) and not (serial and was_serial)
            for region in touched
            for other, was_serial in earlier
        )
