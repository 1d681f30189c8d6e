"""Products of matrices and vectors."""

from __future__ import annotations

from typing import Any

from lazygrad.array_api.dtypes import result_type
from lazygrad.ops import public
from lazygrad.tensor import Tensor

__all__ = [
    "matmul",
    "tensordot",
    "vecdot",
]


def matmul(x1: Any, x2: Any, /) -> Tensor:
    """Matrix products, in the common dtype."""
    dtype = result_type(x1, x2)
    return public.matmul(x1.to(dtype), x2.to(dtype))


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: Any = 2) -> Tensor:
    """Products summed over pairs of dimensions."""
    return public.tensordot(x1, x2, axes)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Tensor:
    """Inner products along one dimension, the first operand conjugated."""
    first = public.conj(x1) if x1.dtype.is_complex else x1
    return public.sum(first * x2, axis)
