"""Running sums, products and extrema."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.dtype import Category, DType, int64
from lazygrad.ir.node import Node
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.shape import normalize_axis
from lazygrad.ops import return_types
from lazygrad.ops.arguments.keywords import numpy_keywords
from lazygrad.ops.arguments.operands import cast_node, tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.reducing import axis_operand, selected
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.arguments.tracing import traced
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node

__all__ = ["cumsum", "cumprod", "logcumsumexp", "cummax", "cummin"]


def _scan(name: str, op: Op, input: Tensor, dim: Any, dtype: DType | None) -> Tensor:
    node = tensor_argument(input, name).node()
    axis = normalize_axis(dim, node.rank, name)
    if dtype is None:
        dtype = int64 if node.dtype.category < Category.FLOAT else node.dtype
    node = cast_node(node, dtype)
    return record(op, (node,), (axis,)) if node.rank else record(ew.contiguous, (node,))


@accepts_out
@method(inplace=True)
@traced
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
@traced
@numpy_keywords
def cumprod(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """The running product along ``dim``; see `cumsum`.

    Raises:
        IndexError: ``dim`` out of range.
    """
    return _scan("cumprod", rd.cumprod, input, dim, dtype)


@accepts_out
@method()
@numpy_keywords
def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """ln of the running sum of eˣ along ``dim``, without overflow.

    Raises:
        NotImplementedError: integers or bools.
        IndexError: ``dim`` out of range.
    """
    if not tensor_argument(input, "logcumsumexp").dtype.differentiable:
        raise NotImplementedError(f"logcumsumexp not implemented for '{input.dtype.scalar_type}'; cast with .float()")
    return _scan("logcumsumexp", rd.logcumsumexp, input, dim, None)


def _running_extremum(name: str, input: Tensor, dim: int, smallest: bool) -> tuple[Tensor, Tensor]:
    """The extremum so far at each place, and where it lies; the last place of several."""
    node, axis = axis_operand(name, input, dim)
    ordered = _reversed_order(node) if smallest else node
    return selected(node, record_node(rd.cummax_index, (ordered,), (axis,)), axis, input.node().type.shape)


def _reversed_order(node: Node) -> Node:
    """Numbers that are ordered the other way round, NaN staying NaN."""
    return record_node(ew.neg if node.dtype.category >= Category.FLOAT else ew.invert, (node,))


@accepts_out
@method()
@numpy_keywords
def cummax(input: Tensor, dim: int) -> return_types.cummax:
    """The largest element so far along ``dim``, as a named pair (values, indices); NaN is the largest.

    Raises:
        IndexError: ``dim`` out of range.
    """
    return return_types.cummax(*_running_extremum("cummax", input, dim, smallest=False))


@accepts_out
@method()
@numpy_keywords
def cummin(input: Tensor, dim: int) -> return_types.cummin:
    """The smallest element so far along ``dim``, as a named pair (values, indices); NaN is the smallest.

    Raises:
        IndexError: ``dim`` out of range.
    """
    return return_types.cummin(*_running_extremum("cummin", input, dim, smallest=True))
