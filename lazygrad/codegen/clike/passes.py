"""The passes a kernel makes over a row, and which values it keeps from one pass to the next.

A reduction is known only after a pass over the whole row, so what depends on it waits for the next pass. A value that a
later pass needs again is read back if it was stored, kept in a small buffer if it was expensive, and otherwise computed
again from what the cache still holds.
"""

from __future__ import annotations

from dataclasses import dataclass

from lazygrad.codegen.kernel import Kernel
from lazygrad.passes.fusion_legality import Span


@dataclass(frozen=True, slots=True)
class RowPass:
    """One walk over a row.

    Attributes:
        computed: full values evaluated in it, in order.
        reductions: reductions it feeds, over the row or over columns.
        stores: positions in ``kernel.stores`` of the full values it writes.
        kept: values it leaves in a buffer for later passes.
        recalled: values of earlier passes it reads back.
        finished: row values known after it, in order: its reductions over the row and what follows from them.
    """

    computed: tuple[int, ...]
    reductions: tuple[int, ...]
    stores: tuple[int, ...]
    kept: tuple[int, ...]
    recalled: tuple[int, ...]
    finished: tuple[int, ...]

    def reads(self, load: int, kernel: Kernel) -> bool:
        """Whether it reads a load from memory."""
        return any(load in kernel.instruction(value).operands for value in (*self.computed, *self.reductions))


@dataclass(frozen=True, slots=True)
class PassPlan:
    """All passes of a kernel.

    Attributes:
        known: row values that need no pass.
        passes: in order.
    """

    known: tuple[int, ...]
    passes: tuple[RowPass, ...]

    def last_read(self, load: int, kernel: Kernel) -> int:
        """The number of the last pass that reads a load, -1 if none does."""
        reading = [number for number, row_pass in enumerate(self.passes) if row_pass.reads(load, kernel)]
        return reading[-1] if reading else -1

    def pass_of_store(self, position: int) -> int:
        """The number of the pass that writes an output; ``len(passes)`` where it is written after all of them."""
        for number, row_pass in enumerate(self.passes):
            if position in row_pass.stores:
                return number
        return len(self.passes)


def plan_passes(kernel: Kernel, kept_values: int, split: frozenset[int] = frozenset()) -> PassPlan:
    """The passes of ``kernel``.

    Args:
        kernel: the loop nest.
        kept_values: for how many values there is room in the memory that keeps them between passes.
        split: reductions that are finished only after all rows; nothing in the passes may read them.
    """
    return _Planner(kernel, kept_values, split).run()


class _Planner:
    def __init__(self, kernel: Kernel, kept_values: int, split: frozenset[int]) -> None:
        self.kernel, self.split, self.budget = kernel, split, kept_values
        self.stored = {store.value for store in kernel.stores}
        self.after_split = self._following(split)
        self.phase = self._phases()

    def run(self) -> PassPlan:
        full = [v for v in self.kernel.values if self.span(v) is Span.FULL and not self.kernel.is_reduction(v)]
        ends = [self.phase[v] for v in full if v in self.stored] + [self.input_phase(v) for v in self.reductions()]
        last = max(ends, default=-1)
        wanted: list[set[int]] = [set() for _ in range(last + 1)]  # full values a pass must evaluate
        recalled: list[set[int]] = [set() for _ in range(last + 1)]
        kept: set[int] = set()
        for number in range(last, -1, -1):
            sinks = [v for v in full if v in self.stored and self.phase[v] == number]
            sinks += [v for v in kept if self.phase[v] == number]
            sinks += [o for v in self.reductions() if self.input_phase(v) == number for o in self.operands(v)]
            self._demand(number, sinks, wanted[number], recalled[number], kept)
        passes = tuple(self._pass(number, wanted[number], recalled[number], kept) for number in range(last + 1))
        return PassPlan(tuple(self._row_values(0)), passes)

    def span(self, value: int) -> Span:
        return self.kernel.span_of(value)

    def operands(self, value: int) -> list[int]:
        """The instructions a value reads."""
        operands = self.kernel.instruction(value).operands
        return [o for o in operands if isinstance(o, int) and not self.kernel.is_load(o)]

    def reductions(self) -> list[int]:
        return [v for v in self.kernel.values if self.kernel.is_reduction(v)]

    def input_phase(self, value: int) -> int:
        return max((self.phase[o] for o in self.operands(value)), default=0)

    def _following(self, roots: frozenset[int]) -> set[int]:
        following = set(roots)
        for value in self.kernel.values:
            if any(o in following for o in self.operands(value)):
                following.add(value)
        return following

    def _phases(self) -> dict[int, int]:
        """The pass in which each value is first known; a row reduction is known to the next one."""
        self.phase = {}
        for value in self.kernel.values:
            waits = self.kernel.is_reduction(value) and self.span(value) is Span.ROW
            self.phase[value] = self.input_phase(value) + (1 if waits else 0)
        return self.phase

    def _demand(self, number: int, sinks: list[int], wanted: set[int], recalled: set[int], kept: set[int]) -> None:
        stack = list(sinks)
        while stack:
            value = stack.pop()
            if value in wanted or value in recalled or self.span(value) is not Span.FULL:
                continue
            if self.phase[value] < number and self._recallable(value, kept):
                recalled.add(value)
                continue
            wanted.add(value)
            stack += self.operands(value)

    def _recallable(self, value: int, kept: set[int]) -> bool:
        if value in kept or value in self.stored:
            return True
        if self.kernel.instruction(value).op.is_expensive and len(kept) < self.budget:
            kept.add(value)
            return True
        return False

    def _pass(self, number: int, wanted: set[int], recalled: set[int], kept: set[int]) -> RowPass:
        stores = [
            position
            for position, store in enumerate(self.kernel.stores)
            if self.span(store.value) is Span.FULL and self.phase[store.value] == number
        ]
        return RowPass(
            tuple(sorted(wanted)),
            tuple(v for v in self.reductions() if self.input_phase(v) == number),
            tuple(stores),
            tuple(sorted(v for v in kept if self.phase[v] == number)),
            tuple(sorted(recalled)),
            tuple(self._row_values(number + 1)),
        )

    def _row_values(self, phase: int) -> list[int]:
        return [
            v
            for v in self.kernel.values
            if self.span(v) is Span.ROW and self.phase[v] == phase and v not in self.after_split
        ]
