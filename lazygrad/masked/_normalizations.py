"""Functions that give each element a value, of which masked elements have no part."""

from __future__ import annotations

from lazygrad.ir.dtype import DType
from lazygrad.masked._masks import masked_input, sorted_dims
from lazygrad.masked._reductions import norm
from lazygrad.nn import functional
from lazygrad.ops import public
from lazygrad.tensor import Tensor

__all__ = ["cumprod", "cumsum", "log_softmax", "normalize", "softmax", "softmin"]


def softmax(input: Tensor, dim: int, *, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """The softmax along a dimension; 0 at masked elements, NaN where all are masked.

    Args:
        input: dense, of any shape.
        dim: the dimension.
        dtype: of the result; that of ``input`` by default.
        mask: of a shape that broadcasts to that of ``input``; False for elements that have no part.

    Raises:
        ValueError: a sparse tensor.
        IndexError: a dimension that is not there, or a mask with more dimensions than ``input``.
    """
    counted = masked_input("softmax", input, mask)
    return functional.softmax(counted, _dim(input, dim), dtype=dtype or input.dtype)


def log_softmax(input: Tensor, dim: int, *, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """The logarithm of `softmax`; -inf at masked elements."""
    counted = masked_input("log_softmax", input, mask)
    return functional.log_softmax(counted, _dim(input, dim), dtype=dtype or input.dtype)


def softmin(input: Tensor, dim: int, *, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """`softmax` of the negated elements."""
    counted = masked_input("softmin", input, mask)
    return functional.softmin(counted, _dim(input, dim), dtype=dtype or input.dtype)


def normalize(
    input: Tensor, ord: float, dim: int, *, eps: float = 1e-12, dtype: DType | None = None, mask: Tensor | None = None
) -> Tensor:
    """The elements over their norm along a dimension, at least ``eps``; 0 at masked elements. See `softmax`."""
    counted = masked_input("normalize", input, mask)
    length = norm(input, ord, dim, keepdim=True, dtype=dtype or input.dtype, mask=mask)
    return counted / public.maximum(length, public.full((), eps, dtype=length.dtype, device=length.device))


def cumsum(input: Tensor, dim: int, *, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """The sums of all elements up to each one. See `softmax`."""
    chosen = dtype or input.dtype
    return public.cumsum(masked_input("cumsum", input, mask), _dim(input, dim), dtype=chosen).to(dtype=chosen)


def cumprod(input: Tensor, dim: int, *, dtype: DType | None = None, mask: Tensor | None = None) -> Tensor:
    """The products of all elements up to each one. See `softmax`."""
    chosen = dtype or input.dtype
    return public.cumprod(masked_input("cumprod", input, mask), _dim(input, dim), dtype=chosen).to(dtype=chosen)


def _dim(input: Tensor, dim: int) -> int:
    return sorted_dims(dim, input.dim())[0]
