"""Products of matrices and vectors."""

from __future__ import annotations

from typing import Any

from lazygrad.array_api.operands import promoted
from lazygrad.ops import public
from lazygrad.tensor import Tensor

__all__ = [
    "matmul",
    "matrix_transpose",
    "tensordot",
    "vecdot",
]


def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Matrix products, in the common dtype."""
    found: Tensor = public.matmul(*promoted("matmul", x1, x2))
    return found


def matrix_transpose(x: Any, /) -> Tensor:
    """The last two dimensions swapped."""
    return public.transpose(x, -2, -1)


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: Any = 2) -> Tensor:
    """Products summed over pairs of dimensions."""
    first, second = promoted("tensordot", x1, x2)
    return public.tensordot(first, second, axes)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Inner products along one dimension, the first operand conjugated.

    Raises:
        ValueError: the vectors have different sizes; they do not broadcast.
    """
    first, second = promoted("vecdot", x1, x2)
    if first.shape[axis] != second.shape[axis]:
        shapes = f"{tuple(first.shape)} and {tuple(second.shape)}"
        raise ValueError(f"vecdot: dimension {axis} of shapes {shapes} must have one size")
    found: Tensor = public.sum(public.conj(first) * second, axis, dtype=first.dtype)
    return found
