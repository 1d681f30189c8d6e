"""What a C kernel asks memory for ahead of its use."""

from __future__ import annotations

from math import prod

from lazygrad.codegen.clike.lines import Lines
from lazygrad.codegen.clike.passes import RowPass
from lazygrad.ir.view import contiguous_strides
from lazygrad.targets.c.facts import NestFacts
from lazygrad.targets.c.loops import LoopShape

_FURTHER_ON = 1 << 13  # bytes ahead of what is summed up
_STREAM = 1 << 20  # bytes that are unlikely to be in the cache
PREFETCH_BLOCK = 256  # elements between which the next row is asked for: few enough not to fill the fill buffers


class Fetching:
    """Renders prefetches: of the next row while one is computed, of what follows while much is summed up."""

    def __init__(self, facts: NestFacts, out: Lines) -> None:
        self.facts, self.kernel, self.nest, self.out = facts, facts.kernel, facts.nest, out

    def next_row(self, row_pass: RowPass) -> list[str]:
        """Statements that fetch a block of what the next unit reads first, while this one computes.

        In the second pass over a row, which reads nothing from memory, memory would be idle otherwise.
        """
        passes, vector = self.facts.passes.passes, self.facts.vector
        if self.nest.shape is not LoopShape.ROWS or self.nest.tiles or self.nest.middle or len(self.nest.units) != 1:
            return []
        if len(passes) < 2 or row_pass is not passes[1] or self.kernel.sizes[vector] < 2 * PREFETCH_BLOCK:
            return []
        (unit,) = self.nest.units
        statements = []
        for number, load in enumerate(self.kernel.loads):
            if load.strides[vector] == 1 and load.strides[unit] and passes[0].reads(number, self.kernel):
                names = [f"({name} + 1)" if axis == unit else "block" for axis, name in enumerate(self.facts.indices())]
                place = self.facts.index(load.sizes, load.strides, load.offset, names)
                statements.append(f"lg_prefetch(&x{number}[{place}], {PREFETCH_BLOCK * load.dtype.itemsize});")
        return statements

    def summed_streams(self, row_pass: RowPass, in_lanes: list[int]) -> list[int]:
        """The loads of a kernel that only sums up what it reads once, from one end of memory to the other."""
        only_reads = len(self.facts.passes.passes) == 1 and not row_pass.stores and not self.nest.middle
        if not only_reads or not in_lanes or self.facts.in_lanes:
            return []
        sizes, count = self.kernel.sizes, prod(self.kernel.sizes)
        return [
            number
            for number, load in enumerate(self.kernel.loads)
            if load.sizes == sizes and load.strides == contiguous_strides(sizes) and not load.inside
            and count * load.dtype.itemsize >= _STREAM
        ]  # fmt: skip

    def fetch_further_on(self, streams: list[int], begin: str, length: int) -> None:
        """Ask for as much as is summed up next, some way ahead: the processor by itself stops at every page."""
        for number in streams:
            load = self.kernel.loads[number]
            names = [begin if axis == self.facts.vector else name for axis, name in enumerate(self.facts.indices())]
            ahead = load.offset + _FURTHER_ON // load.dtype.itemsize
            place = self.facts.index(load.sizes, load.strides, ahead, names)
            self.out.add(f"lg_prefetch(&x{number}[{place}], {length * load.dtype.itemsize});")
