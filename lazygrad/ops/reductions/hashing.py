"""Hashes of tensors."""

from __future__ import annotations

from lazygrad.ir.dtype import DType, float64, int64, uint64
from lazygrad.ir.shape import normalize_axes, numel
from lazygrad.ops.arguments.kinds import Dim
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.reducing import extent, reduced_shape
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.pointwise.bitwise import bitwise_xor
from lazygrad.ops.shapes.padding import pad
from lazygrad.ops.shapes.parts import between
from lazygrad.ops.shapes.permuting import permute
from lazygrad.ops.shapes.reshaping import reshape, view
from lazygrad.tensor import Tensor

__all__ = ["hash_tensor"]


@accepts_out
@method()
def hash_tensor(input: Tensor, dim: Dim = (), *, keepdim: bool = False, mode: int = 0) -> Tensor:
    """The exclusive or of the bits of all elements, or of those over ``dim``, as uint64.

    Floats are taken as float64, integers and bools as int64.

    Args:
        input: any shape; not complex, nor of uint16, uint32 or uint64.
        dim: one or several dimensions; all of them when empty.
        keepdim: keep these with size 1.
        mode: 0, the only one there is.

    Raises:
        RuntimeError: another mode; no elements and no ``dim``; a dimension that is given twice.
        IndexError: a dimension out of range, or without elements.
        NotImplementedError: a dtype that is not taken.
    """
    node = tensor_argument(input, "hash_tensor").node()
    if mode != 0:
        raise RuntimeError(f"Unknown hash_tensor mode: {mode}")
    axes = normalize_axes(dim, node.rank, "hash_tensor")
    shape = node.type.shape
    if extent(shape, axes) == 0:
        _refuse_nothing(shape, axes, dim)
    wide = _widened(input.detach(), node.dtype)
    others = tuple(axis for axis in range(node.rank) if axis not in axes)
    kept = tuple(shape[axis] for axis in others)
    rows = reshape(permute(wide, (*others, *axes)), (numel(kept), extent(shape, axes)))
    return view(reshape(_folded(view(rows, int64)), reduced_shape(shape, axes, keepdim)), uint64)


def _refuse_nothing(shape: tuple[int, ...], axes: tuple[int, ...], dim: Dim) -> None:
    if dim is None or dim == ():
        raise RuntimeError(
            "hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
            "with the 'dim' argument."
        )
    empty = next(axis for axis in axes if shape[axis] == 0)
    raise IndexError(f"hash_tensor: Expected reduction dim {empty} to have non-zero size.")


def _widened(input: Tensor, dtype: DType) -> Tensor:
    if dtype.is_complex or dtype.is_storage:
        raise NotImplementedError(f"\"xor_sum\" not implemented for '{dtype.scalar_type}'")
    return input.to(float64 if dtype.is_floating_point else int64)


def _folded(rows: Tensor) -> Tensor:
    """The exclusive or of each row of 64-bit integers: half of it with the other half, until one element is left."""
    size = rows.shape[1]
    while size > 1:
        half = (size + 1) // 2
        rows = bitwise_xor(between(rows, 1, 0, half), pad(between(rows, 1, half, size), (0, 2 * half - size)))
        size = half
    return rows
