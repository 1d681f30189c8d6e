"""Sums, means and maxima of the rows of a table that belong to one bag."""

from __future__ import annotations

from lazygrad.ir.dtype import Category, int64
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.requirements import required
from lazygrad.ops.creation.filled import filled
from lazygrad.ops.creation.like import ones_like
from lazygrad.ops.creation.ranges import arange
from lazygrad.ops.indexing.addressing import IndexRule
from lazygrad.ops.indexing.scattering import index_add, scatter_reduce
from lazygrad.ops.layers.embedding import embedding
from lazygrad.ops.pointwise.bitwise import logical_not, logical_or
from lazygrad.ops.pointwise.relational import eq, ge, le
from lazygrad.ops.pointwise.selection import clamp, where
from lazygrad.ops.reductions.sorting import searchsorted
from lazygrad.ops.shapes.joining import cat
from lazygrad.ops.shapes.parts import between
from lazygrad.ops.shapes.reshaping import expand, reshape, unsqueeze
from lazygrad.tensor import Tensor

_MODES = ("sum", "mean", "max")


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """The sum, mean or maximum of the rows of ``weight`` in each bag; 0 for an empty one.

    Args:
        input: (B, N), a bag per row; or a vector of all bags one after another.
        weight: (rows, columns).
        offsets: for a vector, where each bag begins.
        max_norm, norm_type, scale_grad_by_freq, sparse: see `embedding`.
        mode: ``"sum"``, ``"mean"`` or ``"max"``.
        per_sample_weights: factors of the rows, like ``input``; for sums only.
        include_last_offset: whether the last offset is the end of the last bag.
        padding_idx: a row that belongs to no bag, and gets no gradient.

    Returns:
        (B, columns).

    Raises:
        ValueError: offsets missing, or given with a matrix; a rank or mode that is none of these.
        NotImplementedError: weights of samples with another mode than sum.
        RuntimeError: dtypes that do not fit; when the result is computed, a number that names no row, or offsets that
            do not begin with 0, that decrease, or that lie behind the end of the input.
    """
    if tensor_argument(weight, "embedding_bag", "weight").ndim != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}")
    if tensor_argument(input, "embedding_bag").dtype.category is not Category.INTEGER:
        raise RuntimeError(f"embedding_bag: Expected indices of dtype int64 or int32, but got {input.dtype.name}")
    if per_sample_weights is not None and per_sample_weights.shape != input.shape:
        raise ValueError(f"embedding_bag: If per_sample_weights ({tuple(per_sample_weights.shape)}) is not None, then "
                         f"it must have the same shape as the input ({tuple(input.shape)})")  # fmt: skip
    bag, bags = _bags(input, offsets, include_last_offset)
    if mode not in _MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and (scale_grad_by_freq or sparse):
        unsupported = "scaling the gradient by the frequency" if scale_grad_by_freq else "sparse weights"
        raise ValueError(f"max mode does not support {unsupported}")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(f"embedding_bag: per_sample_weights was not None. per_sample_weights is only "
                                  f"supported for mode='sum' (got mode='{mode}')")  # fmt: skip
    rule = IndexRule("embedding_bag", error=RuntimeError)
    flat = Tensor.from_node(rule.checked_node(reshape(input, -1), 0, weight.shape[0]))
    rows = embedding(flat, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
    if padding_idx is not None:
        # Rows that do not count go to a bag of their own, which is left out.
        bag = where(eq(flat, padding_idx % weight.shape[0]), bags, bag)
    if per_sample_weights is not None:
        rows = rows * unsqueeze(reshape(per_sample_weights, -1), 1)
    return _folded(rows, bag, bags, mode)


def _bags(input: Tensor, offsets: Tensor | None, include_last_offset: bool) -> tuple[Tensor, int]:
    """The number of the bag of each element of the flattened input, and how many bags there are."""
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError(f"if input is 2D, then offsets has to be None, as input is treated is a mini-batch of "
                             f"fixed length sequences. However, found offsets of type {type(offsets)}")  # fmt: skip
        numbers = arange(input.shape[0], device=input.device)
        return reshape(expand(unsqueeze(numbers, 1), input.shape), -1), input.shape[0]
    if input.ndim != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    if not isinstance(offsets, Tensor):
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if offsets.ndim != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    places = arange(input.shape[0], device=input.device)
    bag = searchsorted(_checked_offsets(offsets.to(int64), input.shape[0]), places, right=True) - 1
    return bag, offsets.shape[0] - include_last_offset


def _checked_offsets(offsets: Tensor, length: int) -> Tensor:
    """``offsets``, once they are known to begin with 0, not to decrease, and to end in the input."""
    if not offsets.shape[0]:
        return offsets
    first = between(offsets, 0, 0, 1)
    before = cat([first, between(offsets, 0, 0, offsets.shape[0] - 1)], 0)
    is_first = eq(arange(offsets.shape[0], device=offsets.device), 0)
    for holds, complaint in (
        (logical_or(logical_not(is_first), eq(offsets, 0)), "offsets[0] has to be 0, but is {}"),
        (le(offsets, length), f"offsets can not be greater than the length {length} of the input, but got {{}}"),
        (ge(offsets, before), "offsets must not decrease, but {} follows a larger one"),
    ):
        offsets = required(offsets, holds, f"embedding_bag: {complaint}")
    return offsets


def _folded(rows: Tensor, bag: Tensor, bags: int, mode: str) -> Tensor:
    empty = filled((bags + 1, rows.shape[1]), 0, rows.dtype, rows.device)
    if mode == "max":
        index = expand(unsqueeze(bag, 1), rows.shape)
        return scatter_reduce(empty, 0, index, rows, "amax", include_self=False)[:bags]
    total = index_add(empty, 0, bag, rows)[:bags]
    if mode == "sum":
        return total
    counts = index_add(filled((bags + 1,), 0, rows.dtype, rows.device), 0, bag, ones_like(bag, dtype=rows.dtype))
    return total / clamp(unsqueeze(counts[:bags], 1), min=1)
