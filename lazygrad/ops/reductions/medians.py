"""The median, with NaN as the largest number or left out. Of two middle elements it is the lower one."""

from __future__ import annotations

from typing import Any, overload

from lazygrad.autograd_meta import is_tracked
from lazygrad.ir.dtype import Category, bool_, int64
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.primitives.leaf import straight_through, structural_number
from lazygrad.ops import return_types
from lazygrad.ops.arguments.keywords import numpy_keywords
from lazygrad.ops.arguments.operands import cast_node, tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.reducing import (
    axis_operand,
    check_nonempty,
    extent,
    reduced,
    reshaped,
    selected,
    selection_shape,
)
from lazygrad.ops.arguments.registering import broadcast_node, method
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.reductions.sums import mean
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node

__all__ = ["median", "nanmedian"]


def _whole(value: int, like: Node) -> Node:
    return structural_number(value, int64, like.device)


def _median_index(node: Node, axis: int, ignore_nan: bool) -> Node:
    """Where along ``axis``, which is kept, the median is; the first NaN where NaN decides."""
    order = record_node(rd.argsort, (node,), (axis, False))
    size = node.type.shape[axis]
    kept = tuple(1 if a == axis else n for a, n in enumerate(node.type.shape))
    place = _whole((size - 1) // 2, node)
    if node.dtype.category is Category.FLOAT:
        # NaN sorts last, so the first of n is n places from the end.
        nans = reduced(rd.reduce_sum, cast_node(record_node(ew.isnan, (node,)), int64), (axis,))
        numbers = record_node(ew.sub, (_whole(size, node), nans))
        if ignore_nan:
            last = record_node(ew.maximum, (record_node(ew.sub, (numbers, _whole(1, node))), _whole(0, node)))
            place = record_node(ew.floor_div, (last, _whole(2, node)))
        else:
            none = record_node(ew.eq, (nans, _whole(0, node)))
            place = record_node(ew.where, (none, place, numbers))
    return record_node(indexing.gather, (order, broadcast_node(place, kept)), (axis, False))


def _shared_by_ties(value: Node, vector: Node) -> Node:
    """``value``, with the gradient of the mean of those elements of a floating vector that equal it, or are NaN too."""
    both_nan = record_node(ew.bitwise_and, (record_node(ew.isnan, (vector,)), record_node(ew.isnan, (value,))))
    ties = record_node(ew.bitwise_or, (record_node(ew.eq, (vector, value)), both_nan))
    zero = structural_number(0, vector.dtype, vector.device)
    total = reduced(rd.reduce_sum, record_node(ew.where, (ties, vector, zero)), (0,))
    count = reduced(rd.reduce_sum, cast_node(ties, vector.dtype), (0,))
    return record_node(straight_through, (value, record_node(ew.div, (total, count))))


def _median_of_all(name: str, input: Tensor, ignore_nan: bool) -> Tensor:
    node = input.node()
    size = extent(node.type.shape, tuple(range(node.rank)))
    if size == 0 and node.dtype.category is Category.FLOAT:
        return mean(input)  # NaN
    check_nonempty(name, (size,), 0)
    vector = reshaped(node, (size,))
    value = record_node(indexing.gather, (vector, _median_index(vector, 0, ignore_nan)), (0, False))
    if is_tracked(vector):
        value = _shared_by_ties(value, vector)
    return Tensor.from_node(reshaped(value, ()))


def _median_along(name: str, input: Tensor, dim: int, keepdim: bool, ignore_nan: bool) -> tuple[Tensor, Tensor]:
    node, axis = axis_operand(name, input, dim)
    check_nonempty(name, node.type.shape, axis)
    return selected(node, _median_index(node, axis, ignore_nan), axis, selection_shape(input, axis, keepdim))


def _check_dtype(name: str, input: Tensor) -> None:
    if tensor_argument(input, name).dtype is bool_:
        raise NotImplementedError(f"{name} not implemented for 'Bool'; cast with .int()")
    if input.dtype.is_complex:
        raise NotImplementedError(
            f"{name} not implemented for '{input.dtype.scalar_type}': complex numbers have no order"
        )


@overload
def median(input: Tensor) -> Tensor: ...
@overload
def median(input: Tensor, dim: int, keepdim: bool = False) -> return_types.median: ...
@accepts_out
@method()
@traced
@numpy_keywords
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The median; the lower of two middle elements, NaN where there is one.

    Without ``dim`` that of all elements, 0-dim; along a dimension a named pair (values, indices).

    Raises:
        NotImplementedError: a bool tensor.
        IndexError: nothing to choose from; a dimension out of range.
    """
    _check_dtype("median", input)
    if dim is None:
        return _median_of_all("median", input, ignore_nan=False)
    return return_types.median(*_median_along("median", input, dim, keepdim, ignore_nan=False))


@overload
def nanmedian(input: Tensor) -> Tensor: ...
@overload
def nanmedian(input: Tensor, dim: int, keepdim: bool = False) -> return_types.nanmedian: ...
@accepts_out
@method()
@numpy_keywords
def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """`median` of the elements that are not NaN; NaN where there are none."""
    _check_dtype("nanmedian", input)
    if dim is None:
        return _median_of_all("nanmedian", input, ignore_nan=True)
    return return_types.nanmedian(*_median_along("nanmedian", input, dim, keepdim, ignore_nan=True))
