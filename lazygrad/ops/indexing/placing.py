"""Writing single elements by their flat position, reducing rows into others, and converting positions."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from lazygrad.ir.dtype import Category, bool_, int64
from lazygrad.ir.shape import normalize_axis
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.creation.filled import filled
from lazygrad.ops.creation.ranges import arange
from lazygrad.ops.indexing.addressing import IndexRule
from lazygrad.ops.indexing.gathering import row_index, with_dimension
from lazygrad.ops.indexing.scattering import scatter, scatter_reduce
from lazygrad.ops.pointwise.division import floor_divide, remainder
from lazygrad.ops.pointwise.relational import ne
from lazygrad.ops.pointwise.selection import where
from lazygrad.ops.reductions.scans import cumsum
from lazygrad.ops.shapes.joining import stack
from lazygrad.ops.shapes.parts import between
from lazygrad.ops.shapes.reshaping import expand, reshape
from lazygrad.size import as_shape
from lazygrad.tensor import Tensor

__all__ = ["put", "index_reduce", "nonzero_static", "unravel_index"]


@method(inplace=True)
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """``input``, seen as flat, with the elements at ``index`` replaced by those of ``source``, or increased by them.

    Args:
        input: any shape.
        index: int64 or int32 of any shape; negative ones count from the end.
        source: as many elements, of the input's dtype.
        accumulate: add instead of replacing.

    Raises:
        RuntimeError: another dtype. IndexError: another number of elements, an index out of range.
    """
    if tensor_argument(source, "put", "source").dtype is not tensor_argument(input, "put").dtype:
        raise RuntimeError(f"put_(): self and source expected to have the same dtype, but got self.dtype = "
                           f"{input.dtype.name} and source.dtype = {source.dtype.name}")  # fmt: skip
    size = input.shape.numel()
    position = reshape(Tensor.from_node(IndexRule("put", wraps=True).node(index, 0, size)), -1)
    if position.shape[0] != source.shape.numel():
        raise IndexError(f"put_(): Expected source and index to have the same number of elements, but got "
                           f"source.numel() = {source.shape.numel()}, index.numel() = {position.shape[0]}")  # fmt: skip
    if size == 0 and position.shape[0]:
        raise IndexError("put_(): Tried to put elements into an empty tensor")
    flat = reshape(input, -1).index_put([position], reshape(source, -1), accumulate)
    return reshape(flat, input.shape)


_REDUCTIONS = ("prod", "mean", "amax", "amin")


@accepts_out
@method(inplace=True)
def index_reduce(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """``input`` with, at each row of ``dim`` that ``index`` names, the reduction of all rows of ``source`` sent there.

    Args:
        input: any shape.
        dim: the dimension that ``index`` addresses.
        index: a vector of int64 or int32.
        source: a row for each index.
        reduce: ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
        include_self: whether what ``input`` holds there takes part.

    Raises:
        RuntimeError: another ``reduce``; a source of another dtype or shape. IndexError: an index out of range.
    """
    if reduce not in _REDUCTIONS:
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    node, rows = with_dimension(input, "index_reduce"), with_dimension(source, "index_reduce")
    axis = normalize_axis(dim, node.rank, "index_reduce")
    position = row_index(IndexRule("index_reduce"), index, axis, node.shape[axis])
    expected = (*node.shape[:axis], position.shape[0], *node.shape[axis + 1 :])
    if rows.dtype is not node.dtype or rows.shape != expected:
        raise RuntimeError(f"index_reduce(): source has {rows.type}, but {position.shape[0]} rows of dimension {axis} "
                           f"of {node.type} have shape {expected}")  # fmt: skip
    along = tuple([-1 if a == axis else 1 for a in range(node.rank)])
    places = expand(reshape(Tensor.from_node(position), along), rows.shape)
    result = scatter_reduce(
        Tensor.from_node(node), axis, places, Tensor.from_node(rows), reduce, include_self=include_self
    )
    return reshape(result, input.shape)


# Positions.


@accepts_out
@method()
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """The positions of the first ``size`` nonzero elements as rows of an int64 matrix, of known shape.

    Args:
        input: any shape and dtype.
        size: how many rows.
        fill_value: what the rows hold for which there is no element.

    Raises:
        RuntimeError: a negative size.
    """
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    shape = tensor_argument(input, "nonzero_static").shape
    flat = reshape(input.detach(), -1)
    found = flat if flat.dtype is bool_ else ne(flat, 0)
    rank = cumsum(found.to(int64), 0) - 1
    places = arange(shape.numel(), device=input.device)
    row = where(found & (rank < size), rank, size)  # all others go to a row that is left out
    start = filled((size + 1,), -1, int64, input.device)
    first = between(scatter(start, 0, row, places), 0, 0, size)
    columns = [where(first < 0, fill_value, column) for column in _unraveled(first, shape)]
    return stack(columns, 1) if columns else filled((size, 0), 0, int64, input.device)


def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """The coordinates of flat positions in a tensor of ``shape``: an int64 tensor per dimension.

    Raises:
        TypeError: indices that are not integers. ValueError: a negative size, or an index out of range.
    """
    if tensor_argument(indices, "unravel_index", "indices").dtype.category is not Category.INTEGER:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    sizes = as_shape((shape,))
    if any(size < 0 for size in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(sizes)}")
    return tuple(_unraveled(indices.to(int64), sizes))


def _unraveled(positions: Tensor, shape: Sequence[int]) -> list[Tensor]:
    return [
        remainder(floor_divide(positions, max(prod(shape[axis + 1 :]), 1)), max(size, 1))
        for axis, size in enumerate(shape)
    ]
