"""Where samples come from: map-style datasets (``dataset[i]``) and iterable ones (``for sample in dataset``)."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar, cast

from lazygrad.ir.user_warning import warn_user
from lazygrad.ops.random.tensors import Generator, randperm
from lazygrad.tensor import Tensor

Sample = TypeVar("Sample")
Sample_co = TypeVar("Sample_co", covariant=True)


class Dataset(Generic[Sample_co]):
    """A map from keys, usually integers, to samples.

    Subclasses define ``__getitem__`` and, for the default samplers, ``__len__``. A subclass that can fetch many samples
    at once may define ``__getitems__(indices) -> list of samples``, which DataLoader then uses.
    """

    def __getitem__(self, index: Any) -> Sample_co:
        raise NotImplementedError(f"{type(self).__name__} must define __getitem__ to be used as a map-style dataset")

    def __add__(self, other: Dataset[Any]) -> Dataset[Any]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[Sample_co], Iterable[Sample_co]):
    """A stream of samples; subclasses define ``__iter__``."""

    def __add__(self, other: Dataset[Any]) -> Dataset[Any]:
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Tensors read row by row: sample ``i`` is ``(tensors[0][i], tensors[1][i], ...)``.

    Args:
        *tensors: tensors of shape ``[rows, ...]`` with the same number of rows.

    Raises:
        AssertionError: the tensors differ in their number of rows.
    """

    tensors: tuple[Tensor, ...]

    def __init__(self, *tensors: Tensor) -> None:
        rows = [tensor.size(0) for tensor in tensors]
        if len(set(rows)) > 1:
            raise AssertionError(f"Size mismatch between tensors: they have {rows} rows")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class StackDataset(Dataset[Any]):
    """Datasets side by side: sample ``i`` holds sample ``i`` of each.

    Args:
        *args: datasets whose samples form a tuple.
        **kwargs: datasets whose samples form a dict; either these or ``args``.

    Raises:
        ValueError: both or neither are given, or the datasets differ in length.
    """

    datasets: tuple[Dataset[Any], ...] | dict[str, Dataset[Any]]

    def __init__(self, *args: Dataset[Any], **kwargs: Dataset[Any]) -> None:
        if args and kwargs:
            raise ValueError("StackDataset takes datasets by position, for tuples, or by name, for dicts; not both")
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        self.datasets = args or kwargs
        lengths = {_length(dataset) for dataset in self._parts()}
        if len(lengths) > 1:
            raise ValueError(f"Size mismatch between datasets: they have {sorted(lengths)} samples")
        (self._samples,) = lengths

    def _parts(self) -> list[Dataset[Any]]:
        return list(self.datasets.values() if isinstance(self.datasets, dict) else self.datasets)

    def _joined(self, parts: Iterable[Any]) -> Any:
        return dict(zip(self.datasets, parts, strict=True)) if isinstance(self.datasets, dict) else tuple(parts)

    def __getitem__(self, index: Any) -> Any:
        return self._joined(dataset[index] for dataset in self._parts())

    def __getitems__(self, indices: list[Any]) -> list[Any]:
        columns = [fetch_samples(dataset, indices) for dataset in self._parts()]
        for column in columns:
            if len(column) != len(indices):
                raise ValueError(
                    f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(column)} samples"
                )
        return [self._joined(parts) for parts in zip(*columns, strict=True)]

    def __len__(self) -> int:
        return self._samples


class ConcatDataset(Dataset[Sample_co]):
    """Map-style datasets one after the other.

    Args:
        datasets: at least one dataset; each has a length.

    Raises:
        AssertionError: no dataset was given, or one of them is an IterableDataset.
    """

    datasets: list[Dataset[Sample_co]]
    cumulative_sizes: list[int]

    def __init__(self, datasets: Iterable[Dataset[Sample_co]]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("ConcatDataset needs at least one dataset: datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset; chain those with ChainDataset")
        self.cumulative_sizes = list(itertools.accumulate(_length(dataset) for dataset in self.datasets))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> Sample_co:
        if idx < 0:
            if -idx > len(self):
                raise ValueError(f"index {idx} is out of range for a ConcatDataset of {len(self)} samples")
            idx += len(self)
        which = bisect.bisect_right(self.cumulative_sizes, idx)
        start = self.cumulative_sizes[which - 1] if which else 0
        return self.datasets[which][idx - start]


class ChainDataset(IterableDataset[Sample_co]):
    """Iterable datasets one after the other.

    Args:
        datasets: the datasets; each is an IterableDataset, which is checked when its turn comes.
    """

    datasets: Iterable[Dataset[Sample_co]]

    def __init__(self, datasets: Iterable[Dataset[Sample_co]]) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Sample_co]:
        for dataset in self.datasets:
            yield from _as_stream(dataset)

    def __len__(self) -> int:
        return sum(_length(_as_stream(dataset)) for dataset in self.datasets)


