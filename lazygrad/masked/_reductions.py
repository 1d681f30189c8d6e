"""Reductions of the elements that a mask lets through."""

from __future__ import annotations

from typing import Any

from lazygrad import linalg
from lazygrad.ir.dtype import DType, float32
from lazygrad.masked._masks import Dims, mask_of, masked_input, require_dense, sorted_dims, sum_dtype
from lazygrad.ops import public
from lazygrad.tensor import Tensor

__all__ = [
    "amax", "amin", "argmax", "argmin", "logaddexp", "logsumexp", "mean", "median", "norm", "prod", "std", "sum", "var",
]  # fmt: skip


def sum(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The sum; 0 where all elements are masked.

    Args:
        input: dense, of any shape and dtype.
        dim: dimensions to reduce, all by default.
        keepdim: whether they stay, of size 1.
        dtype: of the sum; int64 for integers and the dtype of ``input`` by default.
        mask: of a shape that broadcasts to that of ``input``; False for elements that do not count.

    Raises:
        ValueError: a sparse tensor.
        IndexError: a dimension that is not there, or a mask with more dimensions than ``input``.
        RuntimeError: a dimension that is named twice.
    """
    counted = masked_input("sum", input, mask)
    return public.sum(counted, sorted_dims(dim, input.dim()), bool(keepdim), dtype=dtype or sum_dtype(input))


def prod(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The product; 1 where all elements are masked. Arguments and errors as for `sum`."""
    result = masked_input("prod", input, mask).to(dtype=dtype or sum_dtype(input))
    for each in reversed(sorted_dims(dim, input.dim())):
        result = public.prod(result, each, bool(keepdim))
    return result


def amax(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The largest element, in ``dtype``; the least value there is where all elements are masked. See `sum`."""
    result = public.amax(masked_input("amax", input, mask), sorted_dims(dim, input.dim()), bool(keepdim))
    return result.to(dtype=dtype or input.dtype)


def amin(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The smallest element, in ``dtype``; the largest value there is where all elements are masked. See `sum`."""
    result = public.amin(masked_input("amin", input, mask), sorted_dims(dim, input.dim()), bool(keepdim))
    return result.to(dtype=dtype or input.dtype)


def argmax(
    input: Tensor,
    dim: int | None = None,
    *,
    keepdim: bool | None = False,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Where the largest element is, in ``dtype`` or that of ``input``; in all of it for None. See `sum`."""
    return public.argmax(masked_input("argmax", input, mask), dim, bool(keepdim)).to(dtype=dtype or input.dtype)


def argmin(
    input: Tensor,
    dim: int | None = None,
    *,
    keepdim: bool | None = False,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Where the smallest element is, in ``dtype`` or that of ``input``; in all of it for None. See `sum`."""
    return public.argmin(masked_input("argmin", input, mask), dim, bool(keepdim)).to(dtype=dtype or input.dtype)


def mean(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The mean; NaN where all elements are masked. Arguments as for `sum`.

    Raises:
        ValueError: a dtype that has no fractions, or a sparse tensor.
    """
    chosen = dtype or input.dtype
    if not (chosen.is_floating_point or chosen.is_complex):
        raise ValueError(
            f"mean(): Could not infer output dtype. {'Input' if dtype is None else 'Optional'} dtype must be either a "
            f"floating point or complex dtype. Got: {chosen}"
        )
    require_dense("mean", input)
    return sum(input, dim, keepdim=keepdim, dtype=chosen, mask=mask) / _count(input, dim, keepdim, mask)


def median(
    input: Tensor, dim: int = -1, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None
) -> Tensor:
    """The median along one dimension, the lower of two; NaN where all elements are masked. Arguments as for `sum`.

    Raises:
        ValueError: integers of which all are masked, or a sparse tensor.
    """
    (place,) = sorted_dims(dim, input.dim())[:1] or (0,)
    is_float = input.dtype.is_floating_point
    counted = masked_input("median", input if is_float else input.to(dtype=float32), mask)
    result = public.nanmedian(counted, place, keepdim).values
    if is_float:
        return result
    if public.isnan(result).any():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return result.to(dtype=dtype or input.dtype)


def logsumexp(
    input: Tensor, dim: Dims = None, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None
) -> Tensor:
    """The logarithm of the sum of exponentials, in ``dtype``; -inf where all elements are masked. See `sum`."""
    counted = masked_input("logsumexp", input, mask)
    return public.logsumexp(counted, sorted_dims(dim, input.dim()), keepdim=keepdim).to(dtype=dtype or input.dtype)


def logaddexp(
    input: Tensor,
    other: Tensor,
    *,
    dtype: DType | None = None,
    input_mask: Tensor | None = None,
    other_mask: Tensor | None = None,
) -> Tensor:
    """``log(exp(input) + exp(other))`` of each two elements; masked ones count as -inf. Errors as for `sum`."""
    counted = masked_input("logaddexp", input, input_mask), masked_input("logaddexp", other, other_mask)
    return public.logaddexp(*counted).to(dtype=dtype or input.dtype)


def norm(
    input: Tensor,
    ord: float | None = 2.0,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The norm of order ``ord``; 0 where all elements are masked, inf for ``ord=-inf``. Others as for `sum`."""
    counted = masked_input("norm", input, mask, ord)
    order: Any = 2 if ord is None else ord
    return linalg.vector_norm(counted, order, sorted_dims(dim, input.dim()), bool(keepdim), dtype=dtype or input.dtype)


def var(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool | None = False,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The variance; NaN where all elements are masked.

    Args:
        unbiased: whether ``correction`` is 1, else it is 0.
        correction: what is taken from the number of elements; 1 by default.
        input, dim, keepdim, dtype, mask: see `sum`; integers give float32.

    Raises:
        AssertionError: both ``unbiased`` and ``correction``.
        ValueError: a sparse tensor.
    """
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    require_dense("std/var", input)
    taken = correction if correction is not None else 1.0 if unbiased is None or unbiased else 0.0
    chosen = dtype or input.dtype
    is_fractional = chosen.is_floating_point or chosen.is_complex
    if dtype is None and not is_fractional:
        chosen = float32
    computed = chosen if chosen.is_floating_point or chosen.is_complex else float32
    count = _count(input, dim, True, mask)
    away = input - sum(input, dim, keepdim=True, dtype=chosen, mask=mask) / count
    total = sum(away * away.conj(), dim, keepdim=keepdim, dtype=computed, mask=mask)
    number = count.reshape(total.shape).to(dtype=(total.real if computed.is_complex else total).dtype)
    if taken != 0:
        number = (number - taken).clamp(min=0)
    return (total / number).to(dtype=chosen)


def std(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: int | None = None,
    keepdim: bool | None = False,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The root of `var`, with its arguments and errors."""
    return var(input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype, mask=mask).sqrt()


def _count(input: Tensor, dim: Dims, keepdim: bool | None, mask: Tensor | None) -> Tensor:
    """How many elements count."""
    given = public.ones((), device=input.device) if mask is None else mask
    return public.sum(mask_of(input, given), sorted_dims(dim, input.dim()), bool(keepdim))
