"""The second kernel of split reductions: a kernel of its own, whose rows are the totals that the first one left."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lazygrad.codegen.kernel import Instruction, Kernel, Load, Operand, Store
from lazygrad.ir.dtype import DType, float32
from lazygrad.ir.view import contiguous_strides
from lazygrad.passes.fusion_legality import NO_AXES, Span


def normalized(kernel: Kernel) -> Kernel:
    """The kernel with its column axes as row axes where it has no rows: all of them then are of size 1."""
    if kernel.row_axes or not kernel.column_axes:
        return kernel
    instructions = [replace(i, span=Span.ROW) if i.span is Span.COLUMN else i for i in kernel.instructions]
    return replace(
        kernel,
        row_axes=kernel.column_axes,
        column_axes=NO_AXES,
        instructions=tuple(instructions),
        needs_whole_row=False,
    )


@dataclass(frozen=True, slots=True)
class Finishing:
    """A second kernel and what it is applied to.

    Attributes:
        kernel: it loads ``partials`` first, then ``loads``.
        partials: the split reductions, by value in the first kernel.
        loads, stores: positions in the first kernel's loads and stores.
    """

    kernel: Kernel
    partials: tuple[int, ...]
    loads: tuple[int, ...]
    stores: tuple[int, ...]


def finishings(kernel: Kernel, parts: dict[int, int]) -> list[Finishing]:
    """What finishes a kernel's split reductions: nothing, or a kernel per span of theirs.

    Args:
        kernel: the first one.
        parts: by split reduction, how many totals of each element there are.
    """
    found = []
    for span in (Span.ROW, Span.COLUMN):
        split = [value for value in sorted(parts) if kernel.span_of(value) is span]
        if split:
            found.append(_Finisher(kernel, split, parts[split[0]], span).run())
    return found


class _Finisher:
    def __init__(self, kernel: Kernel, split: list[int], parts: int, span: Span) -> None:
        self.kernel, self.split, self.parts, self.span = kernel, split, parts, span
        self.axes = [axis for axis in range(len(kernel.sizes)) if axis not in kernel.narrowed_axes(span)]
        self.sizes = tuple(kernel.sizes[axis] for axis in self.axes)

    def run(self) -> Finishing:
        kernel, computed = self.kernel, list(self.split)
        if self.span is Span.ROW:  # what follows from the reductions; nothing follows from those of columns
            computed = [value for value in kernel.values if kernel.span_of(value) is Span.ROW]
        instructions = [kernel.instruction(value) for value in computed]
        operands = [o for v, i in zip(computed, instructions, strict=True) if v not in self.split for o in i.operands]
        loads = self._with_fills([o for o in operands if isinstance(o, int) and kernel.is_load(o)])
        stores = [i for i, store in enumerate(kernel.stores) if store.value in computed]
        numbers = {load: len(self.split) + i for i, load in enumerate(loads)}
        numbers |= {value: len(self.split) + len(loads) + i for i, value in enumerate(computed)}
        partials = [Load(held(kernel.dtype_of(v)), (self.parts, *self.sizes), self._strides(), 0) for v in self.split]
        made = Kernel(
            (self.parts, *self.sizes),
            frozenset([0]),
            NO_AXES,
            (*partials, *[self._load(kernel.loads[load], numbers) for load in loads]),
            tuple(self._instruction(v, i, numbers) for v, i in zip(computed, instructions, strict=True)),
            tuple(self._store(kernel.stores[position], numbers) for position in stores),
            kernel.scalars,
            False,
            f"{kernel.name}_{self.span.value}s",
            kernel.comment,
        )
        return Finishing(made, tuple(self.split), tuple(loads), tuple(stores))

    def _with_fills(self, loads: list[int]) -> list[int]:
        fills = [self.kernel.loads[load].fill for load in loads]
        return sorted({*loads, *[fill for fill in fills if isinstance(fill, int)]})

    def _strides(self) -> tuple[int, ...]:
        return contiguous_strides((self.parts, *self.sizes))

    def _load(self, load: Load, numbers: dict[int, int]) -> Load:
        inside = ((0, 1), *[load.inside[axis] for axis in self.axes]) if load.inside else ()
        sizes, strides = [load.sizes[axis] for axis in self.axes], [load.strides[axis] for axis in self.axes]
        fill = numbers[load.fill] if isinstance(load.fill, int) else load.fill
        return Load(load.dtype, (1, *sizes), (0, *strides), load.offset, inside, fill)

    def _store(self, store: Store, numbers: dict[int, int]) -> Store:
        return Store(numbers[store.value], (0, *[store.strides[axis] for axis in self.axes]))

    def _instruction(self, value: int, instruction: Instruction, numbers: dict[int, int]) -> Instruction:
        def renumbered(operand: Operand) -> Operand:
            return numbers[operand] if isinstance(operand, int) else operand

        operands: tuple[Operand, ...] = tuple(map(renumbered, instruction.operands)) if value not in self.split else ()
        if value in self.split:
            operands = (self.split.index(value),)
        return replace(instruction, operands=operands, span=Span.ROW)


def held(dtype: DType) -> DType:
    """The dtype in which totals are left in memory: 16-bit floats are added up as f32."""
    return float32 if dtype.is_half else dtype
