"""Sparse tensors joined along a dimension, and their rows taken apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.shape import normalize_axis
from lazygrad.ops.creation.filled import zeros
from lazygrad.ops.indexing.masking import nonzero
from lazygrad.ops.shapes.joining import cat as dense_cat
from lazygrad.sparse.tensor import SparseTensor
from lazygrad.tensor import Tensor


def cat(tensors: Sequence[SparseTensor], dim: int = 0) -> SparseTensor:
    """Sparse tensors one after another along ``dim``.

    Raises:
        RuntimeError: a tensor with memory among them; sizes that differ elsewhere; other sparse dimensions.
        IndexError: a dimension that does not exist.
    """
    first = _require_alike(tensors)
    axis = normalize_axis(dim, first.ndim, "cat")
    if any([_without(tensor.shape, axis) != _without(first.shape, axis) for tensor in tensors]):
        raise RuntimeError(f"cat: sizes of sparse tensors must match except in dimension {axis}, but got "
                           f"{[list(tensor.shape) for tensor in tensors]}")  # fmt: skip
    lengths = [tensor.shape[axis] for tensor in tensors]
    size = (*first.shape[:axis], sum(lengths), *first.shape[axis + 1 :])
    places, values, before = [], [], 0
    for tensor, length in zip(tensors, lengths, strict=True):
        if axis < first.sparse_dim():
            places.append(_moved(tensor._indices(), axis, before))
            values.append(tensor._values())
        else:
            places.append(tensor._indices())
            values.append(_padded(tensor._values(), axis - first.sparse_dim() + 1, before, size[axis]))
        before += length
    return SparseTensor(dense_cat(places, 1), dense_cat(values), size)


def _require_alike(tensors: Sequence[SparseTensor]) -> SparseTensor:
    for position, tensor in enumerate(tensors):
        if not isinstance(tensor, SparseTensor):
            raise RuntimeError(f"Concatenating sparse tensors, but a dense tensor was found at position {position}.")
    first = tensors[0]
    for tensor in tensors:
        if (tensor.sparse_dim(), tensor.dense_dim()) != (first.sparse_dim(), first.dense_dim()):
            raise RuntimeError("All tensors must have the same sparse_dim and dense_dim")
    return first


def _without(shape: Sequence[int], axis: int) -> tuple[int, ...]:
    return (*shape[:axis], *shape[axis + 1 :])


def _moved(places: Tensor, axis: int, by: int) -> Tensor:
    if not by:
        return places
    step = zeros(places.shape[0], 1, dtype=places.dtype, device=places.device)
    step[axis] = by
    return places + step


def _padded(values: Tensor, axis: int, before: int, length: int) -> Tensor:
    """Rows with zeros around them along one of their own dimensions."""
    after = length - before - values.shape[axis]
    shapes = [(*values.shape[:axis], count, *values.shape[axis + 1 :]) for count in (before, after)]
    front, back = (zeros(shape, dtype=values.dtype, device=values.device) for shape in shapes)
    joined: Tensor = dense_cat([front, values, back], axis)
    return joined


def stack(tensors: Sequence[SparseTensor], dim: int = 0) -> SparseTensor:
    """Sparse tensors of one size along a new dimension. Raises as `cat` does."""
    axis = normalize_axis(dim, _require_alike(tensors).ndim + 1, "stack")
    return cat([unsqueeze(tensor, axis) for tensor in tensors], axis)


def unsqueeze(input: SparseTensor, dim: int) -> SparseTensor:
    """A dimension of one element put in. IndexError: a place outside the dimensions."""
    axis, split = normalize_axis(dim, input.ndim + 1, "unsqueeze"), input.sparse_dim()
    size = (*input.shape[:axis], 1, *input.shape[axis:])
    places, values = input._indices(), input._values()
    if axis > split:
        return SparseTensor(places, values.unsqueeze(axis - split + 1), size)
    row = zeros(1, places.shape[1], dtype=places.dtype, device=places.device)
    return SparseTensor(dense_cat([places[:axis], row, places[axis:]]), values, size)


def select(input: SparseTensor, dim: int, index: int) -> Tensor:
    """One place along a dimension, which is dropped; a tensor with memory if it was the only sparse one.

    Raises:
        IndexError: a dimension or an index that does not exist.
    """
    axis, split = normalize_axis(dim, input.ndim, "select"), input.sparse_dim()
    length = input.shape[axis]
    if not -length <= index < length:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(input.shape)} at "
                         f"dimension {dim}")  # fmt: skip
    if axis == 0:
        return input._select(index)
    size = _without(input.shape, axis)
    if axis >= split:
        return SparseTensor(input._indices(), input._values().select(axis - split + 1, index), size)
    kept = nonzero(input._indices()[axis] == index % length)[:, 0]
    places = input._indices()[[*range(axis), *range(axis + 1, split)]]
    return SparseTensor(places[:, kept], input._values()[kept], size)


def index_select(input: SparseTensor, dim: int, index: Tensor) -> Tensor:
    """The places along a dimension that ``index``, shape (n,), names, in that order and as often.

    Raises:
        IndexError: a dimension or an index that does not exist; an index of other dimensions.
    """
    axis, split = normalize_axis(dim, input.ndim, "index_select"), input.sparse_dim()
    if index.ndim > 1:
        raise IndexError("index_select(): index is supposed to be a vector")
    index = index.reshape(-1)
    size = (*input.shape[:axis], index.shape[0], *input.shape[axis + 1 :])
    if axis >= split:
        values = input._values().index_select(axis - split + 1, index)
        return SparseTensor(input._indices(), values, size, input.is_coalesced())
    length = input.shape[axis]
    if index.numel() and not -length <= index.min().item() <= index.max().item() < length:
        raise IndexError(f"index_select(): index out of range for dimension {axis} with size {length}")
    wanted = (index % max(length, 1)).reshape(-1, 1)
    pairs: Any = nonzero(wanted == input._indices()[axis])  # which of the index and which of the places
    places: Any = input._indices()[:, pairs[:, 1]].clone()
    places[axis] = pairs[:, 0]
    return SparseTensor(places, input._values()[pairs[:, 1]], size)


def unbind(input: SparseTensor, dim: int = 0) -> tuple[Tensor, ...]:
    """All places along a dimension, as `select` gives them."""
    return tuple([select(input, dim, place) for place in range(input.shape[dim])])


def zeros_like(input: SparseTensor, **options: Any) -> Tensor:
    """A sparse tensor of ``input``'s size without places; with another ``layout``, zeros in memory."""
    if options.get("layout") not in (None, input.layout):
        dense: Tensor = zeros(tuple(input.shape), dtype=options.get("dtype") or input.dtype, device=input.device)
        return dense
    made = input._without_places(tuple(input.shape))
    return made if options.get("dtype") is None else made.to(options["dtype"])


for _name, _function in {
    "unsqueeze": unsqueeze,
    "select": select,
    "index_select": index_select,
    "unbind": unbind,
}.items():
    setattr(SparseTensor, _name, _function)
