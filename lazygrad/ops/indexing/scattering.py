"""Writing through index tensors along one dimension: rows, and scattered elements."""

from __future__ import annotations

from collections.abc import Callable

from lazygrad.autograd_meta import is_tracked
from lazygrad.ir.dtype import DType, Scalar, bool_
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing, movement
from lazygrad.ir.shape import normalize_axis
from lazygrad.ops.arguments.operands import as_scalar, cast_node, scalar_node, tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.reducing import reshaped
from lazygrad.ops.arguments.registering import broadcast_node, may_be_written_directly, method
from lazygrad.ops.creation.filled import filled
from lazygrad.ops.indexing.addressing import IndexRule, put_node
from lazygrad.ops.indexing.gathering import row_index, with_dimension
from lazygrad.ops.indexing.picking import rows_added_now, scattered_now
from lazygrad.ops.pointwise.arithmetic import mul
from lazygrad.ops.pointwise.division import div
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node

__all__ = ["index_add", "index_copy", "index_fill", "scatter", "scatter_add", "scatter_reduce"]


def _put_rows(rule: IndexRule, input: Tensor, dim: int, index: Tensor, source: Tensor, accumulate: bool) -> Tensor:
    """``input`` with the rows that ``index`` names set to ``source``, or increased by it."""
    name = rule.name
    node, rows = with_dimension(input, name), with_dimension(source, name)
    axis = normalize_axis(dim, node.rank, name)
    position = row_index(rule, index, axis, node.shape[axis])
    if rows.dtype is not node.dtype:
        raise RuntimeError(f"{name}(): self and source expected to have the same dtype, but got {node.dtype.name} and "
                           f"{rows.dtype.name}")  # fmt: skip
    expected = (*node.shape[:axis], position.shape[0], *node.shape[axis + 1 :])
    if rows.shape != expected:
        miscounted = rows.rank == node.rank and rows.shape[axis] != expected[axis]
        kind = rule.error if miscounted else RuntimeError
        raise kind(f"{name}(): source has shape {rows.shape}, but {position.shape[0]} rows of dimension {axis} of "
                   f"{node.shape} have shape {expected}")  # fmt: skip
    return _of_shape(put_node(node, [(axis, position)], rows, accumulate), input)


def _of_shape(node: Node, input: Tensor) -> Tensor:
    return Tensor.from_node(node) if input.ndim else record(movement.reshape, (node,), ((),))


def _rows_added_in_place(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Scalar = 1) -> bool:
    """Whether ``index_add_`` could add to memory at once, what it was called with being right."""
    return alpha == 1 and may_be_written_directly(input) and rows_added_now(input, dim, index, source)


@accepts_out
@method(inplace=True, directly=_rows_added_in_place)
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Scalar = 1) -> Tensor:
    """``input`` with alpha·source[i] added to row index[i] of dimension ``dim``; rows named twice get both.

    Raises:
        RuntimeError, IndexError: as `index_select`; a source of another shape or dtype.
    """
    rule = IndexRule("index_add", error=RuntimeError if input.ndim > 1 else IndexError)  # as PyTorch has it
    return _put_rows(rule, input, dim, index, source if alpha == 1 else mul(source, alpha), True)


@accepts_out
@method(inplace=True)
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """``input`` with row index[i] of dimension ``dim`` replaced by source[i].

    Raises:
        RuntimeError, IndexError: as `index_select`; a source of another shape or dtype.
    """
    return _put_rows(IndexRule("index_copy"), input, dim, index, source, False)


@method(inplace=True)
def index_fill(input: Tensor, dim: int, index: Tensor, value: Tensor | Scalar) -> Tensor:
    """``input`` with the rows of dimension ``dim`` that ``index`` names filled with one number.

    Raises:
        RuntimeError, IndexError: as `index_select`; a ``value`` with dimensions.
    """
    node = with_dimension(input, "index_fill")
    axis = normalize_axis(dim, node.rank, "index_fill")
    position = row_index(IndexRule("index_fill", wraps=True), index, axis, node.shape[axis])
    number = _number_node(value, node, "index_fill")
    if is_tracked(number):  # a row that is named twice is filled once, and counts once in the gradient
        return _of_shape(record_node(ew.where, (_rows_named(position, axis, node), number, node)), input)
    shape = (*node.shape[:axis], position.shape[0], *node.shape[axis + 1 :])
    return _of_shape(put_node(node, [(axis, position)], broadcast_node(number, shape), False), input)


