"""Donation: which outputs may overwrite the memory of an input that nobody reads afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from lazygrad.codegen.c_facts import pass_plan
from lazygrad.codegen.c_loops import plan_loops
from lazygrad.codegen.c_passes import PassPlan
from lazygrad.codegen.kernel import Kernel, Operand
from lazygrad.codegen.lower import LoweredKernel
from lazygrad.codegen.numpy_ops import DIVISIONS, UFUNCS
from lazygrad.ir.node import Kind
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.passes.fusion_legality import Span
from lazygrad.passes.schedule import Place, Schedule
from lazygrad.passes.views import is_whole, view_of


@dataclass(frozen=True, slots=True)
class Donation:
    """Output number ``output`` can be written over input slot ``input``.

    A run uses an output's first pair whose input nobody else needs.
    """

    output: int
    input: int


def find_donations(plan: Schedule, lowered: Sequence[LoweredKernel]) -> list[Donation]:
    """All pairs of equal type where a kernel's last read of the input's element precedes or makes its output's element.

    Only steps after the last one that can raise take part: a plan that fails must leave its inputs as they were.
    """
    kernels = iter(lowered)
    first_safe = _last_raising_step(plan) + 1
    donations: list[Donation] = []
    aliased = {plan.slots[root].index for root in plan.roots if root.op is buffer}
    for step, group in enumerate(plan.steps):
        if group.is_library:
            continue
        call = next(kernels)
        if step < first_safe:
            continue
        reads = _Reads(call)
        offered = [
            (argument, base)
            for argument, (base, view) in enumerate(reads.views)
            if plan.slots[base].place is Place.INPUT
            and plan.slots[base].index not in aliased
            and plan.last_read[base] == step
            and is_whole(view, base)
            and view.shape == base.shape
        ]
        for position, node in enumerate(call.outputs):
            slot = plan.slots[node]
            if slot.place is Place.OUTPUT:
                donations += [
                    Donation(slot.index, plan.slots[base].index)
                    for argument, base in offered
                    if base.type is node.type and reads.precede(position, argument)
                ]
    return donations


# Calls that refuse an index out of range, and integer divisions, which refuse zero.
_RAISING = frozenset({ix.take, ix.put, ix.gather, ix.scatter}) | DIVISIONS


def _last_raising_step(plan: Schedule) -> int:
    raising = [step for step, group in enumerate(plan.steps) if any(node.op in _RAISING for node in group.nodes)]
    return raising[-1] if raising else -1


class _Reads:
    """When one call reads its inputs; what that takes is worked out once, for all pairs of an input and an output."""

    def __init__(self, call: LoweredKernel) -> None:
        self.kernel: Kernel = call.kernel
        self.views = [view_of(source) for source in call.arguments]
        self._times_loaded = Counter([base for base, _ in self.views])
        self._readers: dict[Operand, list[int]] = {argument: [] for argument in range(len(call.arguments))}
        for number, instruction in enumerate(self.kernel.instructions):
            for operand in instruction.operands:
                if operand in self._readers:
                    self._readers[operand].append(number)
        self._last_pass: dict[int, int] = {}

    @cached_property
    def _passes(self) -> PassPlan:
        return pass_plan(self.kernel, plan_loops(self.kernel))

    def precede(self, position: int, argument: int) -> bool:
        """Nothing after the instruction that stores the output reads the input, and no other view of it is loaded."""
        kernel = self.kernel
        stored = kernel.stores[position] - len(kernel.loads)
        base, _ = self.views[argument]
        if self._times_loaded[base] != 1 or stored < 0 or kernel.instructions[stored].span is not Span.FULL:
            return False
        reads = self._readers[argument]
        if any(i > stored or kernel.instructions[i].op.kind is Kind.REDUCTION for i in reads):
            return False  # a reduction over blocks may come last, whatever its place
        if stored in reads and kernel.instructions[stored].op not in UFUNCS:
            return False
        # C walks a row again for what comes later.
        return self._last_pass_of(argument) <= self._passes.pass_of_store(position)

    def _last_pass_of(self, argument: int) -> int:
        if argument not in self._last_pass:
            self._last_pass[argument] = self._passes.last_read(argument, self.kernel)
        return self._last_pass[argument]
