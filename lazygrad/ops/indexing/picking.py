"""Elements at index tensors and masks, read or written now: numpy's own indexing over the memory that they lie in.

A part of a computed tensor is a value and not part of the program, whether a slice names it or an index that is
computed, too. Where both are at hand and the part is small, one call of numpy picks or places it, and sees to the range
of the indices. Whatever else there is (a gradient, a transform, a pending operand, an index that numpy refuses or
reads in another way) is not done here: the caller records it, and finds the errors.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from lazygrad.direct_access import memory_of
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.dtype import DType, bool_, int32, int64
from lazygrad.ir.primitives.leaf import canonical
from lazygrad.ops.arguments.operands import in_range, is_scalar
from lazygrad.runtime.realize import realize_if_small
from lazygrad.tensor import Tensor
from lazygrad.tensor_parts import computed_tensor

MOST_BYTES = 1 << 14  # of what is picked; copying more takes longer than to record it
_MOST_PLACES = 1 << 11
_Items = tuple[Any, ...]


def picked(input: Tensor, index: Any) -> Tensor | None:
    """input[index] as a tensor of its own; None where that has to be recorded, or is wrong.

    Args:
        input: any tensor.
        index: a tensor, a list of ints, or a tuple of tensors, slices and None, of which at least one is a tensor.
    """
    dtype = input.dtype
    if dtype.is_storage:
        return None
    memory = memory_of(input)
    if memory is None:
        return None
    items = _items(index)
    if items is None:
        return None
    try:
        found = _elements_at(memory, items)
    except (IndexError, ValueError):
        return None
    return None if found is None else computed_tensor(found, dtype)


def placed(input: Tensor, index: Any, value: Any) -> bool:
    """Whether input[index] = value could be done in the memory of ``input``; see `picked` for what ``index`` is."""
    dtype = input.dtype
    if dtype.is_storage or dtype.is_half:
        return False
    items = _items(index)
    if items is None or _is_named_by(input, index):
        return False
    source = _source(input, value, dtype)
    if source is None or not _is_bounded(input._sizes(), items, dtype.itemsize):
        return False
    return input.write_directly(input.view_of_storage(), source, items)


def rows_picked(input: Any, dim: Any, index: Any) -> Tensor | None:
    """The rows of a dimension at a vector of indices from 0 on; None where they have to be recorded, or are wrong."""
    if not isinstance(input, Tensor) or not isinstance(index, Tensor) or type(dim) is not int or input.dtype.is_storage:
        return None
    memory = memory_of(input)
    positions = _index_array(index) if memory is not None and index.dtype is not bool_ else None
    if memory is None or positions is None or positions.ndim != 1 or not -memory.ndim <= dim < memory.ndim:
        return None
    shape = memory.shape
    if not shape[dim] or memory.nbytes // shape[dim] * positions.size > MOST_BYTES:
        return None
    if positions.size and not 0 <= positions.min() <= positions.max() < shape[dim]:
        return None
    return computed_tensor(memory.take(positions, dim), input.dtype)


# Along one dimension: an index of as many dimensions, as `gather` and `scatter` take it.


def gathered_now(input: Any, dim: Any, index: Any, wraps: bool) -> Tensor | None:
    """input[…, index[…, i, …], …] along a dimension; None where that has to be recorded, or is wrong."""
    if not isinstance(input, Tensor) or input.dtype.is_storage:
        return None
    memory = memory_of(input)
    places = None if memory is None else _places_along(memory.shape, dim, index, wraps)
    return None if memory is None or places is None else computed_tensor(memory[places], input.dtype)


def scattered_now(input: Tensor, dim: Any, index: Any, source: Any, accumulate: bool = False) -> bool:
    """Whether input[…, index[…, i, …], …] = source[…, i, …], or +=, could be done in the memory of ``input``."""
    dtype, shape = input.dtype, input._sizes()
    if dtype.is_storage or dtype.is_half or _is_named_by(input, index):
        return False
    values = _source(input, source, dtype)
    places = None if values is None else _places_along(shape, dim, index, False)
    if values is None or places is None:
        return False
    if isinstance(source, Tensor):
        extent = places[dim].shape
        if len(extent) != values.ndim or any([want > have for want, have in zip(extent, values.shape, strict=True)]):
            return False
        values = values[tuple([slice(size) for size in extent])]
    return input.write_directly(input.view_of_storage(), values, places, accumulate)


def rows_added_now(input: Tensor, dim: Any, index: Any, source: Any) -> bool:
    """Whether input[…, index[i], …] += source[…, i, …] could be done in the memory of ``input``."""
    dtype, shape = input.dtype, input._sizes()
    rank = len(shape)
    if dtype.is_storage or dtype.is_half or not isinstance(index, Tensor) or not isinstance(source, Tensor):
        return False
    if type(dim) is not int or not -rank <= dim < rank or index.dtype is bool_ or _is_named_by(input, index):
        return False
    values, positions = _source(input, source, dtype), _index_array(index)
    if values is None or positions is None or positions.ndim != 1 or not 0 < values.size <= _MOST_PLACES:
        return False
    axis = dim % rank
    if values.shape != (*shape[:axis], positions.size, *shape[axis + 1 :]):
        return False
    if not 0 <= positions.min() <= positions.max() < shape[axis]:
        return False
    places = (*(slice(None),) * axis, positions)
    return input.write_directly(input.view_of_storage(), values, places, accumulate=True)


def _places_along(shape: tuple[int, ...], dim: Any, index: Any, wraps: bool) -> tuple[np.ndarray, ...] | None:
    """An index for numpy that names what an index tensor names along a dimension, all of which is inside the shape."""
    rank = len(shape)
    if not isinstance(index, Tensor) or index.dtype is bool_ or type(dim) is not int or not -rank <= dim < rank:
        return None
    positions = _index_array(index)
    if positions is None or positions.ndim != rank or not 0 < positions.size <= _MOST_PLACES:
        return None
    axis = dim % rank
    extent, size = positions.shape, shape[axis]
    for a, wanted in enumerate(extent):
        if wanted > shape[a] and a != axis:
            return None
    if not (-size if wraps else 0) <= positions.min() <= positions.max() < size:
        return None
    grid = _grid(extent)
    return (*grid[:axis], positions, *grid[axis + 1 :])


@lru_cache(maxsize=256)
def _grid(extent: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """The positions along each axis, which broadcast to ``extent``."""
    return tuple(np.ogrid[tuple([slice(size) for size in extent])])


# The index.


def _items(index: Any) -> _Items | None:
    """An index for numpy that means what it means here; None where there may be none."""
    if isinstance(index, Tensor):
        array = _index_array(index)
        return None if array is None else (array,)
    if type(index) is list:
        return _listed(index)
    if type(index) is not tuple:
        return None
    items: list[Any] = []
    for item in index:
        if isinstance(item, Tensor):
            array = _index_array(item)
            if array is None:
                return None
            items.append(array)
        elif item is None or (type(item) is slice and _is_forward(item)):
            items.append(item)
        else:  # a number is no index tensor here, as it is for numpy; of the rest there is little
            return None
    return tuple(items)


def _listed(numbers: list[Any]) -> _Items | None:
    if not numbers or not all([type(number) is int for number in numbers]):
        return None
    try:
        return (np.array(numbers, np.int64),)
    except OverflowError:
        return None


def _index_array(index: Tensor) -> np.ndarray | None:
    """A mask or indices that are computed, with dimensions; without any, one counts as a number."""
    dtype = index.dtype
    if dtype is not int64 and dtype is not bool_ and dtype is not int32:
        return None
    realize_if_small(index._storage.value)
    array = memory_of(index)
    return None if array is None or not array.ndim else array


def _is_forward(item: slice) -> bool:
    for bound in (item.start, item.stop):
        if bound is not None and type(bound) is not int:
            return False
    return item.step is None or (type(item.step) is int and item.step > 0)


# What it picks.


def _elements_at(memory: np.ndarray, items: _Items) -> np.ndarray | None:
    """The elements in row-major order; None if there are many.

    Raises:
        IndexError, ValueError: an index out of range, a mask of another shape, too many indices.
    """
    shape, first = memory.shape, items[0]
    if not _is_bounded(shape, items, memory.itemsize):
        return None
    if len(items) > 1 or first is None:
        return np.ascontiguousarray(memory[items])
    if first.dtype.kind != "b":
        return memory.take(first, 0)
    covered = first.ndim
    if first.shape != shape[:covered]:
        return None
    if covered > 1:
        memory, first = memory.reshape(-1, *shape[covered:]), first.reshape(-1)
    return memory.take(first.nonzero()[0], 0)


def _is_bounded(shape: tuple[int, ...], items: _Items, itemsize: int) -> bool:
    """Whether an index names few elements, as far as its items tell without a look at their elements."""
    axis, count = 0, itemsize
    common: tuple[int, ...] | None = None
    for item in items:
        if item is None:
            continue
        if type(item) is slice:
            count *= shape[axis] if axis < len(shape) else 1
            axis += 1
            continue
        if item.shape != common:  # others broadcast with it
            common = item.shape
            count *= item.size
        axis += item.ndim if item.dtype.kind == "b" else 1
    if axis > len(shape):
        return False
    for size in shape[axis:]:
        count *= size
    return count <= MOST_BYTES


# What is placed there.


def _is_named_by(input: Tensor, index: Any) -> bool:
    """Whether an index lies in the memory that it is to write to."""
    items = index if type(index) is tuple else (index,)
    return any([isinstance(item, Tensor) and item._storage is input._storage for item in items])


def _source(input: Tensor, value: Any, dtype: DType) -> np.ndarray | None:
    """The values to be written, which lie elsewhere; None for what has to be cast, or brought about."""
    if not isinstance(value, Tensor):
        return np.array(canonical(in_range(value, dtype), dtype), to_numpy(dtype)) if is_scalar(value) else None
    if value.dtype is not dtype:
        return None
    realize_if_small(value._storage.value)
    array = memory_of(value)
    if array is None:
        return None
    return array.copy() if value._storage is input._storage else array
