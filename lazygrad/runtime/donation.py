"""Donation: which outputs may overwrite the memory of an input that nobody reads afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lazygrad.codegen.c_kernel import pass_plan
from lazygrad.codegen.c_loops import plan_loops
from lazygrad.codegen.kernel import Kernel
from lazygrad.codegen.lower import LoweredKernel
from lazygrad.codegen.numpy_ops import DIVISIONS, UFUNCS
from lazygrad.ir.node import Kind, Node
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.passes.fusion_legality import Span
from lazygrad.passes.schedule import Place, Schedule
from lazygrad.passes.views import view_of


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
    donations = []
    aliased = {plan.slots[root].index for root in plan.roots if root.op is buffer}
    for step, group in enumerate(plan.steps):
        if group.is_library:
            continue
        call = next(kernels)
        if step < first_safe:
            continue
        for position, node in enumerate(call.outputs):
            slot = plan.slots[node]
            if slot.place is not Place.OUTPUT:
                continue
            for argument, source in enumerate(call.arguments):
                base, view = view_of(source)
                place = plan.slots[base]
                if place.place is not Place.INPUT or place.index in aliased or base.type is not node.type:
                    continue
                whole = view.shape == base.shape and view.offset == 0 and view.is_contiguous
                if whole and plan.last_read[base] == step and _reads_before(call, argument, position, base):
                    donations.append(Donation(slot.index, place.index))
    return donations


# Calls that refuse an index out of range, and integer divisions, which refuse zero.
_RAISING = frozenset({ix.take, ix.put, ix.gather, ix.scatter}) | DIVISIONS


def _last_raising_step(plan: Schedule) -> int:
    raising = [step for step, group in enumerate(plan.steps) if any(node.op in _RAISING for node in group.nodes)]
    return raising[-1] if raising else -1


def _reads_before(call: LoweredKernel, argument: int, position: int, base: Node) -> bool:
    """No instruction after the one that stores the output reads the input, and no other view of it is loaded."""
    kernel: Kernel = call.kernel
    if sum(view_of(source)[0] is base for source in call.arguments) != 1:
        return False
    stored = kernel.stores[position] - len(kernel.loads)
    if stored < 0 or kernel.instructions[stored].span is not Span.FULL:
        return False
    passes = pass_plan(kernel, plan_loops(kernel))
    if passes.last_read(argument, kernel) > passes.pass_of_store(position):
        return False  # C walks a row again for what comes later
    reads = [i for i, instruction in enumerate(kernel.instructions) if argument in instruction.operands]
    if any(i > stored or kernel.instructions[i].op.kind is Kind.REDUCTION for i in reads):
        return False  # a reduction over blocks may come last, whatever its place
    return stored not in reads or kernel.instructions[stored].op in UFUNCS
