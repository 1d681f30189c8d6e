"""DataLoader: a dataset, an order and a way to join samples, as one iterable of batches."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from lazygrad.data.collate import default_collate, default_convert
from lazygrad.data.dataset import Dataset, IterableDataset
from lazygrad.data.fetch import CollateFunction, choose_fetch
from lazygrad.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler
from lazygrad.data.seeding import draw_seed
from lazygrad.ops.random.tensors import Generator

Sample_co = TypeVar("Sample_co", covariant=True)

_FIXED_AFTER_INIT = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class DataLoader(Generic[Sample_co]):
    """Iterates over the batches of a dataset; each ``iter(loader)`` is one epoch.

    With the same ``manual_seed`` the order of every epoch equals PyTorch's. All loading happens in the calling process.

    Args:
        dataset: a map-style Dataset (anything with ``__getitem__`` and ``__len__``) or an IterableDataset.
        batch_size: samples per batch; None yields single samples.
        shuffle: a new random order in each epoch.
        sampler: yields the indices; excludes ``shuffle``.
        batch_sampler: yields lists of indices; excludes ``batch_size``, ``shuffle``, ``sampler`` and ``drop_last``.
        num_workers: must be 0.
        collate_fn: joins a list of samples into a batch; default_collate if None.
        pin_memory: accepted with a warning; memory is not pinned.
        drop_last: leave out a last batch that would be shorter.
        timeout: must be 0 without workers.
        worker_init_fn: unused without workers.
        multiprocessing_context: must be None without workers.
        generator: source of the order; the global generator if None.
        prefetch_factor: must be None without workers.
        persistent_workers: must be False without workers.
        pin_memory_device: unused.
        in_order: unused without workers.

    Raises:
        ValueError: options that exclude each other.
        NotImplementedError: ``num_workers`` above 0.
    """

    dataset: Dataset[Sample_co]
    batch_size: int | None
    num_workers: int
    pin_memory: bool
    drop_last: bool
    timeout: float
    sampler: Sampler[Any] | Iterable[Any]
    batch_sampler: Sampler[list[Any]] | Iterable[list[Any]] | None
    _initialized = False

    def __init__(
        self,
        dataset: Dataset[Sample_co],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Sampler[Any] | Iterable[Any] | None = None,
        batch_sampler: Sampler[list[Any]] | Iterable[list[Any]] | None = None,
        num_workers: int = 0,
        collate_fn: CollateFunction | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _check_worker_options(num_workers, timeout, prefetch_factor, persistent_workers, multiprocessing_context)
        if isinstance(dataset, IterableDataset):
            _check_no_order_for_a_stream(shuffle, sampler, batch_sampler)
        _check_exclusive(batch_size, bool(shuffle), sampler, batch_sampler, drop_last)

        if sampler is None:
            sampler = _default_sampler(dataset, bool(shuffle), generator)
        if batch_sampler is not None:
            batch_size = None
        elif batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        if collate_fn is None:
            collate_fn = default_convert if batch_sampler is None else default_collate

        self.dataset = dataset
        self.batch_size = batch_size
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.num_workers = num_workers
        self.collate_fn = collate_fn
        self.pin_memory = pin_memory
        self.drop_last = drop_last
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.generator = generator
        self.prefetch_factor = prefetch_factor
        self.persistent_workers = persistent_workers
        self.pin_memory_device = pin_memory_device
        self.in_order = in_order
        # What an iterable dataset said its length was, when the loader was last asked for its own.
        self._reported_length: int | None = None
        self._initialized = True

    def __setattr__(self, name: str, value: Any) -> None:
        if self._initialized and name in _FIXED_AFTER_INIT:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[Any]:
        return _Epoch(self)

    def __len__(self) -> int:
        """Batches per epoch; of an iterable dataset, what its own ``len`` makes of it."""
        if not isinstance(self.dataset, IterableDataset):
            return len(self._index_sampler)
        length = self._reported_length = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)

    @property
    def _index_sampler(self) -> Any:
        """What drives the epoch: the batch sampler, or the sampler where nothing is batched."""
        return self.sampler if self.batch_sampler is None else self.batch_sampler


class _Epoch(Iterator[Any]):
    """One pass over a loader's batches."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        if loader.timeout != 0:
            raise AssertionError(f"timeout={loader.timeout} needs worker processes; without them it must be 0")
        if loader.pin_memory:
            warnings.warn("pin_memory=True has no effect: lazygrad does not pin memory.", stacklevel=3)
        self._loader = loader
        self._entries = iter(loader._index_sampler)
        # PyTorch draws the seed of its workers here, before the sampler's first draw. Drawing it too, without workers,
        # keeps the streams of both in step.
        draw_seed(loader.generator)
        self._fetch = choose_fetch(
            loader.dataset, loader.batch_sampler is not None, loader.collate_fn, drop_last=loader.drop_last
        )
        self._yielded = 0
        self._ended = False

    def __next__(self) -> Any:
        if self._ended:
            raise StopIteration
        try:
            batch = self._fetch(next(self._entries))
        except StopIteration:
            self._ended = True
            raise
        self._yielded += 1
        self._warn_if_longer_than_reported()
        return batch

    def __len__(self) -> int:
        return len(self._loader._index_sampler)

    def _warn_if_longer_than_reported(self) -> None:
        reported = self._loader._reported_length
        if reported is not None and self._yielded > reported:
            warnings.warn(
                f"{self._loader.dataset} reported a length of {reported}, but {self._yielded} samples were fetched.",
                stacklevel=3,
            )


class _EndlessSampler(Sampler[None]):
    """Drives the loading of an iterable dataset, which has no indices and ends by itself."""

    def __iter__(self) -> Iterator[None]:
        while True:
            yield None


def get_worker_info() -> Any:
    """None, which says as in PyTorch that the caller runs in the main process, where all loading happens."""
    return None


def _default_sampler(dataset: Any, shuffle: bool, generator: Generator | None) -> Sampler[Any]:
    if isinstance(dataset, IterableDataset):
        return _EndlessSampler()
    return RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)


def _check_worker_options(
    num_workers: int,
    timeout: float,
    prefetch_factor: int | None,
    persistent_workers: bool,
    multiprocessing_context: Any,
) -> None:
    if num_workers < 0:
        raise ValueError(f"num_workers option should be non-negative, got {num_workers}; use 0 to load in this process")
    if timeout < 0:
        raise ValueError(f"timeout option should be non-negative, got {timeout}")
    if num_workers > 0:
        raise NotImplementedError(
            f"DataLoader(num_workers={num_workers}): lazygrad loads data in the training process only; "
            "pass num_workers=0 (a TensorDataset, or a Dataset with __getitems__, is then read a batch at a time)"
        )
    if prefetch_factor is not None:
        raise ValueError("prefetch_factor option needs num_workers > 0; leave it None")
    if persistent_workers:
        raise ValueError("persistent_workers option needs num_workers > 0; leave it False")
    if multiprocessing_context is not None:
        raise ValueError("multiprocessing_context option needs num_workers > 0; leave it None")


def _check_no_order_for_a_stream(shuffle: bool | None, sampler: Any, batch_sampler: Any) -> None:
    options = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
    for name, value in options.items():
        if value is not None:
            raise ValueError(f"DataLoader with IterableDataset: expected unspecified {name} option, got {name}={value}")


def _check_exclusive(batch_size: int | None, shuffle: bool, sampler: Any, batch_sampler: Any, drop_last: bool) -> None:
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
        raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last")
    if batch_sampler is None and batch_size is None and drop_last:
        raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
