"""Sums, means and medians that leave NaN out."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.dtype import Category, DType
from lazygrad.ops.arguments.keywords import numpy_keywords
from lazygrad.ops.arguments.kinds import Dim
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.creation.like import zeros_like
from lazygrad.ops.pointwise.relational import isnan
from lazygrad.ops.pointwise.selection import where
from lazygrad.ops.reductions.sums import sum
from lazygrad.tensor import Tensor

__all__ = ["nansum", "nanmean"]


def _without_nan(input: Tensor) -> Tensor:
    if input.dtype.is_complex:
        raise RuntimeError("sums without NaN do not support complex numbers; sum the real and imaginary parts")
    if input.dtype.category < Category.FLOAT:
        return input
    return where(isnan(input), zeros_like(input), input)


@accepts_out
@method()
@traced
@numpy_keywords
def nansum(input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """The sum over ``dim``, NaN counting as 0; see `sum`.

    Raises:
        IndexError: a dimension out of range. RuntimeError: a dimension given twice.
    """
    return sum(_without_nan(tensor_argument(input, "nansum")), dim, keepdim, dtype=dtype)


@accepts_out
@method()
@traced
@numpy_keywords
def nanmean(input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """The mean over ``dim`` of the elements that are not NaN; NaN where there are none.

    Raises:
        RuntimeError: integers or bools, or a dimension given twice. IndexError: a dimension out of range.
    """
    if not tensor_argument(input, "nanmean").dtype.differentiable:
        raise RuntimeError(f"nanmean(): expected input to have floating point or complex dtype but got "
                           f"{input.dtype.name}")  # fmt: skip
    counted: Any = ~isnan(input.detach())
    return nansum(input, dim, keepdim, dtype=dtype) / sum(counted, dim, keepdim)
