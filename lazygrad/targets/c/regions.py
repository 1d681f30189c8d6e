"""What a stored value occupies of the plan's memories."""

from __future__ import annotations

from dataclasses import dataclass

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
