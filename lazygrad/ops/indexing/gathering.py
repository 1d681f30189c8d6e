"""Reading through index tensors along one dimension."""

from __future__ import annotations

from lazygrad.ir.node import Node
from lazygrad.ir.primitives import indexing, movement
from lazygrad.ir.shape import normalize_axis
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.out import accepts_out, accepts_out_of_its_dtype, needs_separate_out
from lazygrad.ops.arguments.reducing import reshaped
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.indexing.addressing import IndexRule, take_node
from lazygrad.ops.indexing.picking import gathered_now, rows_picked
from lazygrad.ops.shapes.reshaping import broadcast_shapes, broadcast_to, reshape
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node

__all__ = ["gather", "take_along_dim", "take", "index_select"]


@accepts_out_of_its_dtype
@needs_separate_out
@method()
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """result[…, i, …] = input[…, index[…, i, …], …] along dimension ``dim``.

    Args:
        index: int64 or int32, as many dimensions as ``input``, none larger except ``dim``.
        sparse_grad: accepted for PyTorch's signature; gradients are dense.

    Raises:
        RuntimeError: an index of another dtype, rank or size; at run time, one out of range.
    """
    return _gathered(IndexRule("gather", error=RuntimeError), input, dim, index)


def _gathered(rule: IndexRule, input: Tensor, dim: int, index: Tensor) -> Tensor:
    found = gathered_now(input, dim, index, rule.wraps)
    if found is not None:
        return found
    node = tensor_argument(input, rule.name).node()
    shape = tensor_argument(index, rule.name, "index").shape
    if 0 in shape and len(shape) != node.rank:
        return reshape(reshape(input, -1)[:0], shape)  # PyTorch compares dimensions only where there is something
    if sorted((node.rank, len(shape))) == [0, 1]:  # a number is a vector of one element
        gathered = _gathered(rule, Tensor.from_node(reshaped(node, (1,))), dim, reshape(index, 1))
        return reshape(gathered, shape)
    axis = normalize_axis(dim, node.rank, rule.name)
    position = rule.node(index, axis, node.shape[axis] if node.rank else 1)
    return record(indexing.gather, (node, position), (axis, rule.wraps))


@accepts_out
@needs_separate_out
@method()
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """`gather`, after broadcasting the other dimensions; without ``dim``, of the flattened tensors.

    Negative indices count from the end.

    Raises:
        RuntimeError: as `gather`; tensors of different rank, or whose other dimensions do not broadcast.
    """
    rule = IndexRule("take_along_dim", wraps=True, error=RuntimeError)
    if dim is None:
        return _gathered(rule, reshape(input, -1), 0, reshape(indices, -1))
    axis = normalize_axis(dim, tensor_argument(input, "take_along_dim").ndim, "take_along_dim")
    if input.ndim != indices.ndim:
        raise RuntimeError(f"take_along_dim(): input and indices should have the same number of dimensions, but got "
                           f"{input.ndim} dimensions for input, and {indices.ndim} dimensions for indices")  # fmt: skip
    others = [list(tensor.shape) for tensor in (input, indices)]
    lengths = [shape.pop(axis) for shape in others]
    common = broadcast_shapes(*others)
    wide, narrow = ((*common[:axis], length, *common[axis:]) for length in lengths)
    if tuple(input.shape) != wide:
        input = broadcast_to(input, wide)
    if tuple(indices.shape) != narrow:  # a view of what is known would have to be looked at again
        indices = broadcast_to(indices, narrow)
    return _gathered(rule, input, axis, indices)


@accepts_out
@needs_separate_out
@method()
def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements of the flattened tensor at ``index``, in its shape; negative ones count from the end.

    Raises:
        RuntimeError: an index that is not int64 or int32. IndexError: at run time, one out of range.
    """
    flat = reshape(input, -1).node()
    return record(indexing.take, (flat, IndexRule("take", wraps=True).node(index, 0, flat.shape[0])))


# Whole rows of one dimension.


def row_index(rule: IndexRule, index: Tensor, axis: int, size: int) -> Node:
    """A vector of indices; a 0-dim one counts as one element.

    Raises:
        RuntimeError, IndexError: not int32 or int64; more than one dimension.
    """
    node = rule.checked_node(index, axis, size)
    if node.rank > 1:
        raise IndexError(f"{rule.name}(): Index is supposed to be a vector, not of shape {list(node.shape)}")
    return node if node.rank else record_node(movement.reshape, (node,), ((1,),))


def with_dimension(input: Tensor, name: str) -> Node:
    """The node of ``input``, a 0-dim one as a vector of one element."""
    node = tensor_argument(input, name).node()
    return node if node.rank else record_node(movement.reshape, (node,), ((1,),))


@accepts_out
@needs_separate_out
@method()
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The rows of dimension ``dim`` that a vector of indices names.

    Raises:
        RuntimeError: an index that is not int64 or int32. IndexError: not a vector; at run time, out of range.
    """
    found = rows_picked(input, dim, index)
    if found is not None:
        return found
    node = with_dimension(input, "index_select")
    axis = normalize_axis(dim, node.rank, "index_select")
    taken = take_node(node, [(axis, row_index(IndexRule("index_select"), index, axis, node.shape[axis]))])
    return Tensor.from_node(taken) if input.ndim else record(movement.reshape, (taken,), ((),))
