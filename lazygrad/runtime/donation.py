"""Donation: which outputs may overwrite the memory of an input that nobody reads afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lazygrad.codegen.lower import LoweredKernel
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.passes.schedule import Place, Schedule
from lazygrad.passes.views import is_whole, view_of
from lazygrad.runtime.overwriting import KernelReads


@dataclass(frozen=True, slots=True)
class Donation:
    """Output number ``output`` can be written over input slot ``input``.

    A run uses an output's first pair whose input nobody else needs.
    """

    output: int
    input: int


def find_donations(plan: Schedule, lowered: Sequence[LoweredKernel]) -> list[Donation]:
    """All pairs of equal type where a kernel's last read of the input's element precedes or makes its output's element,
    or where a call starts from the input.

    Only steps after the last one that can raise take part: a plan that fails must leave its inputs as they were. Calls
    that start from an input raise before they write.
    """
    kernels = iter(lowered)
    first_safe = _last_raising_step(plan) + 1
    donations: list[Donation] = []
    aliased = {plan.slots[root].index for root in plan.roots if root.op is buffer}
    for step, group in enumerate(plan.steps):
        if group.is_library:
            if step >= first_safe - 1:
                donations += _to_call(plan, step, group.nodes[0], aliased)
            continue
        call = next(kernels)
        if step < first_safe or all(plan.place_of(node) is not Place.OUTPUT for node in call.outputs):
            continue
        reads = KernelReads(call)
        offered = [
            (argument, base)
            for argument, (base, view) in enumerate(reads.views)
            if plan.place_of(base) is Place.INPUT
            and plan.slots[base].index not in aliased
            and plan.last_read[base] == step
            and is_whole(view, base)
            and view.shape == base.shape
        ]
        for position, node in enumerate(call.outputs):
            if plan.place_of(node) is Place.OUTPUT:
                donations += [
                    Donation(plan.slots[node].index, plan.slots[base].index)
                    for argument, base in offered
                    if base.type is node.type and reads.precede(position, argument)
                ]
    return donations


def _to_call(plan: Schedule, step: int, node: Node, aliased: set[int]) -> list[Donation]:
    """What a call starts from, where nothing else reads it then or later."""
    if not node.op.starts_from_first or plan.place_of(node) is not Place.OUTPUT:
        return []
    bases = [view_of(source)[0] for source in node.inputs]
    base, view = view_of(node.inputs[0])
    fits = base.type is node.type and is_whole(view, base) and bases.count(base) == 1
    if not fits or plan.place_of(base) is not Place.INPUT or plan.last_read[base] != step:
        return []
    given = plan.slots[base].index
    return [] if given in aliased else [Donation(plan.slots[node].index, given)]


def _last_raising_step(plan: Schedule) -> int:
    raising = [
        step
        for step, group in enumerate(plan.steps)
        if any(node.op.may_refuse(node.attrs, node.dtype) for node in group.nodes)
    ]
    return raising[-1] if raising else -1
