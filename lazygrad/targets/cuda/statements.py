"""What a thread does at one element: where it keeps values, and which member of a team writes."""

from __future__ import annotations

from lazygrad.codegen.clike.places import Places
from lazygrad.codegen.clike.statements import Statements
from lazygrad.passes.fusion_legality import Span
from lazygrad.targets.cuda.facts import CudaFacts
from lazygrad.targets.cuda.nest import TILE, Team


class TeamPlaces(Places):
    """Packets and what a thread keeps lie in registers, totals of columns there or in the team's part of memory.

    Attributes:
        packed: loads of which the packet at hand has been read.
    """

    facts: CudaFacts

    def __init__(self, facts: CudaFacts) -> None:
        super().__init__(facts)
        self.packed: set[int] = set()

    def loaded(self, number: int) -> str:
        if number in self.facts.nest.turned:
            return f"turned{number}[threadIdx.x % {TILE}][line]"
        if number in self.facts.resident_loads:
            return f"row{number}[k].at[j]"
        return f"packet{number}.at[j]" if number in self.packed else super().loaded(number)

    def stored(self, position: int) -> str:
        return f"made{position}.at[j]" if self.facts.packs_store(position) else super().stored(position)

    def kept(self, value: int) -> str:
        return f"kept{value}[k * {self.facts.nest.width} + j]"

    def total(self, value: int) -> str:
        if self.facts.kernel.span_of(value) is not Span.COLUMN:
            return f"total{value}"
        if self.facts.keeps_total(value):
            return f"total{value}[k * {self.facts.nest.width} + j]"
        return f"total{value}[{self.facts.place_of(value)}]"


class TeamStatements(Statements):
    """What belongs to a whole unit is written by the first of its members."""

    facts: CudaFacts

    def report_refusals(self) -> None:
        if self.refuses:
            self.out.add("if (has_refused)", "    atomicOr(refused, 1);")

    def store(self, value: int) -> None:
        nest = self.facts.nest
        is_alone = nest.team in (Team.GRID, Team.TILES) or (nest.members == 1 and nest.team is not Team.ACROSS)
        if self.kernel.span_of(value) is Span.FULL or is_alone:
            super().store(value)
            return
        if any(store.value == value for store in self.kernel.stores):
            with self.out.block("if (is_writer)"):
                super().store(value)
