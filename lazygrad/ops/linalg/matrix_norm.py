"""Norms of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from lazygrad.ir.dtype import DType
from lazygrad.ir.shape import normalize_axis
from lazygrad.ops.arguments.operands import cast_node, is_scalar
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.reducing import reduced_shape, reshaped
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.creation.like import new_zeros
from lazygrad.ops.linalg.eigenvalues import svdvals
from lazygrad.ops.linalg.matrices import BOTH_REFUSED, check_dtype, matrix
from lazygrad.ops.reductions.extrema import amax, amin
from lazygrad.ops.reductions.sums import sum as sum_
from lazygrad.ops.reductions.vector_norm import norm_dtype, normed
from lazygrad.ops.shapes.permuting import movedim
from lazygrad.ops.shapes.reshaping import unsqueeze
from lazygrad.tensor import Tensor

__all__ = ["matrix_norm"]


@accepts_out
@traced
def matrix_norm(
    A: Tensor,
    ord: float | str = "fro",
    dim: Sequence[int] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
) -> Tensor:
    """A norm of the matrices that two dimensions hold; real, also of complex numbers.

    Args:
        A: floating or complex dtype.
        ord: "fro" for the root of the sum of squares; "nuc" for the sum of the singular values; 2 or -2 for the
            largest or smallest of these; 1 or -1 for the largest or smallest sum of magnitudes in a column; inf or
            -inf for those in a row.
        dim: the dimensions of rows and columns.
        keepdim: keep these dimensions with size 1.
        dtype: cast to this dtype, which must not be narrower, first.

    Raises:
        TypeError: ``dim`` is one number.
        RuntimeError: fewer than two dimensions; integers; another ``ord``; dimensions that are not two different ones.
        IndexError: a dimension out of range; the smallest of no values.
    """
    return matrix_normed("linalg.matrix_norm", A, ord, dim, keepdim, dtype)


def matrix_normed(name: str, A: Tensor, ord: Any, dim: Any, keepdim: bool, dtype: DType | None) -> Tensor:
    """`matrix_norm` for the function ``name``, which errors mention."""
    node = matrix(name, A)
    if not isinstance(dim, Sequence):
        raise TypeError(f"{name}(): argument 'dim' must be a tuple of two ints, not {type(dim).__name__}")
    if not node.dtype.differentiable:
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {node.dtype.name}")
    if len(dim) != 2:
        raise RuntimeError(f"{name}: dim must be a 2-tuple. Got {tuple(dim)}")
    known = ("fro", "nuc") if isinstance(ord, str) else (1, -1, 2, -2, inf, -inf)
    if ord not in known or not (isinstance(ord, str) or is_scalar(ord)):
        raise RuntimeError(f"{name}: Order {ord} not supported.")
    axes = (normalize_axis(dim[0], node.rank, name), normalize_axis(dim[1], node.rank, name))
    if axes[0] == axes[1]:
        raise RuntimeError(f"{name}: dims must be different. Got {tuple(dim)}")
    if ord == "fro":
        return normed(name, A, 2, axes, keepdim, dtype)
    if dtype is not None:
        A = Tensor.from_node(cast_node(node, norm_dtype(name, node.dtype, dtype)))
    if isinstance(ord, str) or abs(ord) == 2:
        result = _of_singular_values(name, movedim(A, axes, (-2, -1)), ord)
    else:
        summed, compared = axes if abs(ord) == 1 else axes[::-1]
        result = _extreme(normed(name, A, 1, summed, True, None), compared, ord > 0)
    shape = reduced_shape(node.shape, axes, False)
    result = Tensor.from_node(reshaped(result.node(), shape))  # a sum has kept its axis
    if keepdim:
        for axis in sorted(axes):
            result = unsqueeze(result, axis)
    return result


def _of_singular_values(name: str, A: Tensor, ord: float | str) -> Tensor:
    check_dtype(name, A.dtype, BOTH_REFUSED)
    values = svdvals(A)
    return sum_(values, -1) if ord == "nuc" else _extreme(values, -1, ord == 2)


def _extreme(values: Tensor, axis: int, largest: bool) -> Tensor:
    """The largest value, 0 if there is none, or the smallest."""
    if largest and values.shape[axis] == 0:
        return new_zeros(values, reduced_shape(values.shape, (axis % values.ndim,), False))
    return (amax if largest else amin)(values, axis)
