"""Sorting, and what follows from an order: the k largest, the k-th smallest, insertion points.

Every sort here is stable, so results do not depend on the machine; NaN is larger than any number.
"""

from __future__ import annotations

from operator import index

from lazygrad.ir.dtype import bool_, int32, int64
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing, movement
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.shape import numel
from lazygrad.ops import return_types
from lazygrad.ops.arguments.keywords import numpy_keywords
from lazygrad.ops.arguments.kinds import Operand
from lazygrad.ops.arguments.operands import cast_node, promoted
from lazygrad.ops.arguments.out import accepts_out, needs_separate_out
from lazygrad.ops.arguments.reducing import axis_operand, check_nonempty, reshaped, selected, selection_shape
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.arguments.tracing import traced
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node

__all__ = ["sort", "argsort", "topk", "kthvalue", "msort", "searchsorted", "bucketize"]


def _order(node: Node, axis: int, descending: bool = False) -> Node:
    return record_node(rd.argsort, (node,), (axis, descending))


def _range_of(node: Node, axis: int, start: int, stop: int) -> Node:
    """Elements ``start`` to ``stop`` along ``axis``."""
    shape = node.type.shape
    starts = tuple(start if a == axis else 0 for a in range(len(shape)))
    stops = tuple(stop if a == axis else size for a, size in enumerate(shape))
    return record_node(movement.slice_, (node,), (starts, stops, (1,) * len(shape)))


@accepts_out
@method()
@traced
@numpy_keywords
def sort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool | None = None) -> return_types.sort:
    """The elements in order along ``dim``, as a named pair (values, indices).

    Args:
        input: any shape and dtype.
        dim: the dimension to sort along.
        descending: largest first.
        stable: equal elements keep their order; they do in any case.

    Raises:
        IndexError: ``dim`` out of range.
    """
    node, axis = axis_operand("sort", input, dim)
    return return_types.sort(*selected(node, _order(node, axis, descending), axis, input.node().type.shape))


@accepts_out
@method()
@traced
@numpy_keywords
def argsort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Tensor:
    """The int64 indices that sort ``dim``; see `sort`.

    Raises:
        IndexError: ``dim`` out of range.
    """
    node, axis = axis_operand("argsort", input, dim)
    return Tensor.from_node(reshaped(_order(node, axis, descending), input.node().type.shape))


@accepts_out
@method()
@numpy_keywords
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> return_types.topk:
    """The ``k`` largest elements along ``dim``, largest first, as a named pair (values, indices).

    Args:
        input: any shape, not bool.
        k: how many, at most the size of ``dim``.
        dim: the dimension to choose along.
        largest: False for the smallest, smallest first.
        sorted: accepted; the result is sorted in any case.

    Raises:
        RuntimeError: ``k`` out of range; a bool tensor.
        IndexError: ``dim`` out of range.
    """
    return _topk(input, index(k), dim, largest)  # a tensor may say how many


@traced
def _topk(input: Tensor, k: int, dim: int, largest: bool) -> return_types.topk:
    node, axis = axis_operand("topk", input, dim)
    if node.dtype is bool_:
        raise RuntimeError("topk does not support bool; cast with .int()")
    if not 0 <= k <= node.type.shape[axis]:
        raise RuntimeError(f"topk: selected index k out of range: {k} for dimension {axis} of size "
                           f"{node.type.shape[axis]}")  # fmt: skip
    places = _range_of(_order(node, axis, largest), axis, 0, k)
    return return_types.topk(*selected(node, places, axis, places.type.shape if input.ndim else ()))


@accepts_out
@needs_separate_out
@method()
@traced
@numpy_keywords
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> return_types.kthvalue:
    """The ``k``-th smallest element along ``dim``, counted from 1, as a named pair (values, indices).

    Raises:
        RuntimeError: ``k`` out of range.
        NotImplementedError: a bool tensor.
        IndexError: ``dim`` out of range or empty.
    """
    node, axis = axis_operand("kthvalue", input, dim)
    if node.dtype is bool_:
        raise NotImplementedError("kthvalue not implemented for 'Bool'; cast with .int()")
    check_nonempty("kthvalue", node.type.shape, axis)
    k = index(k)
    if not 1 <= k <= node.type.shape[axis]:
        raise RuntimeError(f"kthvalue(): selected number k={k} out of range for dimension {axis} of size "
                           f"{node.type.shape[axis]}")  # fmt: skip
    place = _range_of(_order(node, axis), axis, k - 1, k)
    return return_types.kthvalue(*selected(node, place, axis, selection_shape(input, axis, keepdim)))


@accepts_out
@method()
def msort(input: Tensor) -> Tensor:
    """The elements in ascending order along the first dimension."""
    return sort(input, 0).values


# Insertion points: the rank of a value among the boundaries is its rank among both less its rank among the values.


def _ranks(node: Node) -> Node:
    """The position of each element of the last axis in the sorted order, equal ones in their own order."""
    axis = node.rank - 1
    return _order(_order(node, axis), axis)


def _insertion_points(boundaries: Node, values: Node, right: bool) -> Node:
    """For each value, how many boundaries are less (not greater when ``right``), along the last axis."""
    axis, count = values.rank - 1, values.type.shape[-1]
    parts = (boundaries, values) if right else (values, boundaries)
    ranks = _ranks(record_node(indexing.concat, parts, (axis,)))
    start = boundaries.type.shape[-1] if right else 0
    return record_node(ew.sub, (_range_of(ranks, axis, start, start + count), _ranks(values)))


@accepts_out
@method()
@traced
def searchsorted(
    sorted_sequence: Tensor,
    input: Operand,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Where to insert values into a sorted sequence so that it stays sorted.

    Args:
        sorted_sequence: ascending along its last dimension; 1-dim, or with the leading dimensions of ``input``.
        input: values, a tensor or a number.
        out_int32: give int32 instead of int64.
        right: insert behind equal elements rather than before them.
        side: "left" or "right", the same choice in words.
        sorter: indices that sort ``sorted_sequence``, where it is not sorted itself.

    Raises:
        RuntimeError: leading dimensions that differ; a ``side`` that is neither, or contradicts ``right``.
    """
    if side not in (None, "left", "right") or (side == "left" and right):
        raise RuntimeError(f"searchsorted: side must be 'left' or 'right' and agree with right={right}, not {side!r}")
    boundaries, values = promoted("searchsorted", sorted_sequence, input)
    if sorter is not None:
        boundaries = record_node(indexing.gather, (boundaries, sorter.node()), (boundaries.rank - 1, False))
    if boundaries.rank != 1 and boundaries.type.shape[:-1] != values.type.shape[:-1]:
        raise RuntimeError(f"searchsorted: boundaries should be 1-dimensional or have the leading dimensions of the "
                           f"values, but got {boundaries.type} and {values.type}")  # fmt: skip
    shape = values.type.shape
    if boundaries.rank == 1:
        values = reshaped(values, (numel(shape),))
    found = reshaped(_insertion_points(boundaries, values, right or side == "right"), shape)
    return Tensor.from_node(cast_node(found, int32 if out_int32 else int64))


@accepts_out
def bucketize(input: Operand, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """The bucket of each value, given ascending boundaries; see `searchsorted`."""
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)
