"""Several tensors as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazygrad.host.warn_once import warn_user_once
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import indexing, movement
from lazygrad.ir.shape import normalize_axis
from lazygrad.ops.arguments.keywords import numpy_keywords
from lazygrad.ops.arguments.kinds import Tensors
from lazygrad.ops.arguments.operands import cast_node, common_dtype, tensor_argument
from lazygrad.ops.arguments.out import accepts_out, needs_separate_out
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.shapes.reshaping import broadcast_tensors, reshape
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node
from lazygrad.tensor_parts import computed_tensor, plain_arrays

_JOINED_AT_MOST = 1 << 18  # bytes

__all__ = ["cat", "concat", "concatenate", "stack", "hstack", "vstack", "meshgrid"]


def tensor_list(tensors: Any, name: str) -> list[Tensor]:
    """The tensors of a sequence.

    Raises:
        TypeError: not a tuple or list, or an element that is not a tensor.
    """
    if isinstance(tensors, Tensor) or not isinstance(tensors, (list, tuple, Sequence)):
        raise TypeError(f"{name}(): argument 'tensors' must be a sequence of Tensors, not {type(tensors).__name__}")
    for position, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            tensor_argument(tensor, name, f"tensors[{position}]")
    return list(tensors)


def _joined_now(parts: Sequence[Tensor], dim: Any, is_stack: bool) -> Tensor | None:
    """A few computed elements, joined now: so it is no part of a program which of the parts are one tensor."""
    arrays = plain_arrays(parts, _JOINED_AT_MOST) if type(dim) is int else None
    if arrays is None:
        return None
    first = arrays[0]
    if is_stack:
        rank = first.ndim + 1
        if not -rank <= dim < rank:
            return None
        for array in arrays:
            if array.shape != first.shape:
                return None
        row = (*first.shape[: dim % rank], 1, *first.shape[dim % rank :])
        if dim or rank == 1:  # rows that lie behind one another are those of a longer array
            arrays = [array.reshape(row) for array in arrays]
    try:
        joined = np.concatenate(arrays, dim)
    except ValueError:
        return None  # to be refused, or parts without elements, which join anything
    if is_stack and not dim:
        joined = joined.reshape(len(arrays), *first.shape)
    return computed_tensor(np.ascontiguousarray(joined), parts[0].dtype)


def _common_nodes(tensors: Sequence[Tensor]) -> list[Node]:
    dtype = common_dtype(*tensors)
    return [cast_node(tensor.node(), dtype) for tensor in tensors]


@accepts_out
@needs_separate_out
@numpy_keywords
def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """The tensors one after another along a dimension, in their promoted dtype.

    1-dim tensors without elements join anything, as in PyTorch.

    Raises:
        ValueError, RuntimeError: no tensors; a 0-dim one; sizes that differ in another dimension.
    """
    parts = tensor_list(tensors, "cat")
    if not parts:
        raise ValueError("cat(): expected a non-empty list of Tensors")
    joined = _joined_now(parts, dim, is_stack=False)
    return _concatenated(parts, dim) if joined is None else joined


@traced
def _concatenated(parts: list[Tensor], dim: int) -> Tensor:
    for position, part in enumerate(parts):
        if part.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {position}) cannot be concatenated; use stack()")
    nodes = _common_nodes(parts)
    shape = next((node.shape for node in nodes if node.shape != (0,)), (0,))
    axis = normalize_axis(dim, len(shape), "cat")
    nothing = (*shape[:axis], 0, *shape[axis + 1 :])
    fitting = [node if node.shape != (0,) else record_node(movement.reshape, (node,), (nothing,)) for node in nodes]
    return record(indexing.concat, tuple(fitting), (axis,))


@numpy_keywords
def concat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Another name of `cat`."""
    return cat(tensors, dim)


@numpy_keywords
def concatenate(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Another name of `cat`."""
    return cat(tensors, dim)


@accepts_out
@needs_separate_out
@numpy_keywords
def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """The tensors, all of one shape, along a new dimension.

    Raises:
        RuntimeError: no tensors, or shapes that differ.
    """
    parts = tensor_list(tensors, "stack")
    if not parts:
        raise RuntimeError("stack expects a non-empty TensorList")
    joined = _joined_now(parts, dim, is_stack=True)
    return _stacked(parts, dim) if joined is None else joined


@traced
def _stacked(parts: list[Tensor], dim: int) -> Tensor:
    shape = parts[0].shape
    for position, part in enumerate(parts):
        if part.shape != shape:
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(shape)} at entry 0 and "
                               f"{list(part.shape)} at entry {position}")  # fmt: skip
    axis = normalize_axis(dim, len(shape) + 1, "stack")
    row = (*shape[:axis], 1, *shape[axis:])
    rows = [record_node(movement.reshape, (node,), (row,)) for node in _common_nodes(parts)]
    return record(indexing.concat, tuple(rows), (axis,))


@accepts_out
@needs_separate_out
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors side by side: along the second dimension, or the first of vectors."""
    parts = [reshape(part, 1) if part.ndim == 0 else part for part in tensor_list(tensors, "hstack")]
    if not parts:
        raise RuntimeError("hstack expects a non-empty TensorList")
    return cat(parts, 0 if parts[0].ndim == 1 else 1)


@accepts_out
@needs_separate_out
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors below one another: along the first dimension, vectors as rows."""
    parts = [reshape(part, 1, -1) if part.ndim < 2 else part for part in tensor_list(tensors, "vstack")]
    if not parts:
        raise RuntimeError("vstack expects a non-empty TensorList")
    return cat(parts, 0)


def meshgrid(*tensors: Tensors, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Coordinate grids: views of n vectors, each expanded to the n dimensions of all.

    Args:
        tensors: vectors or numbers, separately or as one sequence.
        indexing: ``"ij"``, which is the default and is better said, or ``"xy"`` to swap the first two dimensions.

    Raises:
        RuntimeError: a tensor with more than one dimension, or another ``indexing``.
    """
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    axes = [reshape(axis, -1) if axis.ndim == 0 else axis for axis in tensor_list(given, "meshgrid")]
    if any(axis.ndim > 1 for axis in axes):
        raise RuntimeError("meshgrid: expected 0D or 1D tensors in the tensor list")
    if indexing is None:
        warn_user_once("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")
        indexing = "ij"
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f"meshgrid: indexing must be one of 'xy' or 'ij', but received: {indexing!r}")
    places = list(range(len(axes)))
    if indexing == "xy" and len(axes) > 1:
        places[:2] = [1, 0]
    shapes = [tuple([-1 if place == p else 1 for p in range(len(axes))]) for place in places]
    return broadcast_tensors(*[reshape(axis, shape) for axis, shape in zip(axes, shapes, strict=True)])
