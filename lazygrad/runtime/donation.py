"""Donation: which outputs may overwrite the memory of an input that nobody reads afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lazygrad.codegen.kernel import Kernel
from lazygrad.codegen.lower import LoweredKernel
from lazygrad.codegen.numpy_ops import UFUNCS
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.passes.fusion_legality import Span
from lazygrad.passes.schedule import Place, Schedule
from lazygrad.passes.views import view_of


@dataclass(frozen=True, slots=True)
class Donation:
    """Output number ``output`` can be written over input slot ``input``; the run decides whether it may be."""

    output: int
    input: int


def find_donations(plan: Schedule, lowered: Sequence[LoweredKernel]) -> list[Donation]:
    """Pairs of equal type where a kernel's last read of the input's element precedes or makes its output's element."""
    kernels = iter(lowered)
    taken: set[int] = set()
    donations = []
    aliased = {plan.slots[root].index for root in plan.roots if root.op is buffer}
    for step, group in enumerate(plan.steps):
        if group.is_library:
            continue
        call = next(kernels)
        for position, node in enumerate(call.outputs):
            slot = plan.slots[node]
            if slot.place is not Place.OUTPUT:
                continue
            for argument, source in enumerate(call.arguments):
                base, view = view_of(source)
                place = plan.slots[base]
                if place.place is not Place.INPUT or place.index in taken | aliased or base.type is not node.type:
                    continue
                whole = view.shape == base.shape and view.offset == 0 and view.is_contiguous
                if whole and plan.last_read[base] == step and _reads_before(call, argument, position, base):
                    taken.add(place.index)
                    donations.append(Donation(slot.index, place.index))
                    break
    return donations


def _reads_before(call: LoweredKernel, argument: int, position: int, base: Node) -> bool:
    """No instruction after the one that stores the output reads the input, and no other view of it is loaded."""
    kernel: Kernel = call.kernel
    if sum(view_of(source)[0] is base for source in call.arguments) != 1:
        return False
    stored = kernel.stores[position] - len(kernel.loads)
    if stored < 0 or kernel.instructions[stored].span is not Span.FULL:
        return False
    reads = [i for i, instruction in enumerate(kernel.instructions) if argument in instruction.operands]
    if any(i > stored for i in reads):
        return False
    return stored not in reads or kernel.instructions[stored].op in UFUNCS
