"""Triangles and diagonals of matrices."""

from __future__ import annotations

from operator import index
from typing import Unpack

import numpy as np

from lazygrad.host.dtypes import to_numpy
from lazygrad.ir import build
from lazygrad.ir.dtype import Category, int64
from lazygrad.ir.node import Node
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import movement
from lazygrad.ir.shape import normalize_axis
from lazygrad.ops.arguments.creation_options import TensorOptions, chosen, takes_options
from lazygrad.ops.arguments.operands import scalar_node, tensor_argument
from lazygrad.ops.arguments.options import placed
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.creation.filled import filled
from lazygrad.ops.shapes.layout import clone
from lazygrad.ops.shapes.parts import diagonal as diagonal_view
from lazygrad.ops.shapes.reshaping import reshape
from lazygrad.size import as_shape
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node

__all__ = ["tril", "triu", "diag", "diagflat", "diag_embed", "tril_indices", "triu_indices"]


@accepts_out
@method(inplace=True)
@traced
def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """The lower triangle of the last two dimensions, zeros above ``diagonal``.

    Raises:
        RuntimeError: fewer than two dimensions.
    """
    return _triangle("tril", ew.le, input, diagonal)


@accepts_out
@method(inplace=True)
@traced
def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """The upper triangle of the last two dimensions, zeros below ``diagonal``.

    Raises:
        RuntimeError: fewer than two dimensions.
    """
    return _triangle("triu", ew.ge, input, diagonal)


def _triangle(name: str, kept: Op, input: Tensor, diagonal: int) -> Tensor:
    """``input`` where column − row compares as ``kept`` with ``diagonal``, and 0 elsewhere."""
    node = tensor_argument(input, name).node()
    if node.rank < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions, but has the shape {node.shape}")
    rows, columns = (build.iota(size, int64, node.device) for size in node.shape[-2:])
    row = record_node(movement.reshape, (rows,), ((node.shape[-2], 1),))
    distance = record_node(ew.sub, (columns, row))
    mask = record_node(kept, (distance, scalar_node(index(diagonal), int64, node.device)))
    return record(ew.where, (mask, node, scalar_node(0, node.dtype, node.device)))


@accepts_out
@method()
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """A vector as the diagonal of a matrix of zeros, or a copy of a matrix's diagonal.

    Raises:
        RuntimeError: neither a vector nor a matrix.
    """
    rank = tensor_argument(input, "diag").ndim
    if rank not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {rank}D")
    return diag_embed(input, diagonal) if rank == 1 else clone(diagonal_view(input, diagonal))


@method()
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The last dimension as a diagonal of two new dimensions ``dim1`` and ``dim2``, zeros elsewhere.

    Raises:
        RuntimeError: ``dim1`` and ``dim2`` are one dimension.
    """
    node: Node = tensor_argument(input, "diag_embed").node()
    rank = node.rank + 1
    first, second = normalize_axis(dim1, rank, "diag_embed"), normalize_axis(dim2, rank, "diag_embed")
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    offset = index(offset)
    side = node.shape[-1] + abs(offset)
    others = iter(node.shape[:-1])
    shape = tuple([side if axis in (first, second) else next(others) for axis in range(rank)])
    result = filled(shape, 0, node.dtype, node.device)
    diagonal_view(result, offset, first, second).assign(node, "diag_embed")
    return result


@method()
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """All elements as the diagonal of a matrix of zeros."""
    return diag_embed(reshape(tensor_argument(input, "diagflat"), -1), offset)


# Where they are.


@takes_options(TensorOptions)
def tril_indices(row: int, col: int, offset: int = 0, **options: Unpack[TensorOptions]) -> Tensor:
    """Row and column numbers, as shape (2, count), of a matrix's elements on and below a diagonal; int64."""
    return _indices("tril_indices", row, col, offset, options, upper=False)


@takes_options(TensorOptions)
def triu_indices(row: int, col: int, offset: int = 0, **options: Unpack[TensorOptions]) -> Tensor:
    """Row and column numbers, as shape (2, count), of a matrix's elements on and above a diagonal; int64."""
    return _indices("triu_indices", row, col, offset - 1, options, upper=True)


def _indices(name: str, row: int, col: int, offset: int, options: TensorOptions, upper: bool) -> Tensor:
    """The elements on and below a diagonal, or with ``upper`` the others.

    Raises:
        RuntimeError: a negative number of rows or columns.
        NotImplementedError: not an integer dtype.
    """
    rows, columns = as_shape((row, col))
    made = chosen(name, options, int64)
    if rows < 0 or columns < 0:
        raise RuntimeError(f"{name}: row and col must be non-negative, got {row} and {col}")
    if made.dtype.category is not Category.INTEGER:
        raise NotImplementedError(f"indices are integers; {made.dtype} is not an integer dtype")
    wanted = np.tri(rows, columns, offset, dtype=bool) ^ upper
    return placed(np.stack(np.nonzero(wanted)).astype(to_numpy(made.dtype)), made.device)
