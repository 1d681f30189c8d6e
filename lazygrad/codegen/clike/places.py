"""Where the loops around a statement keep what it reads and writes."""

from __future__ import annotations

from lazygrad.codegen.clike.facts import KernelFacts


class Places:
    """The places of plain loops: arrays in memory, and variables. A nest that keeps some elsewhere overrides those."""

    def __init__(self, facts: KernelFacts) -> None:
        self.facts = facts

    def loaded(self, number: int) -> str:
        """The element at hand of a load, in memory."""
        load = self.facts.kernel.loads[number]
        return f"x{number}[{self.facts.index(load.sizes, load.strides, load.offset)}]"

    def stored(self, position: int) -> str:
        """Where the element at hand of an output is written."""
        return self.written(position)

    def written(self, position: int) -> str:
        """Where a later pass finds it."""
        return f"out{position}[{self.facts.place_in(position)}]"

    def kept(self, value: int) -> str:
        """The element at hand of a value that is kept between passes."""
        return f"kept{value}[{self.facts.place_in_row()}]"

    def total(self, value: int) -> str:
        """The running value of a reduction."""
        return f"total{value}"

    def from_outside(self, value: int) -> str:
        """A value that was computed by other statements than those that can see its name."""
        raise AssertionError(f"value {value} is read before it is known")
