"""What the functions of one numpy kernel have in common: its names, its loops, and what is finished after them."""

from __future__ import annotations

from lazygrad.codegen.kernel import Instruction, Kernel
from lazygrad.codegen.naming import Names
from lazygrad.ir.op import Kind
from lazygrad.passes.fusion_legality import Span
from lazygrad.targets.numpy.schedule import BlockSchedule


class NumpyFacts:
    """A kernel with its blocks, and the Python words for its parts.

    Attributes:
        kernel, schedule: what is rendered.
        load_names, out_names, scalar_names: its parameters.
        stored_at: by value, the outputs it is written to.
        after_loops: values that exist only once the loops are done.
        accumulated: those of them that are reductions.
    """

    def __init__(self, kernel: Kernel, schedule: BlockSchedule) -> None:
        self.kernel, self.schedule = kernel, schedule
        names = Names(["np", "special", "scratch", "start", "stop"])
        self.load_names = [names.unique(f"x{i}" if len(kernel.loads) > 1 else "x") for i in range(len(kernel.loads))]
        outputs = len(kernel.stores)
        self.out_names = [names.unique(f"out{i}" if outputs > 1 else "out") for i in range(outputs)]
        self.scalar_names = [names.unique(f"s{i}") for i in range(kernel.scalars)]
        self.stored_at: dict[int, list[int]] = {}
        for position, store in enumerate(kernel.stores):
            self.stored_at.setdefault(store.value, []).append(position)
        self.after_loops = self._finish_values()
        self.accumulated = [
            v for v in kernel.values if v in self.after_loops and kernel.instruction(v).op.folding is not None
        ]

    def _finish_values(self) -> set[int]:
        """Values that exist only once the loops over row axes are done: reductions and what follows from them."""
        if not self.schedule.accumulates:
            return set()
        looped = frozenset(loop.axis for loop in self.schedule.loops)
        rows_are_split = bool(looped & self.kernel.row_axes)
        later: set[int] = set()
        for value in self.kernel.values:
            instruction = self.kernel.instruction(value)
            from_later = any(isinstance(o, int) and o in later for o in instruction.operands)
            unfinished = instruction.op.kind is Kind.REDUCTION and looped & self.folded_axes(instruction)
            if unfinished or from_later or (rows_are_split and instruction.span is Span.ROW):
                later.add(value)
        return later

    def folded_axes(self, instruction: Instruction) -> frozenset[int]:
        return self.kernel.narrowed_axes(instruction.span)
