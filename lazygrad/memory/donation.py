"""Donation: which outputs may overwrite the memory of an input that nobody reads afterwards."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from lazygrad.codegen.lower import LoweredKernel
from lazygrad.ir.node import Node
from lazygrad.memory.lifetimes import Lifetimes
from lazygrad.memory.overwriting import KernelReads, Overwriting
from lazygrad.memory.slots import Donation
from lazygrad.passes.schedule import Schedule
from lazygrad.passes.views import is_whole, view_of


def find_donations(
    schedule: Schedule,
    kernels: Iterable[LoweredKernel],
    lifetimes: Lifetimes,
    targets: Sequence[Overwriting],
    parts: Container[int],
) -> list[Donation]:
    """All pairs of equal type where a kernel's last read of the input's element precedes or makes its output's element,
    or where a call starts from the input.

    Only steps after the last one that can raise take part: a plan that fails must leave its inputs as they were. Calls
    that start from an input raise before they write. The memory of ``parts``, input slots, is that of other inputs.
    """
    return _Finder(schedule, lifetimes, targets, parts).run(kernels)


class _Finder:
    def __init__(
        self, schedule: Schedule, lifetimes: Lifetimes, targets: Sequence[Overwriting], parts: Container[int]
    ) -> None:
        self.schedule, self.lifetimes, self.targets = schedule, lifetimes, targets
        self.output_number = {node: number for number, node in enumerate(schedule.outputs)}
        wholes = [node for node in schedule.inputs if node["slot"] not in parts]
        self.given = set(wholes).difference(schedule.roots)  # what is a result itself stays as it is

    def run(self, kernels: Iterable[LoweredKernel]) -> list[Donation]:
        calls = iter(kernels)
        last_raising = _last_raising_step(self.schedule)
        donations: list[Donation] = []
        for step, group in enumerate(self.schedule.steps):
            if group.is_library:
                if step >= last_raising:
                    donations += self._to_call(step, group.nodes[0])
                continue
            call = next(calls)
            if step > last_raising and not self.output_number.keys().isdisjoint(call.outputs):
                donations += self._to_kernel(step, call)
        return donations

    def _to_kernel(self, step: int, call: LoweredKernel) -> list[Donation]:
        reads = KernelReads(call, self.targets)
        offered = [
            (argument, base)
            for argument, (base, view) in enumerate(reads.views)
            if self._ends(base, step) and is_whole(view, base) and view.shape == base.shape
        ]
        return [
            Donation(self.output_number[node], base["slot"])
            for position, node in enumerate(call.outputs)
            if node in self.output_number
            for argument, base in offered
            if base.type is node.type and reads.precede(position, argument)
        ]

    def _to_call(self, step: int, node: Node) -> list[Donation]:
        """What a call starts from, where nothing else reads it then or later."""
        if not node.op.starts_from_first or node not in self.output_number:
            return []
        bases = [view_of(source)[0] for source in node.inputs]
        base, view = view_of(node.inputs[0])
        fits = base.type is node.type and is_whole(view, base) and bases.count(base) == 1
        return [Donation(self.output_number[node], base["slot"])] if fits and self._ends(base, step) else []

    def _ends(self, base: Node, step: int) -> bool:
        """Whether it is an input that may be given away, and nobody reads it after ``step``."""
        return base in self.given and self.lifetimes.last_read[base] == step


def _last_raising_step(schedule: Schedule) -> int:
    raising = [
        step
        for step, group in enumerate(schedule.steps)
        if any(node.op.may_refuse(node.attrs, node.dtype) for node in group.nodes)
    ]
    return raising[-1] if raising else -1
