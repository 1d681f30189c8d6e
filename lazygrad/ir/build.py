"""Small node builders that derivative rules and decompositions share."""

from __future__ import annotations

from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType, Scalar, float32
from lazygrad.ir.node import Node, tensor_type
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.primitives.contraction import matmul
from lazygrad.ir.primitives.float8 import cast_float8
from lazygrad.ir.primitives.leaf import canonical, constant, leaf_node
from lazygrad.ir.shape import Shape, numel


def filled(shape: Shape, value: Scalar, like: Node) -> Node:
    """``value`` everywhere, of ``like``'s dtype and device."""
    stored = float32 if like.dtype.is_float8 else like.dtype
    leaf = leaf_node(constant, (canonical(value, stored),), tensor_type((), stored, like.device))
    number = cast(leaf, like.dtype)
    return mv.expand(number, shape=shape) if shape else number


def zeros_like(x: Node) -> Node:
    return filled(x.shape, 0, x)


def ones_like(x: Node) -> Node:
    return filled(x.shape, 1, x)


def iota(length: int, dtype: DType, device: Device) -> Node:
    """0, 1, …, length-1 on ``device``."""
    return leaf_node(indexing.iota, (length, dtype.name), tensor_type((length,), dtype, device))


def cast(x: Node, dtype: DType) -> Node:
    if x.dtype is dtype:
        return x
    if x.dtype.is_float8:
        return cast(cast_float8(x, dtype=float32.name), dtype)
    if dtype.is_float8:
        return cast_float8(cast(x, float32), dtype=dtype.name)
    return ew.cast(x, dtype=dtype.name)


def conj(x: Node) -> Node:
    """The complex conjugate; real numbers are their own, so their graphs get no node."""
    return ew.conj(x) if x.dtype.is_complex else x


def real(x: Node) -> Node:
    """The real part."""
    return ew.real(x) if x.dtype.is_complex else x


def reshape(x: Node, shape: Shape) -> Node:
    return x if x.shape == shape else mv.reshape(x, shape=shape)


def expand(x: Node, shape: Shape) -> Node:
    return x if x.shape == shape else mv.expand(x, shape=shape)


def permute(x: Node, axes: tuple[int, ...]) -> Node:
    return x if axes == tuple(range(x.rank)) else mv.permute(x, axes=axes)


def swap_last(x: Node) -> Node:
    """The matrix transpose."""
    return mv.permute(x, axes=(*range(x.rank - 2), x.rank - 1, x.rank - 2))


def reduce_sum(x: Node, axes: tuple[int, ...]) -> Node:
    """Sum that keeps its axes; 16-bit floats are accumulated in float32, as PyTorch does."""
    if not axes:
        return x
    if x.dtype.is_half:
        return cast(rd.reduce_sum(cast(x, float32), axes=axes), x.dtype)
    return rd.reduce_sum(x, axes=axes)


def mean(x: Node, axes: tuple[int, ...]) -> Node:
    count = 1
    for axis in axes:
        count *= x.shape[axis]
    return reduce_sum(x, axes) * (1.0 / count if count else float("nan"))


def sum_to(x: Node, shape: Shape) -> Node:
    """Undo broadcasting: sum ``x`` down to ``shape``."""
    if x.shape == shape:
        return x
    lead = x.rank - len(shape)
    axes = tuple(range(lead)) + tuple(
        lead + axis for axis, size in enumerate(shape) if size == 1 and x.shape[lead + axis] != 1
    )
    return reshape(reduce_sum(x, axes), shape)


def flat_rows(x: Node) -> Node:
    """``x`` as a matrix of its last axis."""
    return reshape(x, (numel(x.shape[:-1]), x.shape[-1]))


def linear_product(x: Node, weight: Node) -> Node:
    """x · weightᵀ over the last axis, x of any rank, as one flat matrix product."""
    return reshape(matmul(flat_rows(x), swap_last(weight)), (*x.shape[:-1], weight.shape[0]))
