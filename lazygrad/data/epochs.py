"""One pass over a loader's batches, which are made in this process or in workers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from multiprocessing import get_context
from typing import Any, Self

from lazygrad.data.crew import Crew
from lazygrad.data.fetch import choose_fetch
from lazygrad.data.pinning import pinned
from lazygrad.data.seeding import draw_seed
from lazygrad.data.worker_epoch import WorkerEpochs, works_of
from lazygrad.host.allocator import is_available
from lazygrad.ir.device import Device
from lazygrad.runtime.profiling import Activity, span


class _Pass(Iterator[Any]):
    """What both kinds have in common: the seed of the workers, and what is counted."""

    def __init__(self, loader: Any) -> None:
        self._pins = loader.pin_memory and is_available(Device("cuda").place)
        if loader.pin_memory and not self._pins:
            warnings.warn("pin_memory=True has no effect: no accelerator is found.", stacklevel=4)
        # The loader itself is not kept: it keeps a pass of persistent workers, which end when it is forgotten.
        self._dataset, self._index_sampler, self._workers = loader.dataset, loader._index_sampler, loader.num_workers
        self._entries = iter(self._index_sampler)
        self._reported_length: int | None = loader._reported_length
        # Drawn before the sampler's first draw; without workers too, so that the stream goes on equally.
        self._base_seed = draw_seed(loader.generator)
        self._yielded = 0

    def __iter__(self) -> Self:
        return self

    def __len__(self) -> int:
        return len(self._index_sampler)

    def _count(self) -> None:
        self._yielded += 1
        reported = self._reported_length
        if reported is not None and self._yielded > reported:
            warnings.warn(
                f"{self._dataset} reported a length of {reported}, but {self._yielded} samples were fetched."
                + (" Each worker has a copy of it, and yields all of that." if self._workers else ""),
                stacklevel=4,
            )


class Epoch(_Pass):
    """A pass that makes each batch when it is asked for."""

    def __init__(self, loader: Any) -> None:
        if loader.timeout != 0:
            raise AssertionError(f"timeout={loader.timeout} needs worker processes; without them it must be 0")
        super().__init__(loader)
        self._fetch = choose_fetch(
            loader.dataset, loader.batch_sampler is not None, loader.collate_fn, drop_last=loader.drop_last
        )
        self._ended = False

    def __next__(self) -> Any:
        if self._ended:
            raise StopIteration
        try:
            with span(Activity.LOADING):
                batch = self._fetch(next(self._entries))
        except StopIteration:
            self._ended = True
            raise
        self._count()
        return pinned(batch) if self._pins else batch


class WorkerEpoch(_Pass):
    """Passes that workers make batches for: one, or with persistent workers one after another."""

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        if loader.prefetch_factor <= 0:
            raise AssertionError(f"prefetch_factor={loader.prefetch_factor}: workers need a batch to make")
        self._is_persistent = loader.persistent_workers
        self._crew = Crew(loader.multiprocessing_context or get_context(), works_of(loader, self._base_seed))
        self._epochs = WorkerEpochs(self._crew, loader.prefetch_factor, loader.in_order, loader.timeout)
        self._epochs.start(self._entries)

    @property
    def is_closed(self) -> bool:
        return self._crew.is_closed

    def restart(self, loader: Any) -> None:
        """Begins another pass with the same workers."""
        self._yielded, self._reported_length = 0, loader._reported_length
        self._entries = iter(self._index_sampler)
        self._epochs.start(self._entries)

    def __next__(self) -> Any:
        if self.is_closed:
            raise StopIteration
        try:
            with span(Activity.LOADING):
                batch = self._epochs.next()
        except StopIteration:
            if not self._is_persistent:
                self._crew.close()
            raise
        self._count()
        return pinned(batch) if self._pins else batch
