"""Sums, extrema and their like over dimensions, and running ones."""

from __future__ import annotations

import builtins
from typing import Any

from lazygrad.array_api.axes import Axes, axes_of
from lazygrad.array_api.operands import converted
from lazygrad.ir.dtype import Category, DType, int64
from lazygrad.ops import public
from lazygrad.tensor import Tensor

__all__ = [
    "sum",
    "mean",
    "max",
    "min",
    "var",
    "std",
    "any",
    "all",
    "prod",
    "count_nonzero",
    "argmax",
    "argmin",
    "cumulative_sum",
    "cumulative_prod",
]


def _reduced(name: str, x: Tensor, axis: Axes, keepdims: builtins.bool, **options: Any) -> Tensor:
    """One of PyTorch's reductions. No dimensions, which PyTorch takes for all, are a new one of size 1."""
    axes = axes_of(x, axis)
    if not axes:
        x, axes, keepdims = public.unsqueeze(x, -1), [-1], False
    found: Tensor = getattr(public, name)(x, dim=axes, keepdim=keepdims, **options)
    return found


def sum(x: Tensor, /, *, axis: Axes = None, dtype: DType | None = None, keepdims: builtins.bool = False) -> Tensor:
    """Sums."""
    return _reduced("sum", x, axis, keepdims, dtype=dtype)


def mean(x: Tensor, /, *, axis: Axes = None, keepdims: builtins.bool = False) -> Tensor:
    """Means."""
    return _reduced("mean", x, axis, keepdims)


def max(x: Tensor, /, *, axis: Axes = None, keepdims: builtins.bool = False) -> Tensor:
    """Largest elements."""
    return _reduced("amax", x, axis, keepdims)


def min(x: Tensor, /, *, axis: Axes = None, keepdims: builtins.bool = False) -> Tensor:
    """Smallest elements."""
    return _reduced("amin", x, axis, keepdims)


def var(x: Tensor, /, *, axis: Axes = None, correction: float = 0.0, keepdims: builtins.bool = False) -> Tensor:
    """Variances."""
    return _reduced("var", x, axis, keepdims, correction=correction)


def std(x: Tensor, /, *, axis: Axes = None, correction: float = 0.0, keepdims: builtins.bool = False) -> Tensor:
    """Standard deviations."""
    return _reduced("std", x, axis, keepdims, correction=correction)


def any(x: Tensor, /, *, axis: Axes = None, keepdims: builtins.bool = False) -> Tensor:
    """Whether some element is not zero."""
    return _reduced("any", public.ne(x, 0), axis, keepdims)


def all(x: Tensor, /, *, axis: Axes = None, keepdims: builtins.bool = False) -> Tensor:
    """Whether no element is zero."""
    return _reduced("all", public.ne(x, 0), axis, keepdims)


def prod(x: Tensor, /, *, axis: Axes = None, dtype: DType | None = None, keepdims: builtins.bool = False) -> Tensor:
    """Products, which PyTorch takes over one dimension at a time."""
    chosen = dtype or (x.dtype if x.dtype.category >= Category.FLOAT else int64)
    axes = {one % x.ndim for one in axes_of(x, axis)}
    result = converted(x, chosen)
    for one in sorted(axes, reverse=True):
        result = public.prod(result, one, keepdim=keepdims, dtype=chosen)
    return result


def count_nonzero(x: Tensor, /, *, axis: Axes = None, keepdims: builtins.bool = False) -> Tensor:
    """How many elements are not zero."""
    return _reduced("sum", public.ne(x, 0), axis, keepdims)


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: builtins.bool = False) -> Tensor:
    """Places of the largest elements."""
    return public.argmax(x, axis, keepdim=keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: builtins.bool = False) -> Tensor:
    """Places of the smallest elements."""
    return public.argmin(x, axis, keepdim=keepdims)


def cumulative_sum(
    x: Tensor, /, *, axis: int | None = None, dtype: DType | None = None, include_initial: builtins.bool = False
) -> Tensor:
    """Running sums, preceded by a zero if asked for."""
    return _running("cumsum", 0, x, axis, dtype, include_initial)


def cumulative_prod(
    x: Tensor, /, *, axis: int | None = None, dtype: DType | None = None, include_initial: builtins.bool = False
) -> Tensor:
    """Running products, preceded by a one if asked for."""
    return _running("cumprod", 1, x, axis, dtype, include_initial)


def _running(name: str, start: int, x: Tensor, axis: int | None, dtype: DType | None, include_initial: Any) -> Tensor:
    along = 0 if axis is None else axis
    found: Any = getattr(public, name)(x, along, dtype=dtype)
    if not include_initial:
        return found
    first = list(x.shape)
    first[along] = 1
    return public.cat([public.full(first, start, dtype=found.dtype, device=x.device), found], along)
