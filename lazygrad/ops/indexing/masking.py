"""Selecting and replacing elements by a boolean mask, and positions of nonzero elements.

The shape of what a mask selects depends on its values, so functions that return such a tensor compute the mask.
"""

from __future__ import annotations

from operator import index
from typing import Any, Literal, overload

import numpy as np

from lazygrad.ir import build
from lazygrad.ir.composites.requirement import in_range
from lazygrad.ir.dtype import bool_, int64
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing, reduction
from lazygrad.levels import levels
from lazygrad.ops.arguments.operands import cast_node, scalar_node, tensor_argument
from lazygrad.ops.arguments.out import accepts_out, needs_separate_out
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.indexing.addressing import take_node
from lazygrad.ops.indexing.picking import picked
from lazygrad.ops.shapes.layout import numel
from lazygrad.ops.shapes.reshaping import broadcast_tensors, reshape, unsqueeze
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node

__all__ = ["masked_select", "masked_scatter", "nonzero", "argwhere"]


def _mask(mask: Any, name: str) -> Tensor:
    if tensor_argument(mask, name, "mask").dtype is not bool_:
        raise RuntimeError(
            f"{name}: expected BoolTensor for mask, but got dtype {mask.dtype.name}; compare, e.g. mask != 0"
        )
    return mask


@accepts_out
@needs_separate_out
@method()
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where the mask is true, in row-major order; both broadcast. Computes the mask.

    Raises:
        RuntimeError: a mask that is not bool.
    """
    if tensor_argument(input, "masked_select")._sizes() == _mask(mask, "masked_select")._sizes():
        found = picked(input, mask)
        if found is not None:
            return found
    values, chosen = broadcast_tensors(input, mask)
    return masked_elements(values, chosen)


def masked_elements(values: Tensor, mask: Tensor) -> Tensor:
    """The elements of ``values`` where a mask of the same shape is true."""
    flat_positions = mask_positions(reshape(mask, -1))
    return Tensor.from_node(take_node(reshape(values, -1).node(), [(0, flat_positions[0].node())]))


@method(inplace=True)
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """``input`` with the elements where the mask is true replaced by those of ``source``, in row-major order.

    Raises:
        RuntimeError: a mask that is not bool, dtypes that differ; at run time, ``source`` is too short.
    """
    if tensor_argument(source, "masked_scatter", "source").dtype is not input.dtype:
        raise RuntimeError(f"masked_scatter: expected self and source to have same dtypes but got {input.dtype.name} "
                           f"and {source.dtype.name}")  # fmt: skip
    values, chosen = broadcast_tensors(tensor_argument(input, "masked_scatter"), _mask(mask, "masked_scatter"))
    if numel(source) == 0:  # leaves nothing to read from, so the mask must be false everywhere
        if chosen.array().any():
            raise RuntimeError("masked_scatter: expected `source` to have elements, as the mask is true somewhere")
        return Tensor.from_node(values.node())
    order = record_node(reduction.cumsum, (cast_node(reshape(chosen, -1).node(), int64),), (0,))
    number = record_node(ew.sub, (order, scalar_node(1, int64, input.device)))
    message = "masked_scatter: Number of elements of source < number of ones in mask"
    place = record_node(in_range, (number,), (-1, numel(source) - 1, "RuntimeError", message))
    taken = record(indexing.take, (reshape(source, -1).node(), place))
    return record(ew.where, (chosen.node(), reshape(taken, values.shape).node(), values.node()))


# Positions.


def mask_positions(mask: Tensor) -> tuple[Tensor, ...]:
    """The positions of nonzero elements, an int64 vector per dimension. Computes the tensor."""
    positions = np.nonzero(mask.array())
    return tuple([Tensor.from_array(np.ascontiguousarray(p), mask.device, shared=False) for p in positions])


@overload
def nonzero(input: Tensor, *, as_tuple: Literal[False] = False) -> Tensor: ...
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...
@accepts_out
@needs_separate_out
@method()
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The positions of nonzero elements, in row-major order. Computes the tensor.

    Args:
        as_tuple: as one int64 vector per dimension, ready for indexing; otherwise as the rows of one matrix.
    """
    tensor = tensor_argument(input, "nonzero")
    if as_tuple:
        return mask_positions(tensor if tensor.ndim else reshape(tensor, 1))
    found = np.ascontiguousarray(np.argwhere(tensor.array()))  # numpy gives a transposed view, buffers are row-major
    return Tensor.from_array(found, tensor.device, shared=False)


@method()
def argwhere(input: Tensor) -> Tensor:
    """The positions of nonzero elements as rows of an int64 matrix. Computes the tensor."""
    return nonzero(input)


def one_hot(input: Tensor, num_classes: int = -1) -> Tensor:
    """1 at the class, 0 elsewhere: int64, with a new last dimension. Computes the classes, to check their range.

    Args:
        input: int64 classes.
        num_classes: size of the new dimension; by default the largest class + 1.

    Raises:
        RuntimeError: not int64, or a class outside [0, num_classes).
    """
    if tensor_argument(input, "one_hot").dtype is not int64:
        raise RuntimeError(f"one_hot is only applicable to index tensor of type int64, not {input.dtype.name}")
    count = num_classes = index(num_classes)
    stacked = any(level.stack(input.node()) is not None for level in levels.active)  # in vmap nobody can look
    if input.device.computes and not (stacked and num_classes > 0):
        count = _checked_classes(input.array(), num_classes)
    classes = build.iota(count, int64, input.device)
    hit = record_node(ew.eq, (unsqueeze(input, -1).node(), classes))
    return Tensor.from_node(cast_node(hit, int64))


def _checked_classes(classes: np.ndarray, num_classes: int) -> int:
    if classes.size == 0:
        if num_classes <= 0:
            raise RuntimeError("one_hot: can not infer total number of classes from empty tensor.")
        return num_classes
    if classes.min() < 0:
        raise RuntimeError("one_hot: Class values must be non-negative.")
    largest = int(classes.max())
    if num_classes == -1:
        return largest + 1
    if largest >= num_classes:
        raise RuntimeError(f"one_hot: Class values must be smaller than num_classes. But {largest} >= {num_classes}")
    return num_classes
