"""What a kernel may write over: inputs whose elements it has read by the time it makes the output's element there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from lazygrad.codegen.clike.passes import PassPlan
from lazygrad.codegen.kernel import Kernel, Operand
from lazygrad.codegen.lower import LoweredKernel
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind
from lazygrad.passes.fusion_legality import Span
from lazygrad.passes.schedule import Place, Schedule
from lazygrad.passes.views import is_whole, view_of
from lazygrad.targets.c.facts import pass_plan
from lazygrad.targets.c.loops import plan_loops
from lazygrad.targets.numpy.ops import UFUNCS


def find_overwrites(plan: Schedule, lowered: Sequence[LoweredKernel]) -> dict[Node, Node]:
    """Temporaries that can live where another one of their type ends, with that one; each is replaced once."""
    kernels = iter(lowered)
    overwrites: dict[Node, Node] = {}
    for step, group in enumerate(plan.steps):
        if group.is_library:
            continue
        call = next(kernels)
        made = [(i, node) for i, node in enumerate(call.outputs) if plan.place_of(node) is Place.ARENA]
        ending = [base for base in group.reads if plan.last_read[base] == step and plan.place_of(base) is Place.ARENA]
        if made and ending:
            overwrites |= _pairs(KernelReads(call), made, ending)
    return overwrites


def _pairs(reads: KernelReads, made: list[tuple[int, Node]], ending: list[Node]) -> dict[Node, Node]:
    pairs: dict[Node, Node] = {}
    for argument, (base, view) in enumerate(reads.views):
        if base not in ending or not is_whole(view, base) or view.shape != base.shape:
            continue
        for position, node in made:
            if node not in pairs and node.type is base.type and reads.precede(position, argument):
                pairs[node] = base
                break
    return pairs


class KernelReads:
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
        self._reduces = any(instruction.op.kind is Kind.REDUCTION for instruction in self.kernel.instructions)
        self._last_pass: dict[int, int] = {}

    @cached_property
    def _passes(self) -> PassPlan:
        return pass_plan(self.kernel, plan_loops(self.kernel))

    def precede(self, position: int, argument: int) -> bool:
        """Nothing after the instruction that stores the output reads the input, and no other view of it is loaded."""
        kernel = self.kernel
        stored = kernel.stores[position].value - len(kernel.loads)
        base, _ = self.views[argument]
        if self._times_loaded[base] != 1 or kernel.loads[argument].inside:
            return False
        if stored < 0 or kernel.instructions[stored].span is not Span.FULL:
            return False
        reads = self._readers[argument]
        if any(i > stored or kernel.instructions[i].op.kind is Kind.REDUCTION for i in reads):
            return False  # a reduction over blocks may come last, whatever its place
        if stored in reads and kernel.instructions[stored].op not in UFUNCS:
            return False
        # C walks a row again for what waits for a reduction.
        return not self._reduces or self._last_pass_of(argument) <= self._passes.pass_of_store(position)

    def _last_pass_of(self, argument: int) -> int:
        if argument not in self._last_pass:
            self._last_pass[argument] = self._passes.last_read(argument, self.kernel)
        return self._last_pass[argument]
