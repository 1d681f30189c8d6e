"""Reading and writing through index tensors along one dimension, as functions with names."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.ir.dtype import Scalar
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import indexing, movement
from lazygrad.ir.shape import normalize_axis
from lazygrad.ops.addressing import index_node, put_node, take_node
from lazygrad.ops.operands import as_scalar, cast_node, scalar_node, tensor_argument
from lazygrad.ops.pointwise import mul
from lazygrad.ops.registering import broadcast_node, method
from lazygrad.ops.shaping import broadcast_shapes, broadcast_to, reshape
from lazygrad.tensor import Tensor, record, record_node


@method()
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """result[…, i, …] = input[…, index[…, i, …], …] along dimension ``dim``.

    Args:
        index: int64 or int32, as many dimensions as ``input``, none larger except ``dim``.
        sparse_grad: accepted for PyTorch's signature; gradients are dense.

    Raises:
        RuntimeError: an index of another dtype, rank or size; at run time, one out of range.
    """
    node, position = tensor_argument(input, "gather").node(), index_node(index, "gather")
    return record(indexing.gather, (node, position), (normalize_axis(dim, node.rank, "gather"),))


@method()
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """`gather`, after broadcasting the other dimensions; without ``dim``, of the flattened tensors."""
    if dim is None:
        return gather(reshape(input, -1), 0, reshape(indices, -1))
    axis = normalize_axis(dim, tensor_argument(input, "take_along_dim").ndim, "take_along_dim")
    if input.ndim != indices.ndim:
        raise RuntimeError(f"take_along_dim(): input and indices should have the same number of dimensions, but got "
                           f"{input.ndim} dimensions for input, and {indices.ndim} dimensions for indices")  # fmt: skip
    others = [list(tensor.shape) for tensor in (input, indices)]
    lengths = [shape.pop(axis) for shape in others]
    common = broadcast_shapes(*others)
    wide, narrow = ((*common[:axis], length, *common[axis:]) for length in lengths)
    return gather(broadcast_to(input, wide), axis, broadcast_to(indices, narrow))


@method()
def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements of the flattened tensor at ``index``, in its shape.

    Raises:
        RuntimeError: an index that is not int64 or int32. IndexError: at run time, one out of range.
    """
    return record(indexing.take, (reshape(input, -1).node(), index_node(index, "take")))


# Whole rows of one dimension.


def _row_index(index: Tensor, name: str) -> Node:
    node = index_node(tensor_argument(index, name, "index"), name)
    if node.rank > 1:
        raise IndexError(f"{name}(): Index is supposed to be a vector, not of shape {list(node.shape)}")
    return node if node.rank else record_node(movement.reshape, (node,), ((1,),))


def _with_dimension(input: Tensor, name: str) -> Node:
    """The node of ``input``, a 0-dim one as a vector of one element."""
    node = tensor_argument(input, name).node()
    return node if node.rank else record_node(movement.reshape, (node,), ((1,),))


