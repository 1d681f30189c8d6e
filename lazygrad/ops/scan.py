"""Running sums and products."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.dtype import Category, DType, int64
from lazygrad.ir.node import Op
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.shape import normalize_axis
from lazygrad.ops.keywords import numpy_keywords
from lazygrad.ops.operands import cast_node, tensor_argument
from lazygrad.ops.out import accepts_out
from lazygrad.ops.registering import method
from lazygrad.tensor import Tensor, record

__all__ = ["cumsum", "cumprod"]


def _scan(name: str, op: Op, input: Tensor, dim: Any, dtype: DType | None) -> Tensor:
    node = tensor_argument(input, name).node()
    axis = normalize_axis(dim, node.rank, name)
    if dtype is None:
        dtype = int64 if node.dtype.category < Category.FLOAT else node.dtype
    node = cast_node(node, dtype)
    return record(op, (node,), (axis,)) if node.rank else record(ew.contiguous, (node,))


@accepts_out
@method(inplace=True)
@numpy_keywords
def cumsum(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """The running sum along ``dim``, of the input's shape.

    Args:
        input: integers and bools are summed in int64, 16-bit floats in float32.
        dim: the dimension to run along.
        dtype: cast to this dtype before summing.

    Raises:
        IndexError: ``dim`` out of range.
    """
    return _scan("cumsum", rd.cumsum, input, dim, dtype)


@accepts_out
@method(inplace=True)
@numpy_keywords
def cumprod(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """The running product along ``dim``; see `cumsum`.

    Raises:
        IndexError: ``dim`` out of range.
    """
    return _scan("cumprod", rd.cumprod, input, dim, dtype)