def _rows_named(position: Node, axis: int, like: Node) -> Node:
    """Whether each row of an axis is named, in a shape that broadcasts to that of ``like``."""
    yes, no = (scalar_node(truth, bool_, like.device) for truth in (True, False))
    none = broadcast_node(no, (like.shape[axis],))
    named = put_node(none, [(0, position)], broadcast_node(yes, position.shape), False)
    return reshaped(named, (like.shape[axis], *(1,) * (like.rank - axis - 1)))


def _number_node(value: Tensor | Scalar, like: Node, name: str) -> Node:
    if not isinstance(value, Tensor):
        return scalar_node(as_scalar(value, name), like.dtype, like.device)
    if value.ndim:
        raise RuntimeError(f"{name} only supports a 0-dimensional value tensor, but got {value.ndim} dimensions")
    return cast_node(value.node(), like.dtype)


# Scatter.


def _scattered_in_place(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor | Scalar | None = None,
    *,
    value: Scalar | None = None,
    reduce: str | None = None,
) -> bool:
    """Whether ``scatter_`` could write to memory at once, what it was called with being right."""
    if reduce not in (None, "add") or (src is None) == (value is None) or not may_be_written_directly(input):
        return False
    return scattered_now(input, dim, index, src if src is not None else value, reduce == "add")


def _scatter_added_in_place(input: Tensor, dim: int, index: Tensor, src: Tensor) -> bool:
    return _scattered_in_place(input, dim, index, src, reduce="add") if isinstance(src, Tensor) else False


@accepts_out
@method(inplace=True, directly=_scattered_in_place)
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
    node = tensor_argument(input, name).node()
    axis = normalize_axis(dim, node.rank, name)
    position = IndexRule(name, error=RuntimeError).node(index, axis, node.shape[axis] if node.rank else 1)
    if isinstance(source, Tensor):
        values = source.node()
    else:
        values = broadcast_node(_number_node(as_scalar(source, name), node, name), position.shape)
    return record(indexing.scatter, (node, values, position), (axis, how))


@accepts_out
@method(inplace=True, directly=_scatter_added_in_place)
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """``input`` with src[…, i, …] added at position index[…, i, …] of dimension ``dim``.

    Raises:
        RuntimeError: as `scatter`.
    """
    return _scattered("scatter_add", input, dim, index, tensor_argument(src, "scatter_add", "src"), "sum")


# The number that changes nothing, by reduction.
_IDENTITY: dict[str, Callable[[DType], Scalar]] = {
    "sum": lambda dtype: 0,
    "prod": lambda dtype: 1,
    "mean": lambda dtype: 0,
    "amax": lambda dtype: dtype.lowest,
    "amin": lambda dtype: dtype.highest,
}


@accepts_out
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
    if reduce not in _IDENTITY:
        raise RuntimeError(f"scatter_reduce: reduce argument must be one of {list(_IDENTITY)}, not {reduce!r}")
    source = tensor_argument(src, "scatter_reduce", "src")
    base = input if include_self else _overwritten(input, dim, index, _IDENTITY[reduce](input.dtype))
    if reduce != "mean":
        return _scattered("scatter_reduce", base, dim, index, source, reduce)
    total = _scattered("scatter_reduce", base, dim, index, source, "sum")
    ones = filled(input.shape, 1, input.dtype, input.device)
    counts = ones if include_self else _overwritten(ones, dim, index, 0)
    counts = _scattered("scatter_reduce", counts, dim, index, 1, "sum")
    return div(total, counts, rounding_mode=None if input.dtype.is_floating_point else "floor")


def _overwritten(input: Tensor, dim: int, index: Tensor, value: Scalar) -> Tensor:
    return _scattered("scatter_reduce", input, dim, index, value, "set")