@method()
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The rows of dimension ``dim`` that a vector of indices names.

    Raises:
        RuntimeError: an index that is not int64 or int32. IndexError: not a vector; at run time, out of range.
    """
    node = _with_dimension(input, "index_select")
    taken = take_node(node, [(normalize_axis(dim, node.rank, "index_select"), _row_index(index, "index_select"))])
    return Tensor.from_node(taken) if input.ndim else record(movement.reshape, (taken,), ((),))


def _put_rows(name: str, input: Tensor, dim: int, index: Tensor, source: Tensor, accumulate: bool) -> Tensor:
    """``input`` with the rows that ``index`` names set to ``source``, or increased by it."""
    node, rows = _with_dimension(input, name), _with_dimension(source, name)
    axis, position = normalize_axis(dim, node.rank, name), _row_index(index, name)
    if rows.dtype is not node.dtype:
        raise RuntimeError(f"{name}(): self ({node.dtype.name}) and source ({rows.dtype.name}) expected to have the same "
                           f"dtype")  # fmt: skip
    expected = (*node.shape[:axis], position.shape[0], *node.shape[axis + 1 :])
    if rows.shape != expected:
        raise RuntimeError(f"{name}(): source has shape {rows.shape}, but {position.shape[0]} rows of dimension {axis} of "
                           f"{node.shape} have shape {expected}")  # fmt: skip
    return _of_shape(put_node(node, [(axis, position)], rows, accumulate), input)


def _of_shape(node: Node, input: Tensor) -> Tensor:
    return Tensor.from_node(node) if input.ndim else record(movement.reshape, (node,), ((),))


@method(inplace=True)
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Scalar = 1) -> Tensor:
    """``input`` with alpha·source[i] added to row index[i] of dimension ``dim``; rows named twice get both.

    Raises:
        RuntimeError, IndexError: as `index_select`; a source of another shape or dtype.
    """
    return _put_rows("index_add", input, dim, index, source if alpha == 1 else mul(source, alpha), True)


@method(inplace=True)
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """``input`` with row index[i] of dimension ``dim`` replaced by source[i].

    Raises:
        RuntimeError, IndexError: as `index_select`; a source of another shape or dtype.
    """
    return _put_rows("index_copy", input, dim, index, source, False)


@method(inplace=True)
def index_fill(input: Tensor, dim: int, index: Tensor, value: Tensor | Scalar) -> Tensor:
    """``input`` with the rows of dimension ``dim`` that ``index`` names filled with one number.

    Raises:
        RuntimeError, IndexError: as `index_select`; a ``value`` with dimensions.
    """
    node = _with_dimension(input, "index_fill")
    axis, position = normalize_axis(dim, node.rank, "index_fill"), _row_index(index, "index_fill")
    shape = (*node.shape[:axis], position.shape[0], *node.shape[axis + 1 :])
    rows = broadcast_node(_number_node(value, node, "index_fill"), shape)
    return _of_shape(put_node(node, [(axis, position)], rows, False), input)


def _number_node(value: Tensor | Scalar, like: Node, name: str) -> Node:
    if not isinstance(value, Tensor):
        return scalar_node(as_scalar(value, name), like.dtype, like.device)
    if value.ndim:
        raise RuntimeError(f"{name} only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimensions")
    return cast_node(value.node(), like.dtype)


# Scatter.


@method(inplace=True)
def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor | Scalar | None = None,
    *,
    value: Scalar | None = None,
    reduce: str | None = None,
) -> Tensor:
    """``input`` with src[…, i, …] written to position index[…, i, …] of dimension ``dim``.

    Args:
        index: int64 or int32, no larger than ``src``, nor than ``input`` except along ``dim``.
        src: a tensor, or one number (also as ``value``).
        reduce: None, ``"add"`` or ``"multiply"``, to combine with what is there.

    Raises:
        RuntimeError: dtypes that differ, shapes that do not fit; at run time, an index out of range.
    """
    if reduce not in (None, "add", "multiply"):
        raise RuntimeError(f"scatter: reduce argument must be either add or multiply, not {reduce!r}")
    if (src is None) == (value is None):
        raise TypeError("scatter(): pass either 'src' or 'value'")
    source = src if src is not None else value
    return _scattered("scatter", input, dim, index, source, {None: "set", "add": "sum", "multiply": "prod"}[reduce])


def _scattered(name: str, input: Tensor, dim: int, index: Tensor, source: Tensor | Scalar | None, how: str) -> Tensor:
    node, position = tensor_argument(input, name).node(), index_node(index, name)
    if isinstance(source, Tensor):
        values = source.node()
    else:
        values = broadcast_node(_number_node(as_scalar(source, name), node, name), position.shape)
    return record(indexing.scatter, (node, values, position), (normalize_axis(dim, node.rank, name), how))


@method(inplace=True)
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """``input`` with src[…, i, …] added at position index[…, i, …] of dimension ``dim``.

    Raises:
        RuntimeError: as `scatter`.
    """
    return _scattered("scatter_add", input, dim, index, tensor_argument(src, "scatter_add", "src"), "sum")


_REDUCTIONS: dict[str, Scalar] = {"sum": 0, "prod": 1, "mean": 0, "amax": float("-inf"), "amin": float("inf")}


@method(inplace=True)
def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """``input`` with, at each position that ``index`` names, the reduction of all ``src`` elements sent there.

    Args:
        reduce: ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
        include_self: whether what ``input`` holds there takes part.

    Raises:
        RuntimeError: as `scatter`; another ``reduce``.
    """
    raise NotImplementedError
