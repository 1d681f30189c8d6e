"""DataLoader: a dataset, an order and a way to join samples, as one iterable of batches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from lazygrad.data.collate import default_collate, default_convert
from lazygrad.data.dataset import Dataset, IterableDataset
from lazygrad.data.epochs import Epoch
from lazygrad.data.fetch import CollateFunction
from lazygrad.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler
from lazygrad.ir.user_warning import warn_user
from lazygrad.ops.random.tensors import Generator

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

    from lazygrad.data.worker_passes import WorkerEpoch

Sample_co = TypeVar("Sample_co", covariant=True)

_FIXED_AFTER_INIT = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class DataLoader(Generic[Sample_co]):
    """Iterates over the batches of a dataset; each ``iter(loader)`` is one epoch.

    With the same ``manual_seed`` the order of every epoch equals PyTorch's, and so do the numbers that workers draw.
    Batches are made in the calling process, or ahead of time in worker processes, which hand their memory over. How
    these are started is Python's to say (`multiprocessing.set_start_method`); by default they are forks, so that
    datasets need not be picklable.

    Args:
        dataset: a map-style Dataset (anything with ``__getitem__`` and ``__len__``) or an IterableDataset.
        batch_size: samples per batch; None yields single samples.
        shuffle: a new random order in each epoch.
        sampler: yields the indices; excludes ``shuffle``.
        batch_sampler: yields lists of indices; excludes ``batch_size``, ``shuffle``, ``sampler`` and ``drop_last``.
        num_workers: how many processes make batches; 0 for none, so that this one does.
        collate_fn: joins a list of samples into a batch; default_collate if None.
        pin_memory: put batches into page-locked memory, for copies to a CUDA device; without one it warns.
        drop_last: leave out a last batch that would be shorter.
        timeout: how many seconds to wait for a worker's batch; 0 for as long as it takes.
        worker_init_fn: called in each worker with its number, before it makes batches.
        multiprocessing_context: how workers are started: a context of `multiprocessing`, or its name.
        generator: source of the order, and of the workers' seeds; the global generator if None.
        prefetch_factor: how many batches each worker makes ahead; 2 if None.
        persistent_workers: keep the workers, and their copies of the dataset, from epoch to epoch.
        pin_memory_device: unused.
        in_order: whether batches come in the sampler's order, or as soon as a worker has them.

    Raises:
        ValueError: options that exclude each other.
        RuntimeError: on iterating: a worker died, or made no batch within ``timeout``.
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
        _check_worker_options(num_workers, timeout, prefetch_factor, persistent_workers)
        if num_workers > 0 and prefetch_factor is None:
            prefetch_factor = 2
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
        self._persistent: WorkerEpoch | None = None
        self._initialized = True
        _warn_of_many_workers(num_workers)

    def __setattr__(self, name: str, value: Any) -> None:
        if self._initialized and name in _FIXED_AFTER_INIT:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        if name == "multiprocessing_context":
            value = _context(value, self.num_workers)
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[Any]:
        if self.num_workers == 0:
            return Epoch(self)
        from lazygrad.data.worker_passes import WorkerEpoch

        if not self.persistent_workers:
            return WorkerEpoch(self)
        if self._persistent is None or self._persistent.is_closed:
            self._persistent = WorkerEpoch(self)
        else:
            self._persistent.restart(self)
        return self._persistent

    def __len__(self) -> int:
        """Batches per epoch; of an iterable dataset, what its own ``len`` makes of it."""
        if not isinstance(self.dataset, IterableDataset):
            return len(self._index_sampler)
        length = self._reported_length = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)

    @property
    def _auto_collation(self) -> bool:
        """Whether an entry of the index sampler is a list of indices, whose samples are read one by one.

        Loaders of libraries override it: they have a dataset read the whole list.
        """
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        """What drives the epoch: the batch sampler, or the sampler where nothing is batched."""
        return self.batch_sampler if self._auto_collation else self.sampler


class _EndlessSampler(Sampler[None]):
    """Drives the loading of an iterable dataset, which has no indices and ends by itself."""

    def __iter__(self) -> Iterator[None]:
        while True:
            yield None


def _default_sampler(dataset: Any, shuffle: bool, generator: Generator | None) -> Sampler[Any]:
    if isinstance(dataset, IterableDataset):
        return _EndlessSampler()
    return RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)


def _check_worker_options(
    num_workers: int, timeout: float, prefetch_factor: int | None, persistent_workers: bool
) -> None:
    if num_workers < 0:
        raise ValueError(f"num_workers option should be non-negative, got {num_workers}; use 0 to load in this process")
    if timeout < 0:
        raise ValueError(f"timeout option should be non-negative, got {timeout}")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError("prefetch_factor option needs num_workers > 0; leave it None")
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError(f"prefetch_factor option should be non-negative, got {prefetch_factor}")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0; leave it False")


def _context(context: Any, num_workers: int) -> BaseContext | None:
    """A context by its name, or as it is.

    Raises:
        ValueError: there are no workers, or no start method of that name.
        TypeError: something else than a context.
    """
    if context is None:
        return None
    if num_workers == 0:
        raise ValueError("multiprocessing_context option needs num_workers > 0; leave it None")
    from multiprocessing import get_all_start_methods, get_context
    from multiprocessing.context import BaseContext

    if isinstance(context, str):
        if context not in get_all_start_methods():
            raise ValueError(
                f"multiprocessing_context option should specify a valid start method in {get_all_start_methods()}, "
                f"but got {context!r}"
            )
        context = get_context(context)
    if not isinstance(context, BaseContext):
        raise TypeError(f"multiprocessing_context option should be a context or a start method's name, got {context}")
    return context


def _warn_of_many_workers(num_workers: int) -> None:
    processors = len(os.sched_getaffinity(0))
    if num_workers > processors:
        warn_user(
            f"This DataLoader will create {num_workers} worker processes in total. Our suggested max number of worker "
            f"in current system is {processors}, as many as there are processors to run them.",
        )


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
