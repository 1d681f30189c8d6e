"""Whether a tensor that is written to shares memory with one that is read, as far as PyTorch can tell."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from lazygrad.ir.alias import keeps_memory
from lazygrad.ir.view import View
from lazygrad.tensor import Tensor

# Families whose functions PyTorch lets write over parts of what they read, with whatever comes of it. Here the result
# is right, since it is computed before anything is written.
MAY_SHARE = (
    "lazygrad.ops.linalg",
    "lazygrad.ops.layers",
    "lazygrad.ops.spectral",
    "lazygrad.ops.shapes.triangles",
    "lazygrad.ops.reductions.extrema",
    "lazygrad.ops.reductions.norm",
    "lazygrad.ops.reductions.statistics",
    "lazygrad.ops.reductions.sums",
    "lazygrad.ops.reductions.vector_norm",
    "lazygrad.ops.reductions.without_nan",
)


class Overlap(Enum):
    """What two tensors have in common: no element that is known of, some, or each element at the same place."""

    NONE = 0
    PARTIAL = 1
    FULL = 2


def refuse_overlap(out: Tensor, operands: Sequence[Tensor], full_too: bool) -> None:
    """Refuse an ``out`` that lies over parts of an operand.

    Args:
        out: what is written to.
        operands: what is read.
        full_too: also refuse one that lies over the whole of an operand, element on element.

    Raises:
        RuntimeError: it does.
    """
    for operand in operands:
        if operand._storage is not out._storage:
            continue
        overlap = _overlap(out, operand)
        if overlap is Overlap.PARTIAL or (full_too and overlap is Overlap.FULL):
            raise RuntimeError(
                "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
                "memory location. Please clone() the tensor before performing the operation."
            )


def _overlap(first: Tensor, second: Tensor) -> Overlap:
    """Of two tensors of one storage; views with gaps count as apart, as in PyTorch, which does not look into them."""
    if first is second or first._chain == second._chain:
        return Overlap.FULL
    if not (keeps_memory(first._chain) and keeps_memory(second._chain)):
        return Overlap.NONE
    views = first.view_of_storage(), second.view_of_storage()
    if not all(_is_dense(view) for view in views):
        return Overlap.NONE
    begins = [view.offset * t.dtype.itemsize for view, t in zip(views, (first, second), strict=True)]
    ends = [begin + t.numel() * t.dtype.itemsize for begin, t in zip(begins, (first, second), strict=True)]
    if begins[0] >= ends[1] or begins[1] >= ends[0]:
        return Overlap.NONE
    same = begins[0] == begins[1] and ends[0] == ends[1] and views[0].strides == views[1].strides
    return Overlap.FULL if same else Overlap.PARTIAL


def _is_dense(view: View) -> bool:
    """Whether the elements fill a piece of memory, in any order of the dimensions, and none is named twice."""
    step = 1
    for stride, size in sorted(
        (stride, size) for stride, size in zip(view.strides, view.shape, strict=True) if size != 1
    ):
        if stride != step:
            return False
        step *= size
    return True