class Subset(Dataset[Sample_co]):
    """The samples of ``dataset`` at ``indices``, in that order.

    Raises:
        NotImplementedError: a subclass overrides ``__getitem__`` but not ``__getitems__``, which DataLoader calls.
    """

    dataset: Dataset[Sample_co]
    indices: Sequence[int]

    def __init__(self, dataset: Dataset[Sample_co], indices: Sequence[int]) -> None:
        own = type(self)
        if own.__getitem__ is not Subset.__getitem__ and own.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{own.__name__} overrides __getitem__ but not __getitems__, so DataLoader would bypass it; add: "
                "def __getitems__(self, indices): return [self[index] for index in indices]"
            )
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, idx: int | list[int]) -> Sample_co:
        if isinstance(idx, list):
            return self.dataset[[self.indices[position] for position in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: list[int]) -> list[Sample_co]:
        return fetch_samples(self.dataset, [self.indices[position] for position in indices])

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Dataset[Sample], lengths: Sequence[int | float], generator: Generator | None = None
) -> list[Subset[Sample]]:
    """Splits a dataset at random into subsets that do not overlap.

    Args:
        dataset: a map-style dataset with a length.
        lengths: the sizes of the subsets, or fractions that sum to 1; what rounding the fractions down leaves over
            goes to the first subsets, one sample each.
        generator: source of the permutation; the global generator if None.

    Raises:
        ValueError: the lengths do not sum to the dataset's length, or a fraction is outside [0, 1].
    """
    total = _length(dataset)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = _lengths_of_fractions(total, lengths)
    if sum(lengths) != total:
        raise ValueError(f"Sum of input lengths does not equal the length of the input dataset! The lengths "
                         f"{list(lengths)} sum to {sum(lengths)}, but the dataset has {total} samples")  # fmt: skip

    order = randperm(total, generator=generator).tolist()
    sizes = cast(Sequence[int], lengths)
    ends = itertools.accumulate(sizes)
    return [Subset(dataset, order[end - size : end]) for end, size in zip(ends, sizes, strict=True)]


def fetch_samples(dataset: Dataset[Sample], indices: list[Any]) -> list[Sample]:
    """The samples at ``indices``, through ``__getitems__`` where the dataset has it."""
    fetch_many = getattr(dataset, "__getitems__", None)
    if callable(fetch_many):
        return cast(list[Sample], fetch_many(indices))
    return [dataset[index] for index in indices]


def _lengths_of_fractions(total: int, fractions: Sequence[float]) -> list[int]:
    for position, fraction in enumerate(fractions):
        if not 0 <= fraction <= 1:
            raise ValueError(f"Fraction at index {position} is not between 0 and 1: {fraction}")
    lengths = [math.floor(total * fraction) for fraction in fractions]
    for leftover in range(total - sum(lengths)):
        lengths[leftover % len(lengths)] += 1
    for position, length in enumerate(lengths):
        if length == 0:
            warn_user(f"Length of split at index {position} is 0: that subset is empty.")
    return lengths


def _as_stream(dataset: Dataset[Sample]) -> IterableDataset[Sample]:
    if not isinstance(dataset, IterableDataset):
        raise AssertionError(f"ChainDataset only supports IterableDataset, got {type(dataset).__name__}")
    return dataset


def _length(dataset: Dataset[Any]) -> int:
    """``len(dataset)``; Dataset itself promises no length, so Python's TypeError tells who lacks one."""
    return len(dataset)  # type: ignore[arg-type]
