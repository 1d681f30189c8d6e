"""How the numpy renderer walks a kernel's axes: in blocks that stay in the cache, whole rows where a row is reused."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lazygrad.codegen.kernel import Kernel
from lazygrad.passes.fusion_legality import Span

# Elements per block, chosen by measurement: smaller blocks stay in the second-level cache, but two threads then hand
# the interpreter lock to each other between ufunc calls too often (a hand-over costs tens of microseconds).
BLOCK_ELEMENTS = 1 << 17
# Scalar operations a thread should have before a second one is worth waking.
THREAD_GRAIN = 1 << 19


@dataclass(frozen=True, slots=True)
class Loop:
    """``for i in range(0, extent, step)`` over one axis."""

    axis: int
    extent: int
    step: int


@dataclass(frozen=True, slots=True)
class BlockSchedule:
    """The loops around one block of numpy calls.

    Attributes:
        loops: outermost first; empty when everything is one block.
        accumulates: the loops split reduced axes, so reductions are summed up over blocks and finished afterwards.
        grain: iterations of the outermost loop worth one thread, a multiple of its step.
        serves_many: it was made for another size, and what is rendered must do at all of them.
    """

    loops: tuple[Loop, ...]
    accumulates: bool
    grain: int
    serves_many: bool = False

    def over(self, kernel: Kernel) -> BlockSchedule:
        """The same blocks for a kernel that differs in sizes only; a block may then be longer than its axis.

        Raises:
            IndexError: the kernel has not so many axes.
        """
        loops = tuple([replace(loop, extent=kernel.sizes[loop.axis]) for loop in self.loops])
        return replace(self, loops=loops, serves_many=True)


def schedule_blocks(kernel: Kernel) -> BlockSchedule:
    """Choose the loops of ``kernel``.

    Rows stay whole when a value computed from a reduction meets full-sized data again; otherwise leading axes are
    cut first, because they are contiguous in memory.
    """
    total = _product(kernel.sizes)
    if total <= BLOCK_ELEMENTS:
        return BlockSchedule((), False, 0)
    reduces = any(i.span is Span.ROW for i in kernel.instructions) and bool(kernel.row_axes)
    row_extent = _product(tuple(kernel.sizes[axis] for axis in kernel.row_axes))
    whole_rows = kernel.needs_whole_row or (reduces and row_extent <= BLOCK_ELEMENTS and _rows_are_innermost(kernel))
    axes = [axis for axis in range(len(kernel.sizes)) if not (whole_rows and axis in kernel.row_axes)]
    loops = _cut(kernel, axes)
    folded = (kernel.row_axes if reduces else frozenset()) | kernel.column_axes
    accumulates = any(loop.axis in folded for loop in loops)
    if not loops:
        return BlockSchedule((), False, 0)
    first = loops[0]
    per_iteration = max(1, total // first.extent * max(1, len(kernel.instructions)))
    grain = max(first.step, -(-THREAD_GRAIN // per_iteration))
    return BlockSchedule(loops, accumulates, -(-grain // first.step) * first.step)


def _rows_are_innermost(kernel: Kernel) -> bool:
    rank = len(kernel.sizes)
    return kernel.row_axes == frozenset(range(rank - len(kernel.row_axes), rank))


def _cut(kernel: Kernel, axes: list[int]) -> tuple[Loop, ...]:
    """Loop over leading ``axes`` one by one until what is left fits, and take the last of them in chunks."""
    remaining = _product(kernel.sizes)
    loops: list[Loop] = []
    for axis in axes:
        extent = kernel.sizes[axis]
        remaining //= max(extent, 1)
        step = max(1, BLOCK_ELEMENTS // max(remaining, 1))
        if step < extent:
            loops.append(Loop(axis, extent, step))
        if remaining <= BLOCK_ELEMENTS:
            break
    return tuple(loops)


def _product(sizes: tuple[int, ...]) -> int:
    total = 1
    for size in sizes:
        total *= size
    return total
