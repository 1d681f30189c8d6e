"""From one entry of the index sampler to one batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lazygrad.data.collate import default_collate
from lazygrad.data.dataset import Dataset, IterableDataset, Subset, TensorDataset, fetch_samples
from lazygrad.ir.dtype import int64
from lazygrad.ir.node import Node
from lazygrad.ops.creation.from_data import tensor
from lazygrad.runtime.realize import realize
from lazygrad.runtime.single_value import realize_one
from lazygrad.tensor import Tensor

CollateFunction = Callable[[Any], Any]
Fetch = Callable[[Any], Any]


def choose_fetch(dataset: Dataset[Any], batched: bool, collate_fn: CollateFunction, drop_last: bool) -> Fetch:
    """The function that one epoch uses to turn a sampler's entry into what the loader yields.

    Args:
        dataset: map-style or iterable.
        batched: whether the sampler yields lists of indices (True) or single indices.
        collate_fn: joins the samples of a batch, or converts a single sample.
        drop_last: for an iterable dataset: refuse a last batch that is shorter.
    """
    if isinstance(dataset, IterableDataset):
        stream = iter(dataset)
        if batched:
            return lambda indices: collate_fn(_next_samples(stream, len(indices), drop_last))
        return lambda _: collate_fn(next(stream))
    if not batched:
        return lambda index: collate_fn(dataset[index])
    if collate_fn is default_collate:
        return lambda indices: _whole_rows(dataset, indices) or default_collate(_samples(dataset, indices))
    return lambda indices: collate_fn(_samples(dataset, indices))


def _samples(dataset: Dataset[Any], indices: list[Any]) -> list[Any]:
    if callable(getattr(dataset, "__getitems__", None)):
        return _computed(fetch_samples(dataset, indices))
    return [_computed(dataset[index]) for index in indices]


def _computed(sample: Any) -> Any:
    """A sample whose tensors have their values.

    Samples are joined in ever new company: computed on its own, each is a small program that comes again, however the
    dataset branches.
    """
    pending: list[Node] = []
    _find_pending(sample, pending)
    if len(pending) == 1:
        realize_one(pending[0])
    elif pending:
        realize(pending)
    return sample


def _find_pending(sample: Any, found: list[Node]) -> None:
    kind = type(sample)
    if kind in _WITHOUT_TENSORS:
        return
    if kind is tuple or kind is list:
        for value in sample:
            _find_pending(value, found)
    elif isinstance(sample, Tensor):
        if sample._storage.value.value is None:
            found.append(sample._storage.value)
    elif isinstance(sample, Mapping):
        for value in sample.values():
            _find_pending(value, found)
    elif isinstance(sample, list | tuple):
        for value in sample:
            _find_pending(value, found)


_WITHOUT_TENSORS = frozenset([int, float, bool, str, bytes, type(None), np.ndarray, np.float32, np.float64, np.int64])


def _next_samples(stream: Any, count: int, drop_last: bool) -> list[Any]:
    """Up to ``count`` samples; StopIteration where there are none, or too few and ``drop_last``."""
    samples = []
    for _ in range(count):
        try:
            samples.append(_computed(next(stream)))
        except StopIteration:
            if drop_last:
                raise
            break
    if not samples:
        raise StopIteration
    return samples


def _whole_rows(dataset: Dataset[Any], indices: list[Any]) -> list[Tensor] | None:
    """A batch of a TensorDataset, or of subsets of one, by one ``index_select`` per tensor; None where it isn't one.

    It equals what stacking the rows one by one gives, without a select and a stack per sample. Indices that need a
    closer look (none, negative, out of range, no ints) are left to the row-by-row way, which accepts or refuses them.
    """
    while type(dataset) is Subset:
        source = dataset.indices
        if not _all_in_range(indices, len(source)):
            return None
        indices = [source[position] for position in indices]
        dataset = dataset.dataset
    if type(dataset) is not TensorDataset or not _all_in_range(indices, len(dataset)):
        return None
    rows = tensor(indices, dtype=int64)
    return [source.index_select(0, rows) for source in dataset.tensors]


def _all_in_range(indices: list[Any], length: int) -> bool:
    return len(indices) > 0 and all(type(index) is int and 0 <= index < length for index in indices)
