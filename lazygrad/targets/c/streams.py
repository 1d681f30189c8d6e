"""Which outputs of a C kernel are written past the caches.

A kernel that moves more than the last-level cache holds leaves nothing there for its successor. Written as usual, its
outputs are fetched before they are overwritten and put out the inputs; written past the caches they do neither. Each
piece of such an output is made in a small buffer first, because only whole cache lines are worth streaming. Where the
output lies over an input, which only the running program knows, its lines are in the cache: then it is just copied.
"""

from __future__ import annotations

from math import prod

from lazygrad.codegen.clike.passes import PassPlan
from lazygrad.codegen.kernel import Kernel
from lazygrad.ir.dtype import DType
from lazygrad.ir.shape import Shape as Sizes
from lazygrad.passes.fusion_legality import Span
from lazygrad.targets.c.loops import LoopNest, LoopShape

# Bytes a kernel moves from which on it streams: more than a processor's third-level cache of 32 MB. At just that size
# the kernel itself is as fast either way, but a kernel that reads its output is faster if that was not streamed.
_STREAMED = 3 << 24


def streamed_outputs(kernel: Kernel, nest: LoopNest, passes: PassPlan) -> frozenset[int]:
    """Positions in ``kernel.stores`` of the outputs to stream."""
    if nest.vector is None or nest.shape is LoopShape.SHORT or _moved_bytes(kernel) < _STREAMED:
        return frozenset()
    read_back = {value for row_pass in passes.passes for value in row_pass.recalled}
    return frozenset(
        position
        for position, store in enumerate(kernel.stores)
        if kernel.span_of(store.value) is Span.FULL and store.strides[nest.vector] == 1 and store.value not in read_back
    )


def overwritable(kernel: Kernel, position: int) -> list[int]:
    """The loads that an output may lie over."""
    value = kernel.stores[position].value
    size = _bytes(kernel.sizes_of(value), kernel.dtype_of(value))
    return [n for n, load in enumerate(kernel.loads) if _bytes(load.array_sizes, load.dtype) >= size]


def _moved_bytes(kernel: Kernel) -> int:
    """What a kernel reads and writes, each array once."""
    read = sum(_bytes(load.array_sizes, load.dtype) for load in kernel.loads)
    written = [store.value for store in kernel.stores]
    return read + sum(_bytes(kernel.sizes_of(value), kernel.dtype_of(value)) for value in written)


def _bytes(sizes: Sizes, dtype: DType) -> int:
    return prod(sizes) * dtype.itemsize
