"""From a list of samples to one batch of tensors, through any nesting of mappings and sequences."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from math import prod
from typing import Any

import numpy as np

from lazygrad.data.worker_info import new_array
from lazygrad.ir.device import CPU
from lazygrad.ir.dtype import DType, float64
from lazygrad.ops.creation.from_data import tensor
from lazygrad.ops.shapes.joining import stack
from lazygrad.tensor import Tensor
from lazygrad.tensor_parts import runs_of_one_memory

CollateFunctions = dict[type | tuple[type, ...], Callable[..., Any]]


default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)
"""What functions that join samples in a way of their own say, too."""


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
    return collate(batch, collate_fn_map=default_collate_fn_map)


def collate(batch: Sequence[Any], *, collate_fn_map: CollateFunctions | None = None) -> Any:
    """Joins samples by functions that are given for the types of their leaves.

    Args:
        batch: the samples, all of the same structure; not empty.
        collate_fn_map: by class, or tuple of classes, a function ``f(samples, *, collate_fn_map)``. A sample's own
            class is looked for first, then the first entry that it is an instance of. Mappings and sequences without
            an entry are joined key by key and place by place.

    Raises:
        RuntimeError: sequences of different sizes.
        TypeError: a sample holds something else.
    """
    first = batch[0]
    join = _function_for(first, collate_fn_map or {})
    if join is not None:
        return join(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        joined = {key: collate([each[key] for each in batch], collate_fn_map=collate_fn_map) for key in first}
        return _like_mapping(first, joined)
    if isinstance(first, Sequence):
        return _like_sequence(first, [collate(part, collate_fn_map=collate_fn_map) for part in _transpose(batch)])
    raise _refusal(type(first))


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


def collate_tensor_fn(batch: Sequence[Tensor], *, collate_fn_map: CollateFunctions | None = None) -> Tensor:
    """Tensors of one shape, stacked."""
    if {*map(type, batch)} == {Tensor}:
        runs = runs_of_one_memory(batch)
        if runs is not None:
            return _picked(*runs, batch[0].shape)
    if all(map(_is_plain, batch)):
        arrays = [each.array() for each in batch]
        if _are_alike(arrays):
            return _stacked(arrays)
    return stack(list(batch), 0)


def collate_numpy_array_fn(batch: Sequence[np.ndarray], *, collate_fn_map: CollateFunctions | None = None) -> Any:
    """Arrays of numbers, of one shape, stacked into a tensor."""
    first = batch[0]
    if _is_text_or_object(first):
        raise _refusal(first.dtype)
    if _are_alike(batch):
        return _stacked(batch)
    # This promotes the dtypes, or raises on the shapes.
    return collate([tensor(array) for array in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Sequence[Any], *, collate_fn_map: CollateFunctions | None = None) -> Tensor:
    """numpy's numbers as a tensor of their dtype."""
    return tensor(np.asarray(batch))


def collate_float_fn(batch: Sequence[float], *, collate_fn_map: CollateFunctions | None = None) -> Tensor:
    """Numbers as a tensor of float64."""
    return _from_numbers(batch, float, float64)


def collate_int_fn(batch: Sequence[int], *, collate_fn_map: CollateFunctions | None = None) -> Tensor:
    """Numbers as a tensor of int64 or bool."""
    return _from_numbers(batch, int, None)


def collate_str_fn(batch: Sequence[Any], *, collate_fn_map: CollateFunctions | None = None) -> Sequence[Any]:
    """Texts as they are."""
    return batch


default_collate_fn_map: CollateFunctions = {
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}
"""What `default_collate` does with leaves, by class; programs may add to it."""


def _function_for(sample: Any, functions: CollateFunctions) -> Callable[..., Any] | None:
    own = functions.get(type(sample))
    if own is not None:
        return own
    return next((function for kinds, function in functions.items() if isinstance(sample, kinds)), None)


def _is_plain(each: Tensor) -> bool:
    """Whether only its values count."""
    return type(each) is Tensor and each.device is CPU and not each.requires_grad


def _are_alike(arrays: Sequence[np.ndarray]) -> bool:
    shape, dtype = arrays[0].shape, arrays[0].dtype
    return all(array.shape == shape and array.dtype == dtype for array in arrays)


def _picked(memory: np.ndarray, offsets: Sequence[int], shape: Sequence[int]) -> Tensor:
    """What lies in a row of elements from some places on, each in a shape, copied once, to where the batch is to be."""
    size, count = prod(shape), len(offsets)
    out = new_array((count, *shape), memory.dtype)
    if any([offset % size for offset in offsets]):
        np.concatenate([memory[offset : offset + size] for offset in offsets], out=out.reshape(-1))
    else:
        matrix = memory[: memory.size // size * size].reshape(-1, size)
        rows = [offset // size for offset in offsets]
        matrix.take(rows, 0, out.reshape(count, size), "clip")  # numpy would put a copy between in order to raise
    return Tensor.from_array(out, CPU, shared=False)


def _stacked(arrays: Sequence[np.ndarray]) -> Tensor:
    """Arrays of one shape and dtype, copied once, to where the batch is to be."""
    shape = arrays[0].shape
    out = new_array((len(arrays), *shape), arrays[0].dtype)
    if shape:
        np.concatenate(arrays, out=out.reshape(len(arrays) * shape[0], *shape[1:]))
    else:
        out[:] = arrays
    return Tensor.from_array(out, CPU, shared=False)


def _from_numbers(batch: Sequence[Any], kind: type, dtype: DType | None) -> Tensor:
    """Python's numbers as a tensor; quickly where all are of one class and fit into 64 bits."""
    if set(map(type, batch)) == {kind}:
        array = np.array(batch)
        if array.dtype in (np.int64, np.float64):
            return Tensor.from_array(array, CPU, shared=False)
    return tensor(batch, dtype=dtype)


def _is_text_or_object(array: np.ndarray) -> bool:
    return array.dtype.kind in "SUO"


def _refusal(kind: Any) -> TypeError:
    found = default_collate_err_msg_format.format(kind)
    return TypeError(f"{found}; pass DataLoader a collate_fn that joins such samples")


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
