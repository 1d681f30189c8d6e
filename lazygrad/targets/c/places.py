"""Where a C loop nest keeps what the statements inside it read and write."""

from __future__ import annotations

from lazygrad.codegen.clike.places import Places
from lazygrad.targets.c.facts import NestFacts
from lazygrad.targets.c.loops import STAGED_TILE


class NestPlaces(Places):
    """Turned loads lie in a tile's buffer, streamed outputs in a line, values of rows in lanes in small arrays.

    Attributes:
        facts: of the kernel.
        begin_of_line: where the part of the vectorized axis begins that the innermost loop walks.
    """

    facts: NestFacts

    def __init__(self, facts: NestFacts) -> None:
        super().__init__(facts)
        self.begin_of_line = "0"

    def loaded(self, number: int) -> str:
        nest = self.facts.nest
        if number not in nest.staged:
            return super().loaded(number)
        (across, _), _ = nest.tiles
        return f"turned{number}[(i{across} - first{across}) * {STAGED_TILE} + {self.facts.lane()}]"

    def stored(self, position: int) -> str:
        if position in self.facts.streamed:
            return f"line{position}[i{self.facts.vector} - {self.begin_of_line}]"
        return super().stored(position)

    def kept(self, value: int) -> str:
        if not self.facts.in_lanes:
            return super().kept(value)
        return f"kept{value}[({self.facts.place_in_row()}) * {self.facts.nest.tile} + {self.facts.lane()}]"

    def total(self, value: int) -> str:
        if value in self.facts.nest.split:
            return f"total{value}[{self.facts.place_of(value)}]"
        return f"total{value}[{self.facts.lane()}]" if self.facts.in_lanes else f"total{value}"

    def from_outside(self, value: int) -> str:
        return f"row{value}[{self.facts.lane()}]" if self.facts.in_lanes else super().from_outside(value)
