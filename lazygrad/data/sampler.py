"""In which order samples are read: samplers yield indices, BatchSampler yields lists of them.

The orders equal PyTorch's for the same ``manual_seed``, and so does the use that is made of the generators' streams.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

import numpy as np

from lazygrad.data.seeding import draw_seed
from lazygrad.ir.dtype import float64, int64
from lazygrad.ops.creation.from_data import tensor
from lazygrad.ops.random.tensors import Generator, rand, randint, randperm
from lazygrad.tensor import Tensor

Index_co = TypeVar("Index_co", covariant=True)

# Indices drawn with replacement come in blocks of this size: a generator shared with other code advances blockwise.
_REPLACEMENT_BLOCK = 32


class Sampler(Generic[Index_co]):
    """Base of all samplers: subclasses define ``__iter__`` and, if they can, ``__len__``."""

    def __iter__(self) -> Iterator[Index_co]:
        raise NotImplementedError(f"{type(self).__name__} must define __iter__")


class SequentialSampler(Sampler[int]):
    """The indices of ``data_source`` in order, from 0 on."""

    data_source: Sized

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """The indices of ``data_source`` in random order.

    Args:
        data_source: anything with a length.
        replacement: draw every index independently, so that it may come twice.
        num_samples: how many indices to yield; ``len(data_source)`` if None. Without replacement, more than the length
            gives several permutations one after the other.
        generator: source of the order; if None, each epoch uses a generator seeded from the global one.

    Raises:
        TypeError: ``replacement`` is not a bool.
        ValueError: ``num_samples`` is not a positive int.
    """

    data_source: Sized
    replacement: bool

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={self.num_samples}")

    @property
    def num_samples(self) -> int:
        """How many indices one epoch yields; follows a data source that grows."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        generator = self.generator
        if generator is None:
            generator = Generator()
            generator.manual_seed(draw_seed())
        yield from self._draw_with_replacement(generator) if self.replacement else self._permute(generator)

    def _draw_with_replacement(self, generator: Generator) -> Iterator[int]:
        high = len(self.data_source)
        for start in range(0, self.num_samples, _REPLACEMENT_BLOCK):
            count = min(_REPLACEMENT_BLOCK, self.num_samples - start)
            yield from randint(high, (count,), dtype=int64, generator=generator).tolist()

    def _permute(self, generator: Generator) -> Iterator[int]:
        length = len(self.data_source)
        whole_permutations, rest = divmod(self.num_samples, length)
        for _ in range(whole_permutations):
            yield from randperm(length, generator=generator).tolist()
        # Drawn even when nothing is left to yield, as in PyTorch: a shared generator must advance equally.
        yield from randperm(length, generator=generator).tolist()[:rest]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The given indices in random order.

    Args:
        indices: the indices to permute.
        generator: source of the order; the global generator if None.
    """

    indices: Sequence[int]

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for position in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[position]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Indices from 0 to ``len(weights) - 1``, each drawn with a probability proportional to its weight.

    Args:
        weights: one non-negative number per index; they need not sum to 1.
        num_samples: how many indices to yield.
        replacement: whether an index may be drawn more than once.
        generator: source of the draws; the global generator if None.

    Raises:
        ValueError: ``num_samples`` is not a positive int, ``replacement`` is not a bool, or ``weights`` is not 1-d.
        RuntimeError: on iterating: a weight is negative, infinite or nan, all are zero, or there are too few of them.
    """

    weights: Tensor
    num_samples: int
    replacement: bool

    def __init__(
        self,
        weights: Sequence[float] | Tensor,
        num_samples: int,
        replacement: bool = True,
        generator: Generator | None = None,
    ) -> None:
        if not _is_positive_int(num_samples):
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = weights.to(float64) if isinstance(weights, Tensor) else tensor(weights, dtype=float64)
        if self.weights.dim() != 1:
            raise ValueError(f"weights should be a 1d sequence, but have the shape {tuple(self.weights.shape)}")
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        weights = self.weights.numpy()
        _check_weights(weights, None if self.replacement else self.num_samples)
        # One draw is taken the other way even with replacement, as PyTorch's multinomial does.
        if self.replacement and self.num_samples > 1:
            indices = self._draw_with_replacement(weights)
        else:
            indices = self._draw_distinct(weights)
        yield from indices.tolist()

    def _draw_with_replacement(self, weights: np.ndarray) -> np.ndarray:
        """Inverts the cumulative distribution at one uniform number per draw."""
        cumulative = np.cumsum(weights)
        cumulative /= cumulative[-1]
        cumulative[-1] = 1.0
        return np.searchsorted(cumulative, self._uniform(self.num_samples))

    def _draw_distinct(self, weights: np.ndarray) -> np.ndarray:
        """Exponential race: index i arrives at an Exp(weights[i]) distributed time, and the first to arrive win."""
        exponentials = -np.log1p(-self._uniform(len(weights)))
        with np.errstate(divide="ignore", invalid="ignore"):
            speeds = weights / exponentials
        return np.argsort(-speeds, kind="stable")[: self.num_samples]

    def _uniform(self, count: int) -> np.ndarray:
        return rand(count, dtype=float64, generator=self.generator).numpy()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Groups the indices of another sampler into lists.

    Args:
        sampler: any iterable of indices.
        batch_size: indices per list.
        drop_last: leave out a last list that would be shorter.

    Raises:
        ValueError: ``batch_size`` is not a positive int, or ``drop_last`` is not a bool.
    """

    def __init__(self, sampler: Sampler[int] | Iterable[int], batch_size: int, drop_last: bool) -> None:
        if not _is_positive_int(batch_size):
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if self.drop_last and len(batch) < self.batch_size:
                return
            yield batch

    def __len__(self) -> int:
        count = len(self.sampler)  # type: ignore[arg-type]  # a sampler without a length raises Python's TypeError
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


def _is_positive_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _check_weights(weights: np.ndarray, distinct: int | None) -> None:
    """Raises RuntimeError where no ``distinct`` different indices (any number, if None) can be drawn by ``weights``."""
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise RuntimeError("WeightedRandomSampler: every weight must be finite and not negative")
    if not weights.sum() > 0:
        raise RuntimeError("WeightedRandomSampler: the sum of the weights must be positive")
    if distinct is not None and distinct > len(weights):
        raise RuntimeError(f"WeightedRandomSampler: cannot draw {distinct} of {len(weights)} without replacement")
