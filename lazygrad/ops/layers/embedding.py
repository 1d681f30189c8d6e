"""Rows of a table, looked up by number."""

from __future__ import annotations

from lazygrad.autograd.sparse_gradients import SparseGradients
from lazygrad.grad_mode import no_grad
from lazygrad.ir.composites.lookup import lookup
from lazygrad.ir.dtype import float32, int32, int64
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import indexing
from lazygrad.ir.primitives.leaf import straight_through
from lazygrad.ops.arguments.one_step import one_step
from lazygrad.ops.arguments.operands import cast_node, tensor_argument
from lazygrad.ops.arguments.reducing import reshaped
from lazygrad.ops.arguments.registering import write
from lazygrad.ops.creation.filled import filled
from lazygrad.ops.indexing.addressing import IndexRule
from lazygrad.ops.pointwise.arithmetic import add, mul, reciprocal
from lazygrad.ops.pointwise.bitwise import logical_and
from lazygrad.ops.pointwise.division import div
from lazygrad.ops.pointwise.relational import eq, gt
from lazygrad.ops.pointwise.selection import where
from lazygrad.ops.reductions.norm import norm
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node


@one_step("Embedding")
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of ``weight`` that ``input`` names.

    Args:
        input: row numbers, any shape, int64 or int32.
        weight: (rows, columns).
        padding_idx: a row that gets no gradient.
        max_norm: rows that are looked up are first shortened to this norm, in place.
        norm_type: p of that norm.
        scale_grad_by_freq: divide a row's gradient by how often it is looked up here.
        sparse: give a leaf that is only looked up in a sparse gradient, of the rows that were looked up.

    Returns:
        (*input.shape, columns).

    Raises:
        RuntimeError: ``weight`` is not a matrix, or ``input`` of another dtype.
        AssertionError: ``padding_idx`` names no row.
        IndexError: a number that names no row; if the numbers are not computed yet, when the result is.
    """
    if tensor_argument(weight, "embedding", "weight").ndim != 2:
        raise RuntimeError(f"embedding: 'weight' must be 2-D, but has shape {list(weight.shape)}")
    if tensor_argument(input, "embedding").dtype not in (int64, int32):
        raise RuntimeError(f"Expected tensor for argument #1 'indices' to have one of the following scalar types: "
                           f"Long, Int; but got lazygrad.{input.dtype.scalar_type}Tensor instead (while checking "
                           f"arguments for embedding)")  # fmt: skip
    rows = weight.shape[0]
    if padding_idx is not None:
        if not -rows <= padding_idx < rows:
            raise AssertionError(f"Padding_idx must be within num_embeddings: {padding_idx} names none of {rows} rows")
        padding_idx %= rows
    checked = IndexRule("embedding").checked_node(input, 0, rows)
    if max_norm is not None:
        _shorten(weight, checked, max_norm, norm_type)
    if sparse:
        SparseGradients.are_wanted = True
        found = record(lookup, (weight.node(), checked), (padding_idx,))
    else:
        found = record(indexing.take, (weight.node(), checked))
    differentiated = found
    if scale_grad_by_freq:
        differentiated = mul(differentiated, _per_row(reciprocal(_looked_up(weight, checked, checked))))
    if padding_idx is not None:
        differentiated = where(_per_row(eq(Tensor.from_node(checked), padding_idx)), 0.0, differentiated)
    if differentiated is found:
        return found
    return record(straight_through, (found.node(), differentiated.node()))


def _per_row(values: Tensor) -> Tensor:
    return Tensor.from_node(reshaped(values.node(), (*values.shape, 1)))


def _occurrences(weight: Tensor, index: Node) -> Node:
    """How often each row is looked up, in float32."""
    zeros = filled((weight.shape[0],), 0, float32, weight.device).node()
    ones = filled(index.type.shape, 1, float32, weight.device).node()
    return record_node(indexing.put, (zeros, ones, index), (True,))


def _looked_up(weight: Tensor, index: Node, rows: Node) -> Tensor:
    """Of each of ``rows``, how often ``index`` names it, in the weight's dtype."""
    counts = record_node(indexing.take, (_occurrences(weight, index), rows))
    return Tensor.from_node(cast_node(counts, weight.dtype))


@no_grad()
def _shorten(weight: Tensor, index: Node, max_norm: float, norm_type: float) -> None:
    """Scale the rows that are looked up and longer than ``max_norm`` down to it, in place."""
    lengths = norm(weight.detach(), norm_type, 1, keepdim=True)
    used = gt(_per_row(Tensor.from_node(_occurrences(weight, index))), 0)
    factor = where(logical_and(used, gt(lengths, max_norm)), div(max_norm, add(lengths, 1e-7)), 1.0)
    write(weight, mul(weight, factor), "embedding_renorm_")
