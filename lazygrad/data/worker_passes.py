"""Passes over a loader's batches that workers make.

It is imported by loaders with workers only: what starts processes and talks to them takes longer to import than a small
program's first training step.
"""

from __future__ import annotations

from multiprocessing import get_context
from typing import Any

from lazygrad.data.crew import Crew
from lazygrad.data.epochs import Pass
from lazygrad.data.pinning import pinned
from lazygrad.data.worker_epoch import WorkerEpochs, works_of
from lazygrad.runtime.profiling import Activity, span


class WorkerEpoch(Pass):
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
