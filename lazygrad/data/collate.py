"""From a list of samples to one batch of tensors, through any nesting of mappings and sequences."""

from __future__ import annotations

import copy
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from lazygrad.ir.dtype import float64
from lazygrad.ops.creation.from_data import tensor
from lazygrad.ops.shapes.joining import stack
from lazygrad.tensor import Tensor


def default_collate(batch: Sequence[Any]) -> Any:
    """Joins samples along a new first dimension.

    Tensors and numpy arrays are stacked, numbers become a tensor (float: float64, int: int64, bool: bool), strings and
    bytes stay a list; mappings and sequences are joined key by key and place by place, tuples into a list.

    Args:
        batch: the samples, all of the same structure; not empty.

    Raises:
        RuntimeError: tensors or sequences of different sizes.
        TypeError: a sample holds something else, e.g. None.
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(list(batch), 0)
    if isinstance(first, np.ndarray):
        return _stack_arrays(batch)
    if isinstance(first, np.bool_ | np.number):
        return tensor(np.asarray(batch))
    if isinstance(first, float):
        return tensor(batch, dtype=float64)
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        return _like_mapping(first, {key: default_collate([sample[key] for sample in batch]) for key in first})
    if isinstance(first, Sequence):
        return _like_sequence(first, [default_collate(values) for values in _transpose(batch)])
    raise TypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
        f"found {type(first)}; pass DataLoader a collate_fn that joins such samples"
    )


def default_convert(data: Any) -> Any:
    """Turns the numpy arrays and numbers in one sample into tensors and leaves everything else as it is.

    DataLoader uses it in place of default_collate when it does not batch (``batch_size=None``).
    """
    if isinstance(data, np.ndarray):
        return data if _is_text_or_object(data) else tensor(data)
    if isinstance(data, np.bool_ | np.number):
        return tensor(data)
    if isinstance(data, Mapping):
        return _like_mapping(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return _like_sequence(data, [default_convert(value) for value in data])
    return data


def _stack_arrays(arrays: Sequence[np.ndarray]) -> Tensor:
    first = arrays[0]
    if _is_text_or_object(first):
        raise TypeError(f"default_collate: numpy arrays must hold numbers; found the dtype {first.dtype}")
    if all(array.shape == first.shape and array.dtype == first.dtype for array in arrays):
        return tensor(np.stack(arrays))
    return stack([tensor(array) for array in arrays], 0)  # promotes the dtypes, or raises on the shapes


def _is_text_or_object(array: np.ndarray) -> bool:
    return array.dtype.kind in "SUO"


def _transpose(batch: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    sizes = {len(sample) for sample in batch}
    if len(sizes) > 1:
        raise RuntimeError(f"each element in list of batch should be of equal size, found sizes {sorted(sizes)}")
    return list(zip(*batch, strict=True))


def _like_mapping(original: Mapping[Any, Any], values: dict[Any, Any]) -> Mapping[Any, Any]:
    """``values`` in a mapping of the original's type, with what else the original carries (e.g. a default factory)."""
    try:
        if isinstance(original, MutableMapping):
            clone = copy.copy(original)
            clone.update(values)
            return clone
        return type(original)(values)  # type: ignore[call-arg]
    except TypeError:  # the type cannot be copied, or is built from something other than a mapping
        return values


def _like_sequence(original: Sequence[Any], values: list[Any]) -> Sequence[Any]:
    """``values`` in a sequence of the original's type; a plain tuple becomes a list, as in PyTorch."""
    if isinstance(original, tuple):
        return type(original)(*values) if hasattr(original, "_fields") else values
    try:
        if isinstance(original, MutableSequence):
            clone = copy.copy(original)
            clone[:] = values
            return clone
        return type(original)(values)  # type: ignore[call-arg]
    except TypeError:  # e.g. a range, which cannot hold tensors
        return values
