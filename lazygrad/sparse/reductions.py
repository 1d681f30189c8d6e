"""Sums and softmax of sparse tensors."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from lazygrad.ir.dtype import Category, DType, int64
from lazygrad.ir.shape import normalize_axes, normalize_axis
from lazygrad.ops.creation.filled import zeros
from lazygrad.ops.creation.like import full_like
from lazygrad.ops.indexing.scattering import index_add
from lazygrad.ops.reductions.sets import unique
from lazygrad.sparse.tensor import SparseTensor
from lazygrad.tensor import Tensor


def sum(input: SparseTensor, dim: int | Sequence[int] | None = None, *, dtype: DType | None = None) -> Tensor:
    """The sum of all elements, or over dimensions, which are dropped; none of them if ``dim`` is empty.

    Returns:
        A sparse tensor while sparse dimensions are left, otherwise one in memory.

    Raises:
        IndexError: a dimension that does not exist.
    """
    if dtype is not None:
        input = input.to(dtype)
    if dim is None:
        total: Tensor = input._values().sum()
        return total
    if not isinstance(dim, int) and not dim:
        return input.coalesce()
    dropped = normalize_axes(dim, input.ndim, "sum")
    split = input.sparse_dim()
    dense = [axis - split + 1 for axis in dropped if axis >= split]
    values: Any = input._values().sum(dense) if dense else input._values()
    kept = [axis for axis in range(split) if axis not in dropped]
    size = tuple([length for axis, length in enumerate(input.shape) if axis not in dropped])
    if not kept:
        result: Tensor = values.sum(0)
        return result
    if len(kept) == split:
        return SparseTensor(input._indices(), values, size, input.is_coalesced()).coalesce()
    return SparseTensor(input._indices()[kept], values, size).coalesce()


def log_softmax(input: SparseTensor, dim: int, *, dtype: DType | None = None) -> SparseTensor:
    """log of `softmax`."""
    merged, centred, lines, count = _centred(input, dim, dtype)
    return merged.like(centred - _line_sums(centred.exp(), lines, count).log())


def softmax(input: SparseTensor, dim: int, *, dtype: DType | None = None) -> SparseTensor:
    """exp(x) / Σ exp(x) along one dimension, over the elements that are stored: the others count as −∞.

    Raises:
        NotImplementedError: values with dimensions of their own, or complex ones.
        IndexError: a dimension that does not exist.
    """
    merged, centred, lines, count = _centred(input, dim, dtype)
    weights = centred.exp()
    return merged.like(weights / _line_sums(weights, lines, count))


def _centred(input: SparseTensor, dim: int, dtype: DType | None) -> tuple[SparseTensor, Any, Tensor, int]:
    """The values minus the largest of their line along ``dim``, and which line each value belongs to."""
    merged = input.coalesce() if dtype is None else input.coalesce().to(dtype)
    if merged.dense_dim():
        raise NotImplementedError("softmax of a sparse tensor is implemented for values without dimensions")
    if merged.dtype.category is Category.COMPLEX:
        raise NotImplementedError(f"softmax of a sparse tensor not implemented for '{merged.dtype.scalar_type}'")
    if not merged.ndim:
        raise IndexError("softmax: a sparse tensor without dimensions has none to sum over")
    axis = normalize_axis(dim, merged.ndim, "softmax")
    kept = [other for other in range(merged.ndim) if other != axis]
    size = tuple([merged.shape[other] for other in kept])
    values: Any = merged._values()
    lines = SparseTensor(merged._indices()[kept], values, size).flat_places()
    _, which = unique(lines, return_inverse=True)
    count = values.shape[0]
    largest = full_like(values.detach(), -inf).scatter_reduce(0, which, values.detach(), "amax")
    return merged, values - largest[which], which, count


def _line_sums(values: Any, lines: Tensor, count: int) -> Any:
    return index_add(zeros(count, dtype=values.dtype, device=values.device), 0, lines, values)[lines]


def _sum(self: SparseTensor, dim: int | Sequence[int] | None = None, *, dtype: DType | None = None) -> Tensor:
    """`sum`, with integers added up in int64 as `Tensor.sum` does."""
    if dtype is None and self.dtype.category in (Category.INTEGER, Category.BOOL):
        dtype = int64
    return sum(self, dim, dtype=dtype)


def norm(
    self: SparseTensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: DType | None = None
) -> Tensor:
    """The norm of all elements, of which those without a place add nothing.

    Raises:
        RuntimeError: norms over dimensions.
    """
    if dim not in (None, (), []) or keepdim:
        raise RuntimeError("norm_sparse currently only supports full reductions, so 'dim' must be None or empty")
    result: Tensor = self.coalesce()._values().norm(2 if p == "fro" else p, dtype=dtype)
    return result


def _any(self: SparseTensor) -> Tensor:
    """Whether any element is not zero."""
    result: Tensor = self.coalesce()._values().any()
    return result


for _name, _function in {"sum": _sum, "norm": norm, "any": _any}.items():
    setattr(SparseTensor, _name, _function)
