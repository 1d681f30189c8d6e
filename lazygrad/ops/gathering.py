"""Reading through index tensors along one dimension."""

from __future__ import annotations

from lazygrad.ir.node import Node
from lazygrad.ir.primitives import indexing, movement
from lazygrad.ir.shape import normalize_axis
from lazygrad.ops.addressing import index_node, take_node
from lazygrad.ops.operands import tensor_argument
from lazygrad.ops.registering import method
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


def row_index(index: Tensor, name: str) -> Node:
    """A vector of indices; a 0-dim one counts as one element.

    Raises:
        RuntimeError, IndexError: not int32 or int64; more than one dimension.
    """
    node = index_node(tensor_argument(index, name, "index"), name)
    if node.rank > 1:
        raise IndexError(f"{name}(): Index is supposed to be a vector, not of shape {list(node.shape)}")
    return node if node.rank else record_node(movement.reshape, (node,), ((1,),))


def with_dimension(input: Tensor, name: str) -> Node:
    """The node of ``input``, a 0-dim one as a vector of one element."""
    node = tensor_argument(input, name).node()
    return node if node.rank else record_node(movement.reshape, (node,), ((1,),))


@method()
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The rows of dimension ``dim`` that a vector of indices names.

    Raises:
        RuntimeError: an index that is not int64 or int32. IndexError: not a vector; at run time, out of range.
    """
    node = with_dimension(input, "index_select")
    taken = take_node(node, [(normalize_axis(dim, node.rank, "index_select"), row_index(index, "index_select"))])
    return Tensor.from_node(taken) if input.ndim else record(movement.reshape, (taken,), ((),))
