"""What a kernel may write over: inputs whose elements it has read by the time it makes the output's element there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from lazygrad.codegen.kernel import Kernel, Operand
from lazygrad.codegen.lower import LoweredKernel
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind
from lazygrad.memory.lifetimes import Lifetimes
from lazygrad.passes.fusion_legality import Span
from lazygrad.passes.schedule import Schedule
from lazygrad.passes.views import is_whole, view_of

MayOverwrite = Callable[[int, int], bool]
"""Whether a kernel may write its output of one number where its load of the other number lies."""

Overwriting = Callable[[Kernel], MayOverwrite]
"""The answer of one target for a kernel. It is asked of no pair that `KernelReads` refuses for all targets."""


def find_overwrites(
    schedule: Schedule, kernels: Iterable[LoweredKernel], lifetimes: Lifetimes, targets: Sequence[Overwriting]
) -> dict[Node, Node]:
    """Temporaries that can live where another one of their type ends, with that one; each is replaced once."""
    calls = iter(kernels)
    overwrites: dict[Node, Node] = {}
    for step, group in enumerate(schedule.steps):
        if group.is_library:
            continue
        call = next(calls)
        made = [(i, node) for i, node in enumerate(call.outputs) if node in lifetimes.temporary]
        ending = [base for base in group.reads if lifetimes.last_read[base] == step and base in lifetimes.temporary]
        if made and ending:
            overwrites |= _pairs(KernelReads(call, targets), made, ending)
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

    def __init__(self, call: LoweredKernel, targets: Sequence[Overwriting]) -> None:
        self.kernel: Kernel = call.kernel
        self.views = [view_of(source) for source in call.arguments]
        self._targets = targets
        self._times_loaded = Counter([base for base, _ in self.views])
        self._readers: dict[Operand, list[int]] = {argument: [] for argument in range(len(call.arguments))}
        for number, instruction in enumerate(self.kernel.instructions):
            for operand in instruction.operands:
                if operand in self._readers:
                    self._readers[operand].append(number)

    @cached_property
    def _answers(self) -> list[MayOverwrite]:
        return [overwriting(self.kernel) for overwriting in self._targets]

    def precede(self, position: int, argument: int) -> bool:
        """Nothing after the instruction that stores the output reads the input, no other view of it is loaded, and no
        target objects.
        """
        kernel = self.kernel
        stored = kernel.stores[position].value - len(kernel.loads)
        base, _ = self.views[argument]
        if self._times_loaded[base] != 1 or kernel.loads[argument].inside:
            return False
        if stored < 0 or kernel.instructions[stored].span is not Span.FULL:
            return False
        if any(i > stored or kernel.instructions[i].op.kind is Kind.REDUCTION for i in self._readers[argument]):
            return False  # a reduction over blocks may come last, whatever its place
        return all(may_overwrite(position, argument) for may_overwrite in self._answers)
