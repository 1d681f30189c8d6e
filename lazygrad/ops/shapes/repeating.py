"""The same elements again, or in another order: repeat, tile, roll, flip, rotate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lazygrad.ir.dtype import Category, int64
from lazygrad.ir.node import Node, tensor_type
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing, movement
from lazygrad.ir.primitives.leaf import leaf_node, scalar
from lazygrad.ir.shape import Shape, normalize_axis
from lazygrad.ops.arguments.kinds import Sizes
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.indexing.gathering import index_select
from lazygrad.ops.shapes.layout import integers
from lazygrad.ops.shapes.permuting import transpose
from lazygrad.ops.shapes.reshaping import reshape
from lazygrad.size import as_shape
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node

__all__ = ["tile", "repeat_interleave", "roll", "flip", "fliplr", "flipud", "rot90"]


@method()
def repeat(input: Tensor, *given: Sizes, repeats: Sequence[int] | None = None) -> Tensor:
    """The whole tensor again and again: so many times along each dimension, new dimensions in front.

    Raises:
        RuntimeError: fewer repeats than dimensions, or a negative one.
    """
    counts = integers("repeat", given, repeats)
    shape = tensor_argument(input, "repeat").shape
    if len(counts) < len(shape):
        raise RuntimeError(f"Number of dimensions of repeat dims can not be smaller than number of dimensions of "
                           f"tensor: {len(counts)} < {len(shape)}")  # fmt: skip
    if min(counts, default=0) < 0:
        raise RuntimeError(f"repeat: repeats must be non-negative, but got {counts}")
    return Tensor.from_node(_repeated(input.node(), counts))


def _repeated(node: Node, counts: Shape) -> Node:
    shape = (1,) * (len(counts) - node.rank) + node.shape
    apart = tuple([extent for size in shape for extent in (1, size)])
    wide = tuple([extent for count, size in zip(counts, shape, strict=True) for extent in (count, size)])
    node = record_node(movement.expand, (record_node(movement.reshape, (node,), (apart,)),), (wide,))
    together = tuple([count * size for count, size in zip(counts, shape, strict=True)])
    # PyTorch's result is a new tensor; as a view its strides would decide where random numbers like it go.
    return record_node(ew.contiguous, (record_node(movement.reshape, (node,), (together,)),))


@method()
def tile(input: Tensor, *given: Sizes, dims: Sequence[int] | None = None) -> Tensor:
    """`repeat`, where missing counts of leading dimensions are 1."""
    counts = integers("tile", given, dims)
    return repeat(input, (1,) * (tensor_argument(input, "tile").ndim - len(counts)) + counts)


@method()
def repeat_interleave(
    input: Tensor, repeats: int | Tensor | None = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each element of a dimension several times in a row.

    Args:
        repeats: how often, one number or one per element. A tensor is computed, as the result's shape depends on it.
            Left out, ``input`` holds the repeats and the result is the index of each repeated element.
        dim: without it, the flattened tensor is taken.
        output_size: accepted for PyTorch's signature.

    Raises:
        RuntimeError: repeats that are negative, not integers, or do not fit the dimension.
    """
    if repeats is None:
        return _repeated_positions(input, input.shape.numel())
    if dim is None:
        input, dim = reshape(tensor_argument(input, "repeat_interleave"), -1), 0
    shape = input.shape
    axis = normalize_axis(dim, len(shape), "repeat_interleave")
    if isinstance(repeats, Tensor):
        return index_select(input, axis, _repeated_positions(repeats, shape[axis]))
    if repeats < 0:
        raise RuntimeError(f"repeat_interleave: repeats can not be negative, but got {repeats}")
    node = _repeated(record_node(movement.reshape, (input.node(),), ((*shape[: axis + 1], 1, *shape[axis + 1 :]),)),
                     (1,) * (axis + 1) + (repeats,) + (1,) * (len(shape) - axis - 1))  # fmt: skip
    return record(movement.reshape, (node,), ((*shape[:axis], shape[axis] * repeats, *shape[axis + 1 :]),))


def _repeated_positions(repeats: Tensor, size: int) -> Tensor:
    if repeats.dtype.category is not Category.INTEGER or repeats.ndim > 1:
        raise RuntimeError("repeat_interleave: repeats must be a 0-dim or 1-dim tensor of int64 or int32")
    counts = repeats.array()
    if counts.size not in (1, size) or (counts.size and counts.min() < 0):
        raise RuntimeError(f"repeat_interleave: repeats must be non-negative and as many as the {size} elements of dim")
    return Tensor.from_array(np.repeat(np.arange(size), counts.reshape(-1)), repeats.device, shared=False)


@method()
def roll(input: Tensor, shifts: int | Sequence[int], dims: int | Sequence[int] | None = None) -> Tensor:
    """The elements moved along dimensions, those pushed out at one end coming back at the other.

    Args:
        shifts: how far, one per dim.
        dims: without them, the flattened tensor is rolled.

    Raises:
        RuntimeError: not as many shifts as dims.
    """
    distances = as_shape((shifts,))
    axes = () if dims is None else as_shape((dims,))
    if not distances:
        raise RuntimeError("roll: `shifts` required")
    if not axes and len(distances) == 1:
        flat = reshape(tensor_argument(input, "roll"), -1)
        return reshape(_rolled(flat, distances[0], 0), input.shape)
    if len(axes) != len(distances):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(distances)}, dims:{len(axes)}")
    for distance, axis in zip(distances, axes, strict=True):
        input = _rolled(input, distance, normalize_axis(axis, input.ndim, "roll"))
    return input


def _rolled(input: Tensor, distance: int, axis: int) -> Tensor:
    node = input.node()
    size = node.shape[axis]
    number = leaf_node(scalar, (distance % size if size else 0, None), tensor_type((), int64, node.device))
    return record(indexing.roll, (node, number), (axis, False))


@method()
def flip(input: Tensor, *given: Sizes, dims: Sequence[int] | None = None) -> Tensor:
    """A copy with the given dimensions in reverse order.

    Raises:
        RuntimeError: a dim given twice.
    """
    rank = tensor_argument(input, "flip").ndim
    axes = [normalize_axis(dim, rank, "flip") for dim in integers("flip", given, dims)]
    if len(set(axes)) != len(axes):
        raise RuntimeError(f"flip: a dim appears multiple times in the list of dims {axes}")
    return record(movement.flip, (input.node(),), (tuple(sorted(axes)) if rank else (),))


@method()
def fliplr(input: Tensor) -> Tensor:
    """A copy with the second dimension reversed."""
    if tensor_argument(input, "fliplr").ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, 1)


@method()
def flipud(input: Tensor) -> Tensor:
    """A copy with the first dimension reversed."""
    if tensor_argument(input, "flipud").ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, 0)


@method()
def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """A copy turned by k·90° in the plane of two dimensions, from the first towards the second.

    Raises:
        RuntimeError: not two different dims.
    """
    rank = tensor_argument(input, "rot90").ndim
    if rank < 2:
        raise RuntimeError(f"rot90: expected total dims >= 2, but got total dims = {rank}")
    axes = [normalize_axis(dim, rank, "rot90") for dim in dims]
    if len(axes) != 2 or axes[0] == axes[1]:
        raise RuntimeError(f"rot90: expected two different dims, but got {tuple(dims)}")
    first, second = axes
    turns = k % 4
    if turns in (0, 2):
        return flip(input, axes if turns else ())
    if turns == 1:
        return transpose(flip(input, second), first, second)
    return flip(transpose(input, first, second), second)
